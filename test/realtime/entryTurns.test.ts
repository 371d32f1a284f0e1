import t from 'tap';
import { Turns } from '../../src/flow/turns.js';

t.test('sockets that come at once are admitted in order, a few in each turn of the event loop', async (t) => {
  const entries = new Turns(8);
  const turns: number[][] = [[]];
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  for (let n = 0; n < 20; n += 1) entries.add(() => turns.at(-1)?.push(n));
  t.strictSame(turns, [[]], 'none in the turn in which they come');
  for (let n = 0; n < 3; n += 1) {
    await turn();
    turns.push([]);
  }
  t.strictSame(
    turns.map(({ length }) => length),
    [8, 8, 4, 0],
  );
  t.strictSame(
    turns.flat(),
    Array.from({ length: 20 }, (_, n) => n),
  );
  entries.add(() => turns.at(-1)?.push(20));
  await turn();
  t.strictSame(turns.at(-1), [20], 'and the next crowd has its turn as well');
});
