import t from 'tap';
import { mock } from 'node:test';
import type { Callers } from '../../src/auth/callers.js';
import { recordActivity } from '../../src/auth/sessionActivity.js';
import type { DirectoryPort } from '../../src/domain/commands/directoryCommands.js';
import { LAST_SEEN_MS } from '../../src/domain/account/session.js';

t.test('SESS1 used sessions are recorded once a minute, many in one command', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(() => mock.timers.reset());
  const ids = Array.from({ length: 1_001 }, (_, index) => `session ${index}`);
  const seen = [ids, [], ['last']];
  const asked: number[] = [];
  const errors: unknown[] = [];
  let isAway = false;
  const directory = {
    ask: async (op: string, input: { ids: readonly string[] }) => {
      t.equal(op, 'session.seen');
      if (isAway) throw new Error('away');
      asked.push(input.ids.length);
    },
  };
  const callers = { takeSeen: () => seen.shift() ?? [] } as unknown as Callers;
  const recorder = recordActivity(callers, directory as unknown as DirectoryPort, (error) => errors.push(error));
  const pass = async (milliseconds: number): Promise<void> => {
    mock.timers.tick(milliseconds);
    await new Promise(setImmediate);
  };
  await pass(LAST_SEEN_MS - 1);
  t.strictSame(asked.splice(0), [], 'not before');
  await pass(1);
  t.strictSame(asked.splice(0), [500, 500, 1]);
  await pass(LAST_SEEN_MS);
  t.strictSame(asked.splice(0), [], 'nothing was used');
  isAway = true;
  await pass(LAST_SEEN_MS);
  t.match(errors, [/away/], 'a failure is reported');
  isAway = false;
  recorder.stop();
  seen.push(['more']);
  await pass(LAST_SEEN_MS);
  t.strictSame(asked, []);
});
