import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import t from 'tap';
import type { DirectoryCommand } from '../../src/domain/commands/directoryCommands.js';
import type { AskPort } from '../../src/partitions/askPort.js';
import type { PartitionCommand, PartitionName } from '../../src/partitions/messages.js';
import { MAX_PEERS, Peers, type Heartbeat } from '../../src/cluster/peers.js';
import { machineNow } from '../../src/domain/machineClock.js';
import { RemoteMessages } from '../../src/cluster/asking/remoteMessages.js';
import { RemoteServing } from '../../src/cluster/asking/remoteServing.js';
import { RemotePartitions } from '../../src/cluster/asking/remotePartitions.js';
import { encodeFrame, PROTOCOL_VERSION } from '../../src/wire/frame.js';
import { encodeItem } from '../../src/wire/item.js';
import { PeerRefusals } from '../../src/wire/peerRefusals.js';
import { FakeNetwork, OWNER } from '../support/cluster/fakeNetwork.js';
import { rejectionOf } from '../support/rejection.js';
import { INPUTS } from '../support/store/directoryInputs.js';
import { until } from '../support/until.js';

const SHARDS = 4;

/** An instance that owns everything, and another that asks it. */
function setUp() {
  const network = new FakeNetwork();
  const log: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void log.push(line) });
  const refusals = new PeerRefusals(logger);
  const asked: PartitionCommand[] = [];
  const answers: { next: unknown } = { next: null };
  const local: AskPort = {
    ask: async (_partition, command) => {
      asked.push(command);
      return answers.next;
    },
  };
  const messages = new RemoteMessages(SHARDS);
  const serving = new RemoteServing({
    onForgotten: () => undefined,
    network,
    messages: new RemoteMessages(SHARDS),
    local,
    refusals,
    log: logger,
  });
  serving.start();
  const remote = new RemotePartitions(network, messages, refusals, () => ({ id: OWNER, clockOffset: 0 }));
  const ask = (partition: PartitionName, command: unknown): Promise<unknown> => remote.ask(partition, command as PartitionCommand);
  const counted = (): Record<string, number> => {
    const [metric] = refusals.collect();
    if (metric === undefined || metric.kind === 'histogram') throw new Error('it is a counter');
    return Object.fromEntries(metric.samples.map(({ labels, value }) => [labels?.['reason'] ?? '', value]));
  };
  return { network, log, asked, answers, ask, counted, remote };
}

function boardOf(shard: number): string {
  for (;;) {
    const id = randomUUID();
    if (Number.parseInt(id.slice(0, 8), 16) % SHARDS === shard) return id;
  }
}

const get = { op: 'board.get', caller: 'system', target: boardOf(1), input: {} };

const REFUSED: ReadonlyArray<readonly [string, PartitionName, unknown, string]> = [
  ['an unknown kind', 'shard 1', { kind: 'board.compact' }, 'unsupported'],
  ['an unknown board operation', 'shard 1', { kind: 'board', command: { ...get, op: 'card.fold' } }, 'unsupported'],
  ['an unknown directory operation', 'directory', { op: 'user.forget', input: {} }, 'unsupported'],
  ['an operation that every object has', 'directory', { op: 'constructor', input: {} }, 'unsupported'],
  ['no command', 'shard 1', 'nonsense', 'malformed'],
  ['null', 'directory', null, 'malformed'],
  ['a batch without operations', 'shard 1', { kind: 'board', command: { ...get, op: 'board.batch' } }, 'malformed'],
  [
    'a batch whose operations are no list',
    'shard 1',
    { kind: 'board', command: { ...get, op: 'board.batch', input: { operations: 5 } } },
    'malformed',
  ],
  [
    'an operation of a batch without input',
    'shard 1',
    { kind: 'board', command: { ...get, op: 'board.batch', input: { operations: [{}] } } },
    'malformed',
  ],
  ['a board of another shard', 'shard 2', { kind: 'board', command: get }, 'misdirected'],
];

for (const [what, partition, command, reason] of REFUSED) {
  t.test(`CLUSTER53 ${what} is refused with 503 and counted, and the rest of its batch is carried out`, async (t) => {
    const { ask, asked, answers, counted } = setUp();
    answers.next = true;
    const known: PartitionCommand = partition === 'directory' ? { op: 'health.check', input: {} } : { kind: 'upload.start', id: 'known' };
    const [before, refused, after] = await Promise.allSettled([ask(partition, known), rejectionOf(ask(partition, command)), ask(partition, known)]);
    t.match(refused, { value: { code: 'unavailable', detail: /refused the message/, retryAfter: 5 } });
    t.strictSame([before?.status, after?.status], ['fulfilled', 'fulfilled']);
    t.strictSame(asked, [known, known], 'the others were carried out, and it was not');
    t.equal(counted()[reason], 1);
  });
}

