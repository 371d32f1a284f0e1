/** Instances of neighbouring versions on one folder. */
import t from 'tap';
import { encodeBusMessage } from '../../src/bus/busMessages.js';
import { packagePath } from '../../src/paths.js';
import { encodeFrame, PROTOCOL_VERSION } from '../../src/wire/frame.js';
import { encodeItem } from '../../src/wire/item.js';
import { first, SHARDS, TestCluster, type Instance } from '../support/cluster/cluster.js';
import { addCard, boardOwnedBy, readBoard, titlesOn, type ClusterBoard } from '../support/cluster/clusterBoard.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { PeerAttacker } from '../support/cluster/peerAttacker.js';
import { skipWithout } from '../support/service/programs.js';
import { TestSocket } from '../support/realtime/socket.js';
import { newUser, type TestUser } from '../support/http/users.js';
import { until } from '../support/until.js';
import { skipFile } from '../support/runner/skippedFile.js';

const skip = skipWithout(await findNatsServer());
if (skip !== false) skipFile('CLUSTER54 and CLUSTER55', skip);

const NEWER = packagePath('dist', 'test', 'support', 'service', 'newerProgram.js');
/** See newerProgram.ts. */
const INLINE = { SHARD_THREADS: '0' };

t.test('CLUSTER54 instances of which one knows an additional command share a cluster', async (t) => {
  const cluster = await TestCluster.start(t, 2);
  const [older, last] = cluster.instances;
  if (older === undefined || last === undefined) throw new Error('two were started');
  const ann = await newUser(older.api);

  // One of two is upgraded. It gets a request that only it knows, for a board owned by the older one.
  t.equal(await last.stop(), 0);
  const newer = await cluster.add(INLINE, NEWER);
  await cluster.evenlySpread();
  const board = await boardOwnedBy(cluster, older, ann);
  t.equal(await addCard(older, ann, board, 'quiet'), 201);
  const cardId = await firstCard(older, ann, board);
  const shout = () => fetch(`${newer.url}/cards/${cardId}/shout`, { method: 'POST', headers: { authorization: `Bearer ${ann.token}` } });
  for (let n = 0; n < 5; n += 1) {
    const refused = await shout();
    t.equal(refused.status, 503);
    t.equal(refused.headers.get('retry-after'), '5');
    t.match(await refused.json(), { detail: /"card.shout" is not known here/ });
  }
  t.ok(older.isRunning, 'the older one lives');

  // Everything known to both works in both directions.
  const socket = await TestSocket.join(newer.url, board.id, ann);
  for (const through of [older, newer]) t.equal(await addCard(through, ann, board, `by ${through.pid}`), 201);
  await socket.find(() => socket.events.length === 2);
  await socket.close();
  const theirs = await boardOwnedBy(cluster, newer, ann);
  for (const through of [older, newer]) t.equal(await addCard(through, ann, theirs, `by ${through.pid}`), 201);
  t.strictSame(await titlesOn(older, ann, theirs), await titlesOn(newer, ann, theirs));

  // The other one is upgraded too.
  t.equal(await older.stop(), 0);
  await cluster.add(INLINE, NEWER);
  await cluster.evenlySpread();
  const shouted = await until(async () => {
    const response = await shout();
    return response.status === 200 && ((await response.json()) as { title: string });
  });
  t.equal(shouted.title, 'QUIET');
  for (const instance of cluster.running) {
    t.strictSame((await titlesOn(instance, ann, board)).slice(0, 1), ['QUIET']);
    t.strictSame(
      instance.warnings.filter((line) => line.includes('another instance')),
      [],
    );
  }
});

