import t from 'tap';
import { CallerTurns, MAX_REQUESTS_PER_TURN } from '../../src/http/callerTurns.js';

t.test('HOSTILE35 of a thousand requests of one caller, 64 are carried out in a turn, in order, and others do not wait', async (t) => {
  const turns = new CallerTurns();
  const done: number[] = [];
  for (let n = 0; n < 1_000; n += 1) {
    const turn = turns.enter('mallory');
    if (turn === null) done.push(n);
    else void turn.then(() => done.push(n));
  }
  t.equal(done.length, MAX_REQUESTS_PER_TURN);
  t.equal(turns.enter('ben'), null);
  for (let before = done.length; before < 1_000; before = done.length) {
    await new Promise(setImmediate);
    t.ok(done.length > before && done.length - before <= MAX_REQUESTS_PER_TURN);
    t.equal(turns.enter('ben'), null);
  }
  t.strictSame(
    done,
    done.toSorted((a, b) => a - b),
  );
  await new Promise(setImmediate);
  t.equal(turns.enter('mallory'), null, 'later requests go on at once');
});
