import t from 'tap';
import { Replicas, type CopyReport, type OtherInstance } from '../../src/cluster/replicas.js';
import type { CopyState } from '../../src/partitions/messages.js';
import { mutate } from '../support/log/mutants.js';

const LEASE_MS = 2_000;
const COPY: CopyState = {
  partition: 'shard 0',
  state: 'following',
  applied: 10,
  chain: 'c',
  term: 3,
  schema: 7,
  owner: { instance: 'owner', folder: 'theirs', leaseMs: LEASE_MS },
  seenAt: 0,
};

function other(id: string, report: Partial<CopyReport>): OtherInstance {
  return { id, copies: [{ partition: 'shard 0', state: 'following', applied: 10, chain: 'c', term: 3, schema: 7, ...report }] };
}

function setUp(copy: Partial<CopyState> = {}, Class = Replicas) {
  const clock = { now: 10_000 };
  const replicas = new Class({ folder: 'ours', leaseMs: LEASE_MS, now: () => clock.now, leaseLeftOf: () => 0 });
  replicas.note({ ...COPY, ...copy });
  return { clock, claimable: (...others: OtherInstance[]) => replicas.claimable('shard 0', others) };
}

t.test('a partition is claimed when its owner is gone and the lease over', async (t) => {
  const { clock, claimable } = setUp();
  t.equal(claimable(other('owner', { state: 'owning' })), null, 'it lives');
  t.equal(claimable(other('owner', {})), 3, 'it lives, and owns it no more');
  t.equal(claimable(other('another', {})), 3);
  clock.now = LEASE_MS;
  t.equal(claimable(), null, 'the lease may hold');
  clock.now = LEASE_MS * 1.1 + 1;
  t.equal(claimable(), 3);
  t.equal(setUp({ state: 'halted' }).claimable(), null);
  t.equal(setUp({ state: 'owning' }).claimable(), null);
});

t.test('nobody waits for an owner that has released the partition, or that ran on this folder', async (t) => {
  for (const owner of [null, { instance: 'before', folder: 'ours', leaseMs: LEASE_MS }]) {
    const { clock, claimable } = setUp({ owner });
    clock.now = 1;
    t.equal(claimable(), 3);
  }
});

t.test('a copy that lacks what another one has does not write', async (t) => {
  t.equal(setUp().claimable(other('another', { applied: 11 })), null);
  t.equal(setUp().claimable(other('another', { applied: 11, state: 'halted' })), null);
  t.equal(setUp({ owner: null }).claimable(other('another', { applied: 11 })), null);
  const guard = { file: 'cluster/replicas.js', replace: [['return isBehind ? null : term;', 'return term;']] as const };
  const broken = await mutate<{ Replicas: typeof Replicas }>(t, guard, 'cluster/replicas.js');
  t.equal(setUp({}, broken.Replicas).claimable(other('another', { applied: 11 })), 3, 'without the guard it would');
});

t.test('a copy lacks records of another one until it has reported as many', async (t) => {
  const replicas = new Replicas({ folder: 'ours', leaseMs: LEASE_MS, now: () => 0, leaseLeftOf: () => 0 });
  t.equal(replicas.lacks('shard 0', 1), true, 'nothing is known of it');
  replicas.note(COPY);
  t.strictSame([replicas.lacks('shard 0', 10), replicas.lacks('shard 0', 11)], [false, true]);
  replicas.note({ ...COPY, applied: 4 });
  t.equal(replicas.lacks('shard 0', 10), true, 'it began again');
});

t.test('OPERATE7 a copy with another history than an equally long one does not write', async (t) => {
  t.equal(setUp().claimable(other('another', { chain: 'd' })), null);
  t.equal(setUp({ owner: null }).claimable(other('another', { chain: 'd' })), null);
  t.equal(setUp().claimable(other('another', { chain: 'b', applied: 9 })), 3, 'a shorter one cannot be compared');
});

t.test('REPLICA3 an owner writes for the newest schema that all living instances know', async (t) => {
  const replicas = new Replicas({ folder: 'ours', leaseMs: LEASE_MS, now: () => 0, leaseLeftOf: () => 0 });
  replicas.note(COPY);
  t.equal(replicas.commonSchema('shard 0', []), 7);
  t.equal(replicas.commonSchema('shard 0', [other('newer', { schema: 8 })]), 7);
  t.equal(replicas.commonSchema('shard 0', [other('newer', { schema: 8 }), other('older', { schema: 6 })]), 6);
  t.equal(replicas.commonSchema('shard 0', [other('older', { schema: 6, state: 'halted' })]), 7, 'one that halted cannot read on anyway');
});

t.test('REPLICA3 an owner claims its partition again when all living instances have known a newer schema for a while', async (t) => {
  const clock = { now: 0 };
  const replicas = new Replicas({ folder: 'ours', leaseMs: LEASE_MS, now: () => clock.now, leaseLeftOf: () => 0 });
  replicas.note(COPY);
  const [older, equal] = [[other('older', { schema: 6 })], [other('equal', {})]];
  t.notOk(replicas.isOutdated('shard 0', equal), 'nothing was claimed');
  replicas.noteClaim('shard 0', 6);
  t.notOk(replicas.isOutdated('shard 0', equal), 'the older one may only be restarting');
  clock.now = 29_000;
  t.notOk(replicas.isOutdated('shard 0', older), 'it is back');
  clock.now = 31_000;
  t.notOk(replicas.isOutdated('shard 0', equal));
  clock.now = 61_000;
  t.ok(replicas.isOutdated('shard 0', equal));
  replicas.noteClaim('shard 0', 7);
  clock.now = 120_000;
  t.notOk(replicas.isOutdated('shard 0', equal));
});