t.test('CLUSTER54 an instance of another protocol version is refused and takes no part', async (t) => {
  const cluster = await TestCluster.start(t, 1);
  const instance = first(cluster.running);
  const ann = await newUser(instance.api);
  const board = await boardOwnedBy(cluster, instance, ann);
  const stranger = await PeerAttacker.connect(t, cluster.nats.url, cluster.dataDir, SHARDS);
  const info = {
    id: 'abcdef',
    host: 'h',
    pid: 1,
    url: 'http://stranger',
    version: '9.0',
    startedAt: '2026-01-01T00:00:00.000Z',
    sockets: 0,
    leaving: false,
    partitions: [],
  };
  const beat = (number: number): Uint8Array => encodeFrame([encodeItem({ info, number, connections: 1, clock: number, copies: [], mood: 'good' })]);
  // Of the version before messages were sealed.
  const former = PROTOCOL_VERSION - 1;
  for (let number = 1; number <= 20; number += 1) {
    stranger.publishRaw('instances', Buffer.concat([Buffer.from([0, 0x53, 0x57, former]), beat(number).subarray(3)]));
  }
  const lines = await until(async () => {
    const found = instance.log.filter(({ msg }) => msg === 'refused a message of another instance');
    return found.length > 0 && found;
  });
  t.equal(lines.length, 1, 'one line, however often it sends');
  const why = `an instance speaks protocol version ${former}, this one ${PROTOCOL_VERSION}:`;
  t.match(lines[0], { reason: 'version', why });
  t.equal((await cluster.overview(instance)).length, 1, 'it takes no part');
  t.equal(await addCard(instance, ann, board, 'undisturbed'), 201);

  // An instance of the same version with unknown fields in its heartbeat takes part.
  let number = 21;
  const beating = setInterval(() => stranger.publish('instances', beat((number += 1))), 100);
  t.teardown(() => clearInterval(beating));
  await until(async () => (await cluster.overview(instance)).length === 2);
  clearInterval(beating);
  await until(async () => (await cluster.overview(instance)).length === 1);
});

t.test('CLUSTER54 an instance that starts while older ones run takes nothing, says so, and takes over when they are stopped', async (t) => {
  const cluster = await TestCluster.prepare(t);
  const older = await PeerAttacker.connect(t, cluster.nats.url, cluster.dataDir, SHARDS);
  const beating = setInterval(() => older.publishRaw('instances', Buffer.from([0, 0x53, 0x57, PROTOCOL_VERSION - 1, 0, 0, 0, 0, 0])), 100);
  t.teardown(() => clearInterval(beating));
  const { api } = await cluster.add();
  t.match(await api.request('GET', '/ready'), { status: 503, body: { detail: /instances of another version run: stop them all/ } });
  clearInterval(beating);
  await until(async () => (await api.request('GET', '/ready')).status === 200);
  await newUser(api);
});

t.test('CLUSTER53 instances that get forged heartbeats share the partitions again afterwards', async (t) => {
  const cluster = await TestCluster.start(t, 2);
  const [a] = cluster.instances;
  if (a === undefined) throw new Error('two were started');
  const ann = await newUser(a.api);
  const board = await boardOwnedBy(cluster, a, ann);
  const attacker = await PeerAttacker.connect(t, cluster.nats.url, cluster.dataDir, SHARDS);
  for (let n = 0; n < 3_000; n += 1) {
    const info = {
      id: `phantom ${n % 1_500}`,
      host: '',
      pid: n,
      url: '',
      version: '',
      startedAt: '2026-01-01T00:00:00.000Z',
      sockets: 0,
      leaving: n % 7 === 0,
      partitions: n % 2 === 0 ? ['directory', 'shard 1'] : [],
    };
    attacker.publish('instances', encodeFrame([encodeItem({ info, number: n, connections: n, clock: n, copies: [] })]));
    attacker.publish('instances', Buffer.from(`garbage ${n}`));
    attacker.publish(`board.${board.id}.events`, encodeBusMessage({ kind: 'left', user_ids: [] }));
    if (n % 50 === 0) await attacker.flush();
  }
  await attacker.flush();
  await cluster.evenlySpread();
  t.equal(cluster.running.length, 2, 'both live');
  for (const through of cluster.running) {
    await until(async () => (await addCard(through, ann, board, `by ${through.pid}`)) === 201);
  }
});

async function firstCard(through: Instance, user: TestUser, board: ClusterBoard): Promise<string> {
  const { columns } = (await readBoard(through, user, board)) as { columns: Array<{ cards: Array<{ id: string }> }> };
  const id = columns[0]?.cards[0]?.id;
  if (id === undefined) throw new Error('there is a card');
  return id;
}
