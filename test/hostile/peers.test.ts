import { randomUUID } from 'node:crypto';
import t from 'tap';
import { encodeBusMessage } from '../../src/bus/busMessages.js';
import type { PublicUser } from '../../src/domain/account/user.js';
import type { PartitionName } from '../../src/partitions/messages.js';
import { encodeFrame } from '../../src/wire/frame.js';
import { temporaryFolder } from '../support/store/folder.js';
import { AttackedService, expectUnharmed, IS_LONG_FORM } from '../support/hostile/attackedService.js';
import { WITHOUT_PEAK } from '../support/hostile/processMemory.js';
import { mutateBytes, mutateFields } from '../support/cluster/mutation.js';
import { NatsProcess } from '../support/cluster/natsProcess.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { PeerAttacker } from '../support/cluster/peerAttacker.js';
import { parsePrometheus } from '../support/service/prometheusText.js';
import { pathOf, skipWithout } from '../support/service/programs.js';
import { TestSocket } from '../support/realtime/socket.js';
import { seededRandom } from '../support/seededRandom.js';
import { until } from '../support/until.js';
import { skipFile } from '../support/runner/skippedFile.js';

const nats = await findNatsServer();
const skip = skipWithout(nats) || WITHOUT_PEAK;
if (skip !== false) skipFile('CLUSTER53', skip);

const SHARDS = 4;
const METRICS_TOKEN = 'for-prometheus-alone';
/** `node dist/test/hostile/peers.test.js 100000` is the longer form. */
const MESSAGES = Number(process.argv[2] ?? 4_000);
/** Of messages that are never complete, 400 KB each. */
const PARTS = IS_LONG_FORM ? 600 : 200;
/** A thousand a second: sending must not take the processor from the service. */
const BURST = 10;
const PAUSE_MS = 5;

const server = await NatsProcess.start(t, pathOf(nats));
const dataDir = await temporaryFolder(t);
const attacked = await AttackedService.start(t, {
  DATA_DIR: dataDir,
  NATS_URL: server.url,
  SHARDS: String(SHARDS),
  SHARD_THREADS: '1',
  METRICS_TOKEN,
});
const attacker = await PeerAttacker.connect(t, server.url, dataDir, SHARDS);
const { id: boardId } = await attacked.do('POST', '/boards', { title: 'Fuzzed' });
const { id: columnId } = await attacked.do('POST', `/boards/${boardId}/columns`, { title: 'To do' });
// So that the instance subscribes to the board.
const follower = await TestSocket.join(attacked.url, boardId, attacked.attacker, { unchecked: true });
const shard: PartitionName = `shard ${Number.parseInt(boardId.slice(0, 8), 16) % SHARDS}`;
const askSubject = await attacker.findAskSubject();
const random = seededRandom(20_261_115);

const user: PublicUser = attacked.attacker.user;
const caller = { user_id: user.id };
const boardCommand = (op: string, target: string, input: object): object => ({
  kind: 'board',
  command: { op, caller, target, input },
});
const connection = { id: 7, board_id: boardId, user_id: user.id, username: user.username };
const brokenJson = new Uint8Array(Buffer.from('[{"kind":'));
const hash = '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA';

/** Valid messages of every kind. None touches the bystander's data. */
const asks = (): ReadonlyArray<readonly [partition: PartitionName, command: object]> => [
  [shard, boardCommand('board.get', boardId, {})],
  [shard, boardCommand('card.create', boardId, { column_id: columnId, title: 'x', description: null, position: null })],
  [shard, boardCommand('column.update', columnId, { title: 'y' })],
  [shard, boardCommand('member.list', boardId, {})],
  // A plan that is not JSON, for a board that is not there.
  [shard, { kind: 'import', plan: { board_id: `${boardId.slice(0, 8)}${randomUUID().slice(8)}`, slices: [brokenJson], last: brokenJson } }],
  [shard, { kind: 'upload.start', id: randomUUID() }],
  [shard, { kind: 'upload.append', id: randomUUID(), n: 0, bytes: new Uint8Array(300) }],
  [shard, { kind: 'content.read', id: randomUUID(), from: 0, to: 1_000 }],
  [shard, { kind: 'outbox.delivered', id: 999_999 }],
  [shard, { kind: 'outbox.push', after: 0 }],
  [shard, { kind: 'presence.join', connection }],
  [shard, { kind: 'presence.refresh', connections: [connection] }],
  [shard, { kind: 'presence.list', board_id: boardId }],
  [shard, { kind: 'events.read', board_id: boardId, since: 1_000_000 }],
  ['directory', { op: 'user.get', input: { id: user.id } }],
  ['directory', { op: 'user.findForLogin', input: { login: user.email } }],
  ['directory', { op: 'user.search', input: { search: 'x', limit: 5, offset: 0 } }],
  ['directory', { op: 'user.update', input: { id: user.id, now: 'now', changes: { firstname: 'F', hashed_password: hash } } }],
  ['directory', { op: 'membership.list', input: { user_id: user.id } }],
  ['directory', { op: 'outbox.push', input: { after: 0 } }],
  ['directory', { op: 'stats', input: {} }],
];
const published: ReadonlyArray<readonly [subject: string, message: Uint8Array]> = [
  ['users', encodeBusMessage({ ...user, firstname: 'forged' })],
  [`board.${boardId}.events`, encodeBusMessage({ kind: 'events', epoch: '0', events: [{ seq: 3, type: 'card.created', json: '{"type":"x"}' }] })],
  [`board.${boardId}.events`, encodeBusMessage({ kind: 'left', user_ids: [randomUUID()] })],
  [
    `board.${boardId}.events`,
    encodeBusMessage({ kind: 'presence', connection_id: 3, message: { type: 'user_left', user_id: randomUUID(), username: 'x' } }),
  ],
];

