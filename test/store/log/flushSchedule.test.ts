import { mock } from 'node:test';
import t from 'tap';
import { FlushSchedule } from '../../../src/store/log/flushSchedule.js';

const FILES = 100;
const TICK_MS = 50;

t.test('however many files are busy, each is flushed within seconds', (t) => {
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(() => mock.timers.reset());
  let now = 0;
  const flushedAt = new Map<number, number>();
  let longest = 0;
  const schedule = new FlushSchedule({
    flushed: (shard) => {
      longest = Math.max(longest, now - (flushedAt.get(shard) ?? 0));
      flushedAt.set(shard, now);
    },
    prune: () => undefined,
    now: () => now,
  });
  const shards = Array.from({ length: FILES }, (_, shard) => shard);
  for (const shard of shards) schedule.add(shard, { settle: () => undefined, flush: () => 1 });
  while (now < 30_000) {
    schedule.noteLogged(shards.map((shard) => ({ shard, bytes: 1 })));
    now += TICK_MS;
    mock.timers.tick(TICK_MS);
  }
  t.equal(flushedAt.size, FILES);
  t.ok(longest <= 6_000, `the longest time between two flushes of a file was ${longest} ms`);
  schedule.stop();
  t.end();
});

t.test('a file that cannot be flushed is tried again, and takes no more commits above a limit', (t) => {
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(() => mock.timers.reset());
  let attempts = 0;
  const schedule = new FlushSchedule({ flushed: () => t.fail('it cannot be flushed'), prune: () => undefined, now: () => 0 });
  const file = { settle: () => undefined, flush: () => ((attempts += 1), 'failed' as const) };
  schedule.add(0, file);
  for (let count = 0; !schedule.isFull(0) && count < 100; count += 1) schedule.noteLogged([{ shard: 0, bytes: 1024 * 1024 }]);
  t.equal(schedule.bytes, 16 * 1024 * 1024);
  t.equal(attempts, 4, 'after every 4 MiB');
  schedule.stop();
  t.end();
});
