import t from 'tap';
import { until } from '../support/until.js';
import { InflowGate, type GatedBody } from '../../src/http/body/inflowGate.js';

const MIB = 1024 * 1024;

t.test('HOSTILE30 bodies are read one for each turn of the event loop, and none while much is not stored', async (t) => {
  const turns: Array<() => void> = [];
  const gate = new InflowGate((turn) => turns.push(turn));
  const turn = (): void => turns.shift()?.();
  const read: string[] = [];
  const bodies = ['a', 'b', 'c', 'd'].map((name) => ({ name, unconsumedBytes: 0 }));
  const wait = (body: GatedBody & { name: string }): void => gate.wait(body, () => read.push(body.name));
  bodies.forEach(wait);
  t.strictSame(read, []);
  turn();
  t.strictSame(read, ['a']);
  const [a, , c] = bodies as [(typeof bodies)[0], unknown, (typeof bodies)[0]];
  a.unconsumedBytes = 16 * MIB;
  turn();
  t.strictSame(read, ['a'], 'the first brought as much as may be in memory');
  gate.cancel(c);
  a.unconsumedBytes = 0;
  await until(
    () => read.includes('b'),
    () => read,
  );
  turn();
  turn();
  t.strictSame(read, ['a', 'b', 'd']);
  a.unconsumedBytes = 16 * MIB;
  wait(c);
  gate.leave(a);
  await until(
    () => read.includes('c'),
    () => read,
  );
  turn();
  t.strictSame(read, ['a', 'b', 'd', 'c'], 'a body that is over counts no more');
});