t.test('CLUSTER53 thousands of random and mutated messages on every subject harm no client', async (t) => {
  const asked: number[] = [];
  const damage = await attacked.suffer(t, async () => {
    for (let n = 0; n < MESSAGES; n += 1) {
      const garbage = Uint8Array.from({ length: random.below(200) }, () => random.below(256));
      const mutate = random.below(2) === 0 ? mutateBytes : mutateFields;
      const [partition, command] = random.pick(asks());
      const [subject, message] = random.pick(published);
      const choice = random.below(6);
      if (choice === 0) asked.push(attacker.ask(askSubject, garbage));
      else if (choice < 3) asked.push(attacker.ask(askSubject, mutate(attacker.batch(partition, command), random)));
      else if (choice === 3) attacker.publish(subject, mutate(message, random));
      else if (choice === 4) attacker.publish(random.below(2) === 0 ? subject : askSubject, garbage);
      else attacker.publishRaw(random.below(2) === 0 ? subject : askSubject, garbage);
      if (n % BURST === 0) await sent();
    }
    await attacker.flush();
    await until(() => asked.every((id) => attacker.answers.has(id)));
  });
  await expectUnharmed(t, attacked, damage);
  let understood = 0;
  for (const answer of [...attacker.answers.values()].flat()) {
    for (const decode of attacker.messages.decodeReplies(answer.subarray(1))) if ('outcome' in decode()) understood += 1;
  }
  t.ok(understood >= asked.length, 'every ask was answered in a way that its sender understands');
  await expectServing();
  const warnings = attacked.service.warnings.filter((line) => line.includes('another instance'));
  t.ok(warnings.length > 0 && warnings.length < 12, `the log is not flooded: ${warnings.length} lines`);
  t.ok((await refusedCount()) > MESSAGES / 4, 'they are counted');
});

t.test('CLUSTER53 messages that are too large, too many or never end take bounded memory', async (t) => {
  const part = (size: number): Uint8Array => {
    const bytes = Buffer.alloc(400_000);
    bytes[0] = 1;
    bytes.set(crypto.getRandomValues(new Uint8Array(8)), 1);
    bytes.writeUInt32BE(size, 13);
    return bytes;
  };
  const bomb = { json: Buffer.from(`{"value":[${'[],'.repeat(3_000_000)}[]]}`), attachments: [] };
  const deep = { json: Buffer.from(`{"value":${'['.repeat(3_000_000)}`), attachments: [] };
  const damage = await attacked.suffer(t, async () => {
    for (let n = 0; n < PARTS; n += 1) {
      attacker.publishPart(n % 2 === 0 ? askSubject : 'users', part(n % 3 === 0 ? 0xffff_ffff : 100 * 1024 * 1024));
      if (n % BURST === 0) await attacker.flush();
    }
    for (const item of [bomb, deep]) {
      const message = encodeFrame([item]);
      attacker.publish(`board.${boardId}.events`, message);
      attacker.publish('users', message);
      attacker.ask(askSubject, message);
      await attacker.flush();
    }
  });
  await expectUnharmed(t, attacked, damage);
  await expectServing();
});

async function sent(): Promise<void> {
  await attacker.flush();
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}

/** Every shard and the directory. */
async function expectServing(): Promise<void> {
  const seen = new Set<number>();
  while (seen.size < SHARDS) {
    const { id } = await attacked.do('POST', '/boards', { title: 'Afterwards' });
    seen.add(Number.parseInt(id.slice(0, 8), 16) % SHARDS);
  }
  await follower.close();
  const socket = await TestSocket.join(attacked.url, boardId, attacked.attacker, { unchecked: true });
  await attacked.do('POST', `/boards/${boardId}/columns/${columnId}/cards`, { title: 'after' });
  await socket.find(({ type }) => type === 'card.created');
  await socket.close();
}

async function refusedCount(): Promise<number> {
  const response = await fetch(`${attacked.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  const family = parsePrometheus(await response.text()).get('switchboard_peer_messages_refused_total');
  return (family?.samples ?? []).reduce((sum, { value }) => sum + value, 0);
}
