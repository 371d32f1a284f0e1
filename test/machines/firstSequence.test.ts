/** Logs whose streams were made with a first sequence, as earlier programs did. */
import t, { type Test } from 'tap';
import type { FoundLogs } from '../../src/cli/cluster/doctor/logs.js';
import { checkRecords } from '../../src/cli/cluster/doctor/records.js';
import { lookAtSystem } from '../../src/cli/cluster/doctor/system.js';
import { createLog, findLog, removeFirstSequence, removeLog, type FoundLog } from '../../src/log/clusterStreams.js';
import { CHANGE_MS, JetStream, parseAnswer } from '../../src/log/jetStream.js';
import { boundsOf, JetStreamLog, streamInfo } from '../../src/log/jetStreamLog.js';
import { streamName } from '../../src/log/logNames.js';
import { patiently } from '../../src/log/patience.js';
import { LOG_START } from '../../src/domain/ports/partitionLog.js';
import { NatsCluster } from '../support/cluster/natsCluster.js';
import { findNatsServer, natsVersion, REPLICATION_NATS } from '../support/cluster/natsServer.js';
import { pathOf, skipWithout } from '../support/service/programs.js';
import { until, untilResolved } from '../support/until.js';

const nats = await findNatsServer({ atLeast: REPLICATION_NATS });
/** Such servers empty a stream with `first_seq` when they recover it. */
const isEmptied = 'path' in nats && (await natsVersion(nats.path)).localeCompare('2.11.2', 'en', { numeric: true }) < 0;
const SERVERS = [0, 1, 2];
const PARTITION = 'shard 0';
const GAP = 1_000_000;

/** Servers elect more slowly on a busy machine. */

t.test('SNAPSHOT17 logs that begin after record 1 survive when all nats-servers are killed', { skip: skipWithout(nats) }, async (t) => {
  const { cluster, server } = await connectedCluster(t);
  const plan = {
    partition: PARTITION,
    replicas: 3,
    secret: 'shared',
    cluster: 'a cluster',
    shards: 1,
    generation: 2,
    after: { ...LOG_START, applied: GAP },
  };
  await createLog(server, { ...plan, prefix: 'new' });
  await createLog(server, { ...plan, prefix: 'old' });
  await asEarlierPrograms(server, await requireLog(server, 'old'));
  const before = await Promise.all(['new', 'old'].map((prefix) => requireLog(server, prefix)));
  t.strictSame(
    before.map((found) => boundsOf(found.info)),
    [
      { first: GAP + 1, last: GAP + 1 },
      { first: GAP + 1, last: GAP + 2 },
    ],
  );
  const [fresh, old] = before as [FoundLog, FoundLog];
  t.equal(await removeFirstSequence(server, fresh), false);
  t.equal(await removeFirstSequence(server, old), true, 'the log of an earlier program is cured');

  // The change is answered by the leader; the others take it a moment later.
  await untilResolved(async () => {
    const stored = await Promise.all(SERVERS.map((each) => cluster.storedConfig(each, old.address.stream)));
    if (stored.some(({ first_seq: first = 0 }) => first > 0)) throw new Error('a server has not stored the change');
  });

  await Promise.all(SERVERS.map((each) => cluster.kill(each)));
  await cluster.startAll();
  for (const found of before) {
    const after = await requireLog(server, found === old ? 'old' : 'new');
    t.strictSame(after.identity, found.identity, 'it is the same log');
    t.strictSame(boundsOf(after.info), boundsOf(found.info), 'and has all its records');
    t.equal(await removeFirstSequence(server, after), false);
    const log = new JetStreamLog(server, after.address);
    const { last } = boundsOf(after.info);
    await untilResolved(async () => {
      if ((await log.publish(Buffer.from('next'), last)).kind === 'no answer') throw new Error('the servers elect');
    });
    t.equal(String((await untilResolved(() => log.read(last + 1)))?.body), 'next', 'and goes on at the next place');
  }
});

t.test(
  'OPERATE3 a server that lost the beginning of a log is named',
  { skip: skipWithout(nats) || (isEmptied ? false : 'this nats-server keeps it') },
  async (t) => {
    const { cluster, server } = await connectedCluster(t);
    const stream = streamName('old', PARTITION);
    const config = { name: stream, subjects: ['old.log'], storage: 'file', num_replicas: 3, first_seq: 1_000 };
    await patiently(() => server.call(`STREAM.CREATE.${stream}`, config, CHANGE_MS));
    const append = (): Promise<unknown> => untilResolved(async () => parseAnswer(await server.request('old.log', Buffer.from('a record'))));
    for (let n = 0; n < 5; n += 1) await append();
    await cluster.stop(0);
    await cluster.start(0);
    await append();
    const found: FoundLogs = new Map([[PARTITION, await untilResolved(() => streamInfo(server, stream))]]);
    const finding = await until(async () => {
      const system = await lookAtSystem(cluster.systemUrls);
      const isBack = system?.before.every(({ logs }) => logs.has(stream)) === true && system.before.length === 3;
      return (
        isBack && checkRecords({ prefix: 'old', replicas: 3, found, system, copies: new Map(), away: [] }).find(({ check }) => check === 'records')
      );
    });
    t.match(finding, {
      verdict: 'problem',
      detail:
        /^shard 0: machine-0 begins at record 100\d, and another server has record 1000: it has lost its beginning\. Run `switchboard cluster snapshot shard-0`/,
    });
  },
);

async function connectedCluster(t: Test): Promise<{ readonly cluster: NatsCluster; readonly server: JetStream }> {
  const cluster = await NatsCluster.start(t, pathOf(nats));
  const server = new JetStream({ urls: cluster.urls, name: 'test', onError: () => undefined });
  t.teardown(() => server.close());
  await server.connected();
  return { cluster, server };
}

function requireLog(server: JetStream, prefix: string): Promise<FoundLog> {
  return untilResolved(async () => {
    const found = await findLog(server, prefix, PARTITION);
    if (found === null) throw new Error('there is no log');
    return found;
  });
}

/** Makes the stream anew with `first_seq`: its sequences are the places of the log. */
async function asEarlierPrograms(server: JetStream, { address, info }: FoundLog): Promise<void> {
  const { metadata: { base: _, ...metadata } = {}, ...config } = info.config;
  await removeLog(server, 'old', PARTITION);
  await patiently(() => server.call(`STREAM.CREATE.${address.stream}`, { ...config, metadata, first_seq: GAP + 1 }, CHANGE_MS));
  const log = new JetStreamLog(server, { ...address, base: 0 });
  for (const place of [GAP, GAP + 1]) {
    await untilResolved(async () => {
      if ((await log.publish(Buffer.from('a record'), place)).kind === 'no answer') throw new Error('the servers elect');
    });
  }
}
