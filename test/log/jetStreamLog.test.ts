/** The log over real nats-servers. */
import t, { type Test } from 'tap';
import { createStreams, findLog, requireLog, sealedLogOf } from '../../src/log/clusterStreams.js';
import { appendExactly } from '../../src/log/exactAppend.js';
import { JetStream } from '../../src/log/jetStream.js';
import { JetStreamLog } from '../../src/log/jetStreamLog.js';
import { logNames } from '../../src/log/logNames.js';
import { patiently } from '../../src/log/patience.js';
import { PartitionLog } from '../../src/log/partitionLog.js';
import { LOG_START, type CopyFile, type LogIdentity, type LogPosition } from '../../src/domain/ports/partitionLog.js';
import { NatsCluster } from '../support/cluster/natsCluster.js';
import { findNatsServer, REPLICATION_NATS } from '../support/cluster/natsServer.js';
import type { Published } from '../../src/log/logStream.js';
import { mutate } from '../support/log/mutants.js';
import { pathOf, skipWithout } from '../support/service/programs.js';
import { until } from '../support/until.js';

const nats = await findNatsServer({ atLeast: REPLICATION_NATS });
const natsTest = { skip: skipWithout(nats) };
const PARTITION = 'shard 0';
const ADDRESS = { ...logNames('test', PARTITION), base: 0 };
const PLAN = { prefix: 'test', partitions: [PARTITION], replicas: 3, secret: 'shared' };

/** Servers elect more slowly on a busy machine. */

t.test('a copy follows what an owner appends, and takes over where it ended', natsTest, async (t) => {
  const cluster = await NatsCluster.start(t, pathOf(nats));
  const servers = cluster.urls.map((_, machine) => open(t, cluster.urlsFrom(machine)));
  await Promise.all(servers.map((server) => server.connected()));
  const [first] = servers;
  if (first === undefined) return;
  await createStreams(first, PLAN);
  await t.rejects(createStreams(first, PLAN), /exists already/);
  const { identity } = await requireLog(first, 'test', PARTITION);
  t.match(identity, { cluster: /./, created: /T/ });
  t.equal(await patiently(() => findLog(first, 'test', 'shard 1')), null);

  const copies = servers.map((server, machine) => copyOf(server, identity, `instance-${machine}`));
  await Promise.all(copies.map(({ log }) => log.start()));
  const [one, two] = copies;
  if (one === undefined || two === undefined) return;
  t.ok(await one.log.claim({ term: 0, schema: 1, leaseMs: 60_000 }));
  const large = 'x'.repeat(1_300_000);
  for (const text of ['a', 'b', large]) await one.write(text);
  await untilEqual(copies);
  t.strictSame(two.texts, ['a', 'b', large], 'a large commit goes in pieces');
  t.notOk(await two.log.claim({ term: 1, schema: 1, leaseMs: 60_000 }), 'not while the lease of the owner may hold');
  await one.log.release();
  await untilEqual(copies);
  t.ok(await two.log.claim({ term: 1, schema: 1, leaseMs: 60_000 }), 'at once after a release');
  await two.write('c');
  const late = await one.write('late');
  t.equal(late, 'no', 'the former owner is fenced');
  await untilEqual(copies);
  t.strictSame(
    copies.map(({ texts }) => texts.length),
    [4, 4, 4],
  );
  t.equal(new Set(copies.map(({ log }) => log.position.chain)).size, 1);
});

t.test('a record that was refused for its place is stored when the place is right', natsTest, async (t) => {
  const cluster = await NatsCluster.start(t, pathOf(nats));
  const server = open(t, cluster.urls);
  await server.connected();
  await createStreams(server, PLAN);
  const body = Buffer.from('a record');
  const refused = async (log: JetStreamLog, expected: number): Promise<void> => {
    let answer: Published;
    do answer = await log.publish(body, expected + 5);
    while (answer.kind === 'no answer');
    t.same(answer, { kind: 'wrong place' });
  };
  const log = new JetStreamLog(server, ADDRESS);
  await refused(log, 1);
  const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
  t.equal(await appendExactly({ stream: log, now: () => performance.now(), pause }, body, 1), 'stored');
  // A server that keeps the id of a refused message takes the repetition for a duplicate, and stores nothing.
  const replace = [["{ 'Nats-Expected-Last-Sequence'", "{ 'Nats-Msg-Id': String(body), 'Nats-Expected-Last-Sequence'"]] as const;
  const broken = await mutate<{ JetStreamLog: typeof JetStreamLog }>(t, { file: 'log/jetStreamLog.js', replace }, 'log/jetStreamLog.js');
  const brokenLog = new broken.JetStreamLog(server as never, ADDRESS);
  await refused(brokenLog, 2);
  const repeated = await brokenLog.publish(body, 2);
  t.comment(`with message ids: ${JSON.stringify(repeated)}`);
  if (server.serverVersion?.startsWith('2.10.') === true) t.not(repeated.kind, 'stored');
});

function open(t: Test, urls: readonly string[]): JetStream {
  const server = new JetStream({ urls, name: 'test', onError: (error) => t.error(error) });
  t.teardown(() => server.close());
  return server;
}

interface Copy {
  readonly texts: string[];
  readonly log: PartitionLog;
  write(text: string): Promise<'stored' | 'no' | 'unknown'>;
}

function copyOf(server: JetStream, identity: LogIdentity, instance: string): Copy {
  const texts: string[] = [];
  let position: LogPosition = LOG_START;
  const file: CopyFile = {
    get position() {
      return position;
    },
    apply: (commits, now) => {
      texts.push(...commits.map((commit) => Buffer.from(commit).toString()));
      position = now;
    },
  };
  const log = new PartitionLog({
    stream: sealedLogOf(server, { secret: PLAN.secret, partition: PARTITION, address: ADDRESS, identity }),
    file,
    instance,
    folder: instance,
    leaseMs: 60_000,
    schema: 1,
    now: () => performance.now(),
    pause: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    // A late answer is no failure.
    onError: (error) => t.comment(String(error)),
  });
  const write = (text: string): Promise<'stored' | 'no' | 'unknown'> =>
    new Promise((resolve) => {
      log.append(Buffer.from(text), (error) => {
        if (error === null) texts.push(text);
        resolve(error?.isStored ?? 'stored');
      });
    });
  return { texts, log, write };
}

async function untilEqual(copies: readonly Copy[]): Promise<void> {
  const places = (): number[] => copies.map(({ log }) => log.position.applied);
  const last = Math.max(...places());
  await until(() => {
    for (const { log } of copies) log.noteRecords(last);
    return places().every((place) => place >= last);
  }, places);
}