t.test('CLUSTER53 bytes that are not a batch are answered too', async (t) => {
  const { network, counted } = setUp();
  const answers: Uint8Array[] = [];
  const receiver = { answer: (bytes: Uint8Array) => void answers.push(bytes), notServed: () => t.fail(), lost: () => t.fail() };
  const other = encodeFrame([encodeItem({ partition: 'shard 1', sentAt: machineNow() })], PROTOCOL_VERSION + 1);
  const noPartitions = ['shard 4', 'shard 01', 'shard', 'constructor'].map((partition) =>
    encodeFrame([encodeItem({ partition, sentAt: machineNow() })]),
  );
  for (const bytes of [Buffer.from('garbage'), Buffer.alloc(0), encodeFrame([]), other, ...noPartitions]) {
    network.request(OWNER, bytes, receiver);
  }
  await until(() => answers.length >= 8);
  const reader = new RemoteMessages(SHARDS);
  for (const bytes of answers) {
    const replies = reader.decodeReplies(bytes).map((decode) => decode());
    t.match(replies, [{ index: null, outcome: { ok: false, error: { code: 'unavailable', detail: /refused/ } } }]);
  }
  t.match(counted(), { malformed: 7, version: 1 });
});

t.test('CLUSTER53 an answer that cannot be read ends the wait with 503, and is counted', async (t) => {
  const { network, ask, counted } = setUp();
  network.delivers = false;
  for (const garbage of [Buffer.from('garbage'), encodeFrame([{ json: Buffer.from('{'), attachments: [] }])]) {
    const asked = rejectionOf(ask('shard 1', { kind: 'board', command: get }));
    await new Promise((resolve) => setImmediate(resolve));
    network.sent.at(-1)?.receiver.answer(garbage);
    t.match(await asked, { code: 'unavailable', retryAfter: 1 });
  }
  t.equal(counted()['malformed'], 2);
});

t.test('CLUSTER53 a refusal with a code that only newer instances know is 503', async (t) => {
  const { network, ask } = setUp();
  network.delivers = false;
  const asked = rejectionOf(ask('shard 1', { kind: 'upload.start', id: 'a' }));
  await new Promise((resolve) => setImmediate(resolve));
  const outcome = { ok: false, error: { code: 'payment_required', detail: 'Pay first', since: 7 } };
  network.sent.at(-1)?.receiver.answer(encodeFrame([encodeItem({ index: 0, outcome })]));
  t.match(await asked, { code: 'unavailable', detail: 'Pay first' });
});

t.test('a command of the directory arrives with all of its fields', async (t) => {
  const messages = new RemoteMessages(SHARDS);
  for (const [op, input] of Object.entries(INPUTS)) {
    const command = { op, input } as DirectoryCommand;
    const { commands } = messages.decodeBatch(messages.encodeBatch('directory', 0, [messages.encodeCommand(command)]));
    t.strictSame(
      commands.map((decode) => decode()),
      [command],
      op,
    );
  }
});

t.test('CLUSTER53 a flood of refused messages is one log line a minute', async (t) => {
  const log: string[] = [];
  const clock = { now: 0 };
  const logger = pino({ level: 'warn' }, { write: (line: string) => void log.push(line) });
  const refusals = new PeerRefusals(logger, () => clock.now);
  const network = new FakeNetwork();
  const messages = new RemoteMessages(SHARDS);
  const serving = new RemoteServing({ network, messages, local: { ask: async () => null }, onForgotten: () => undefined, refusals, log: logger });
  serving.start();
  const flood = (): void => {
    const receiver = { answer: () => undefined, notServed: () => undefined, lost: () => undefined };
    for (let n = 0; n < 1_000; n += 1) {
      network.deliver({ instance: OWNER, bytes: Buffer.from('garbage'), receiver, isCancelled: false });
    }
  };
  flood();
  t.equal(log.length, 1);
  t.match(JSON.parse(log[0] ?? ''), { reason: 'malformed', subject: 'an ask', refused: 1 });
  clock.now = 61_000;
  flood();
  t.equal(log.length, 2);
  t.match(JSON.parse(log[1] ?? ''), { refused: 1_000 }, 'it says how many there were');
});

t.test('CLUSTER54 a heartbeat with fields that this version does not know is understood, and an invalid one refused', async (t) => {
  const messages = new RemoteMessages(SHARDS);
  const heartbeat = heartbeatOf('a1b2');
  t.strictSame(messages.decodeHeartbeat(messages.encodeHeartbeat(heartbeat)), heartbeat);
  const newer = { ...heartbeat, load: 0.5, info: { ...heartbeat.info, region: 'north' } };
  t.strictSame(messages.decodeHeartbeat(encodeFrame([encodeItem(newer)])), heartbeat, 'unknown fields are ignored');
  for (const wrong of [{ number: -1 }, { connections: 'x' }, { info: null }, { info: { ...heartbeat.info, url: '\u001b[2J' } }]) {
    const bytes = encodeFrame([encodeItem({ ...heartbeat, ...wrong })]);
    t.throws(() => messages.decodeHeartbeat(bytes), { name: 'Refusal', reason: 'malformed' });
  }
});

t.test('CLUSTER54 however many instances send heartbeats, a bounded number is remembered', async (t) => {
  const peers = new Peers(() => 0);
  for (let n = 0; n < 2 * MAX_PEERS; n += 1) peers.receive(heartbeatOf(`instance ${n}`));
  t.equal(peers.all.length, MAX_PEERS);
});

function heartbeatOf(id: string): Heartbeat {
  const partitions: PartitionName[] = ['directory', 'shard 3'];
  const info = {
    id,
    host: 'h',
    pid: 1,
    url: 'http://a',
    version: '9.9',
    startedAt: '2026-01-01T00:00:00.000Z',
    sockets: 0,
    leaving: false,
    partitions,
  };
  return { info, number: 1, connections: 1, clock: 0, copies: [] };
}
