import { pino } from 'pino';
import t from 'tap';
import type { Uuid } from '../../src/domain/ids.js';
import { machineNow } from '../../src/domain/machineClock.js';
import { AnswerCache } from '../../src/partitions/answerCache.js';
import { Leases } from '../../src/partitions/leases.js';
import { LocalPartitions } from '../../src/partitions/localPartitions.js';
import { addStats } from '../../src/partitions/partitionStats.js';
import { ThreadClient } from '../../src/partitions/threadClient.js';
import type { OpenPartition } from '../../src/partitions/threadServer.js';

t.test('HTTP27 a partition whose log has had no quorum for long refuses at once, unless its lease holds', async (t) => {
  const openPartition: OpenPartition = () => ({
    take: (asks, done) => done({ replies: asks.map(({ id }) => ({ id, outcome: { ok: true, value: 'answer' } })), notices: [] }),
    stats: () => addStats([]),
    probe: () => 'works',
    close: (closed) => closed(),
  });
  const options = { log: pino({ level: 'silent' }), onNotice: () => undefined, onLost: () => undefined };
  const thread = ThreadClient.inline({ open: openPartition }, options);
  t.teardown(() => thread.close());
  const leases = new Leases(1);
  let isLost = false;
  const partitions = new LocalPartitions(new AnswerCache(0), { leases, isLogLost: () => isLost });
  partitions.start(thread, [thread]);
  await partitions.open('shard 0');
  const ask = async (): Promise<unknown> => partitions.ask('shard 0', { kind: 'upload.drop', id: 'an upload' as Uuid });

  t.equal(await ask(), 'answer', 'in an election it waits for the log');
  isLost = true;
  await t.rejects(ask(), { code: 'unavailable', retryAfter: 1 });
  leases.set('shard 0', machineNow() + 60_000);
  t.equal(await ask(), 'answer');
});
