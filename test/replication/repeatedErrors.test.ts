import t from 'tap';
import { withoutRepetition } from '../../src/replication/repeatedErrors.js';

t.test('OPERATE6 an error that repeats itself is reported once a minute, with the number of times', async (t) => {
  const reported: string[] = [];
  let time = 0;
  const report = withoutRepetition(
    (error) => reported.push(String(error)),
    () => time,
  );
  for (; time < 59_000; time += 25) report(new Error('no answer'));
  report(new Error('another'));
  t.strictSame(reported, ['Error: no answer', 'Error: another']);
  time = 60_000;
  report(new Error('no answer'));
  t.equal(reported.at(-1), 'Error: Error: no answer (and 2359 times before)');
});
