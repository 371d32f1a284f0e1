import t from 'tap';
import { LOG_START } from '../../src/domain/ports/partitionLog.js';
import { PurgedLog, RecordReader } from '../../src/log/recordReader.js';
import { encodeRecord, type RecordKind } from '../../src/log/records.js';
import { adviceOn, missingReserve, replicationProblems } from '../../src/partitions/health/replicationProblems.js';
import type { PartitionOverview } from '../../src/partitions/health/replicationOverview.js';

const SERVERS = ['a', 'b', 'c'].map((name) => ({ name, isCurrent: true }));
const SOUND: PartitionOverview = {
  partition: 'shard 0',
  owner: 'i1',
  term: 1,
  leaseLeftMs: 1,
  log: { leader: 'a', hasQuorum: true, servers: SERVERS, bytes: 1 },
  copies: ['i1', 'i2', 'i3'].map((instance) => ({
    instance,
    state: instance === 'i1' ? 'owning' : 'following',
    applied: 9,
    chain: '',
    term: 1,
    lag: 0,
  })),
};
const INSTANCES = ['i1', 'i2', 'i3'].map((id) => ({ id, host: `host-${id}` }));

function seen(changed: Partial<PartitionOverview>): { problems: string[]; missing: { copies: number; servers: number } } {
  const view = {
    partitions: [
      { ...SOUND, ...changed },
      { ...SOUND, ...changed, partition: 'shard 1' as const },
    ],
    instances: INSTANCES,
    replicas: 3,
  };
  return { problems: replicationProblems(view).map(({ kind, text }) => `${kind} ${text}`), missing: missingReserve(view) };
}

t.test('DOCTOR8 each problem names partitions, machine, cause and what to do, and counts as lost reserve', async (t) => {
  t.strictSame(seen({}), { problems: [], missing: { copies: 0, servers: 0 } });
  const halted = SOUND.copies.map((copy) =>
    copy.instance === 'i2' ? { ...copy, state: 'halted' as const, reason: 'its file could not be written: database or disk is full' } : copy,
  );
  t.strictSame(seen({ copies: halted }), {
    problems: [
      'halted shards 0-1: the copy on host-i2 (i2) has halted: its file could not be written: database or disk is full. Make room on its disk, and run `systemctl restart switchboard` there',
    ],
    missing: { copies: 2, servers: 0 },
  });
  t.strictSame(seen({ copies: SOUND.copies.slice(0, 2) }), {
    problems: [
      'copies shards 0-1: of 3 machines 2 report a copy: host-i1, host-i2. Start the instances that are away: `systemctl start switchboard` there. If they run, this machine cannot hear them: look at the network between them',
    ],
    missing: { copies: 2, servers: 0 },
  });
  const away = SERVERS.map((server) => ({ ...server, isCurrent: server.name !== 'c' }));
  t.strictSame(seen({ log: { ...SOUND.log, servers: away } }), {
    problems: [
      'servers shards 0-1: the NATS server c is away or lacks records of the log. Wait a minute until it has caught up, or start it again: `systemctl restart nats-cluster` there',
    ],
    missing: { copies: 0, servers: 2 },
  });
  const { problems, missing } = seen({ log: { leader: null, hasQuorum: false, servers: [], bytes: 0 } });
  t.match(problems, [/^quorum shards 0-1: the log has no leader .+ An election takes up to ten seconds/]);
  t.strictSame(missing, { copies: 0, servers: 6 });
});

t.test('DOCTOR8 every reason of a halt has its advice', async (t) => {
  const record = (after: string, kind: RecordKind): Uint8Array => encodeRecord({ by: 'x', term: 1, after, kind, content: new Uint8Array() });
  const reasonOf = (seq: number, body: Uint8Array): string => {
    try {
      new RecordReader(LOG_START, 7).take(seq, body);
    } catch (error) {
      return (error as Error).message;
    }
    throw new Error('the record is sound');
  };
  const start = LOG_START.chain;
  const advice: Array<[string, RegExp]> = [
    [reasonOf(1, record(start, { type: 'own', folder: 'f', schema: 8 })), /^Upgrade the program/],
    [reasonOf(1, record('f'.repeat(32), { type: 'release' })), /cluster verify/],
    [reasonOf(2, record(start, { type: 'release' })), /cluster verify/],
    [reasonOf(1, Buffer.from('no record')), /cluster verify/],
    [reasonOf(1, record(start, { type: 'piece', piece: 2 })), /cluster verify/],
    [reasonOf(1, record(start, { type: 'commit', pieces: 2 })), /cluster verify/],
    [new PurgedLog(9, 2).message, /cluster snapshot/],
    ['the log ends at record 5, and this copy at 9', /cluster doctor/],
    ['no snapshot of the shard 0 can be used: NATS has none', /cluster snapshot/],
    ['it has nothing yet', /^Wait/],
    ['anything else', /^Look at the log/],
  ];
  for (const [reason, expected] of advice) t.match(adviceOn(reason), expected, reason);
});
