import t from 'tap';
import type { StreamInfo, StreamReplica } from '../../src/log/jetStreamLog.js';
import { healthOf, LEADERLESS, type LogHealth } from '../../src/log/logHealth.js';
import { LogWatch } from '../../src/replication/logWatch.js';

const HEALTHY: LogHealth = { leader: 'a', hasQuorum: true, servers: [{ name: 'a', isCurrent: true }], bytes: 10 };
const SECOND = 1e9;
const STREAM = { name: 'log', subjects: ['log'], max_bytes: -1 };

function info(leader: string | undefined, ...replicas: StreamReplica[]): StreamInfo {
  return {
    created: '',
    config: { ...STREAM, num_replicas: 3 },
    state: { first_seq: 1, last_seq: 2, bytes: 10 },
    cluster: { ...(leader === undefined ? {} : { leader }), replicas },
  };
}

function replica(name: string, more: Partial<StreamReplica> = {}): StreamReplica {
  return { name, current: true, active: SECOND, ...more };
}

t.test('OPERATE8 a log has a quorum if its leader heard of most servers lately', async (t) => {
  t.match(healthOf(info('a', replica('b'), replica('c'))), { leader: 'a', hasQuorum: true });
  t.match(healthOf(info('a', replica('b'), replica('c', { active: 6 * SECOND }))), { hasQuorum: true });
  t.match(healthOf(info('a', replica('b', { offline: true }), replica('c', { active: 6 * SECOND }))), { hasQuorum: false });
  t.match(healthOf(info(undefined, replica('a'), replica('b'), replica('c'))), { leader: null, hasQuorum: false });
  const { servers } = healthOf(info('a', replica('b', { current: false }), replica('c', { active: 6 * SECOND })));
  t.strictSame(
    servers.map(({ isCurrent }) => isCurrent),
    [true, false, false],
  );
  const { cluster: _, ...single } = info('a');
  t.match(healthOf({ ...single, config: { ...STREAM, num_replicas: 1 } }), { hasQuorum: true }, 'a server without a cluster');
});

t.test('OPERATE8 a log without a quorum counts as lost after a while, until it has one again', async (t) => {
  const clock = { now: 0 };
  let answer: () => Promise<LogHealth> = async () => HEALTHY;
  const watch = new LogWatch({ partitions: ['directory'], ask: () => answer(), now: () => clock.now, close: async () => undefined });
  t.equal(watch.healthOf('directory'), LEADERLESS, 'before the first answer');
  t.strictSame(watch.withoutQuorum(0), [], 'which is no loss');
  await watch.look();
  t.equal(watch.healthOf('directory'), HEALTHY);
  answer = () => Promise.reject(new Error('no answer'));
  clock.now = 1_000;
  await watch.look();
  t.equal(watch.healthOf('directory').hasQuorum, false);
  t.strictSame(watch.withoutQuorum(10_000), []);
  clock.now = 11_000;
  await watch.look();
  t.strictSame(watch.withoutQuorum(10_000), ['directory']);
  answer = async () => HEALTHY;
  await watch.look();
  t.strictSame(watch.withoutQuorum(0), []);
});
