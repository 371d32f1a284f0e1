import { mock } from 'node:test';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { NotServedHere, OutcomeUnknown, notServed, type AskPort } from '../../src/partitions/askPort.js';
import type { PartitionCommand, PartitionName } from '../../src/partitions/messages.js';
import { RemoteMessages } from '../../src/cluster/asking/remoteMessages.js';
import { RemoteServing } from '../../src/cluster/asking/remoteServing.js';
import type { RemoteOwner } from '../../src/cluster/asking/askBatch.js';
import { RememberedReplies } from '../../src/cluster/asking/rememberedReplies.js';
import { RemotePartitions } from '../../src/cluster/asking/remotePartitions.js';
import { AppError } from '../../src/domain/errors.js';
import { encodeItem } from '../../src/wire/item.js';
import { PeerRefusals } from '../../src/wire/peerRefusals.js';
import { FakeNetwork, OWNER } from '../support/cluster/fakeNetwork.js';
import { rejectionOf } from '../support/rejection.js';
import { until } from '../support/until.js';

const SHARD = 'shard 3';
const SHARDS = 16;

/** It may not be asked twice. */
const CHANGE: PartitionCommand = {
  kind: 'board',
  command: { op: 'board.update', caller: 'system', target: '00000003-0000-4000-8000-000000000000', input: { title: 'New' } },
};

function command(id: string): PartitionCommand {
  return { kind: 'upload.drop', id };
}

/** A partition that records its asks, and answers with the id of the command. */
class EchoPartition implements AskPort {
  readonly asked: string[] = [];
  answer: (id: string) => Promise<unknown> = async (id) => id;

  async ask(_partition: string, asked: PartitionCommand): Promise<unknown> {
    const { id } = asked as { id: string };
    this.asked.push(id);
    return this.answer(id);
  }
}

/** Everything that is on its way arrives. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 6; turn += 1) await new Promise(setImmediate);
}

function setUp() {
  const owners = new Map<PartitionName, string>([[SHARD, OWNER]]);
  const network = new FakeNetwork();
  const partition = new EchoPartition();
  const log = pino({ level: 'silent' });
  const refusals = new PeerRefusals(log);
  const messages = new RemoteMessages(SHARDS);
  const serving = new RemoteServing({ network, messages, local: partition, onForgotten: () => undefined, refusals, log });
  serving.start();
  const ownerOf = (name: PartitionName): RemoteOwner | null => {
    const id = owners.get(name);
    return id === undefined ? null : { id, clockOffset: 0 };
  };
  return { network, partition, remote: new RemotePartitions(network, messages, refusals, ownerOf), serving, owners };
}

t.test('the asks of one turn travel as one message, and each gets its own answer', async (t) => {
  const { network, partition, remote } = setUp();
  const ids = ['a', 'b', 'c'];
  t.strictSame(await Promise.all(ids.map((id) => remote.ask(SHARD, command(id)))), ids);
  t.strictSame(partition.asked, ids, 'in order');
  t.equal(network.sent.length, 1);
  t.ok(network.sent[0]?.isCancelled, 'the ask does not wait for more');
});

t.test('an answer in several pieces is joined', async (t) => {
  const { network, partition, remote } = setUp();
  const slow = deferred();
  partition.answer = (id) => (id === 'slow' ? slow.promise : Promise.resolve(id));
  const asks = [remote.ask(SHARD, command('slow')), remote.ask(SHARD, command('fast'))];
  t.equal(await asks[1], 'fast', 'a fast one does not wait for a slow one');
  slow.resolve('at last');
  t.equal(await asks[0], 'at last');
  t.equal(network.sent.length, 1);
});

t.test('a batch that would be too large for one message is sent as several', async (t) => {
  const { network, partition, remote } = setUp();
  const bytes = new Uint8Array(64 * 1024);
  const asks = Array.from({ length: 10 }, (_, n) => remote.ask(SHARD, { kind: 'upload.append', id: `${n}`, n, bytes }));
  await Promise.all(asks);
  t.strictSame(
    partition.asked,
    asks.map((_ask, n) => `${n}`),
    'in order',
  );
  t.ok(network.sent.length >= 3);
  for (const request of network.sent) t.ok(request.bytes.length < 300 * 1024);
});

t.test('CLUSTER11 refusals keep their code and text; faults travel without their text', async (t) => {
  const { partition, remote } = setUp();
  partition.answer = () => Promise.reject(new AppError('conflict', 'taken'));
  await t.rejects(remote.ask(SHARD, command('a')), { code: 'conflict', detail: 'taken' });
  partition.answer = () => Promise.reject(new Error('a secret'));
  await t.rejects(remote.ask(SHARD, command('a')), { code: 'internal', detail: 'Internal Server Error' });
  partition.answer = () => Promise.reject(notServed(SHARD));
  await rejectsWith(t, remote.ask(SHARD, command('a')), NotServedHere, 'the owner has released it');
  partition.answer = () => Promise.reject(new OutcomeUnknown('It is not known whether the change was stored.'));
  await rejectsWith(t, remote.ask(SHARD, command('a')), OutcomeUnknown, 'the owner was deposed');
});

t.test('CLUSTER8 an ask that was not looked at is distinguished from one with an unknown outcome', async (t) => {
  const { network, partition, remote, owners } = setUp();
  await rejectsWith(t, remote.ask('shard 4', command('a')), NotServedHere, 'no instance owns it');
  network.delivers = false;
  const lost = remote.ask(SHARD, command('a'));
  setImmediate(() => network.sent.at(-1)?.receiver.lost());
  await rejectsWith(t, lost, OutcomeUnknown, 'the connection was lost');
  const abandoned = remote.ask(SHARD, command('a'));
  setImmediate(() => remote.abandon(OWNER));
  await rejectsWith(t, abandoned, OutcomeUnknown, 'its owner stopped sending heartbeats');
  network.connected = false;
  await rejectsWith(t, remote.ask(SHARD, command('a')), NotServedHere, 'there is no connection');
  network.connected = true;
  network.delivers = true;
  partition.answer = () => Promise.reject(notServed(SHARD));
  await rejectsWith(t, remote.ask(SHARD, command('a')), NotServedHere, 'its owner gave it away');
  owners.set(SHARD, 'gone');
  await rejectsWith(t, remote.ask(SHARD, command('a')), NotServedHere, 'its owner is not connected');
});

/** The answer of a partition to a change. */
const STORED = { outcome: { ok: true, json: '{}' } };

t.test('CLUSTER8 when answers may be lost, what may be asked twice is given back at once, and a change that waits is not disturbed', async (t) => {
  const { partition, remote } = setUp();
  const slow = deferred();
  partition.answer = (id) => (id === 'read' ? new Promise(() => undefined) : slow.promise);
  const read = remote.ask(SHARD, command('read'));
  const change = remote.ask(SHARD, CHANGE);
  await turns();
  remote.repeat(OWNER);
  await rejectsWith(t, read, OutcomeUnknown, 'the router asks again');
  await turns();
  slow.resolve(STORED);
  t.strictSame(await change, STORED);
  t.equal(partition.asked.length, 2);
});

t.test('CLUSTER62 a change whose answer was lost is answered again, and carried out once', async (t) => {
  const { network, partition, remote } = setUp();
  partition.answer = () => Promise.resolve(STORED);
  network.losesAnswers = true;
  const changes = [remote.ask(SHARD, CHANGE), remote.ask(SHARD, CHANGE)];
  await turns();
  t.equal(partition.asked.length, 2);
  remote.repeat(OWNER);
  await turns();
  network.losesAnswers = false;
  remote.repeat(OWNER);
  t.strictSame(await Promise.all(changes), [STORED, STORED]);
  t.equal(partition.asked.length, 2, 'each once');
  t.ok(
    network.sent.every(({ isCancelled }) => isCancelled),
    'nothing waits for more',
  );
});

t.test('CLUSTER62 a change that was lost on its way is carried out when it is sent again, and not when it arrives after all', async (t) => {
  const { network, partition, remote } = setUp();
  partition.answer = () => Promise.resolve(STORED);
  network.delivers = false;
  const change = remote.ask(SHARD, CHANGE);
  await turns();
  network.delivers = true;
  remote.repeat(OWNER);
  t.strictSame(await change, STORED);
  const [late] = network.sent;
  if (late !== undefined) network.deliver(late);
  await turns();
  t.equal(partition.asked.length, 1);
});

t.test('CLUSTER62 a change outlives the connection of its asker', async (t) => {
  const { network, partition, remote } = setUp();
  partition.answer = () => Promise.resolve(STORED);
  network.losesAnswers = true;
  const change = remote.ask(SHARD, CHANGE);
  await turns();
  network.losesAnswers = false;
  network.reconnect();
  t.strictSame(await change, STORED);
  t.equal(partition.asked.length, 1);
});

t.test('CLUSTER62 if the owner is gone, or has forgotten it, the outcome of a change is unknown', async (t) => {
  const { network, remote, owners } = setUp();
  owners.set(SHARD, 'gone');
  network.delivers = false;
  const change = remote.ask(SHARD, CHANGE);
  await turns();
  network.delivers = true;
  remote.repeat('gone');
  await rejectsWith(t, change, OutcomeUnknown, 'it may have been carried out');

  const long = setUp();
  long.network.losesAnswers = true;
  long.partition.answer = () => Promise.resolve(STORED);
  const forgotten = long.remote.ask(SHARD, CHANGE);
  await turns();
  // More than is remembered.
  const large = { outcome: { ok: true, json: JSON.stringify('x'.repeat(1024 * 1024)) } };
  long.partition.answer = () => Promise.resolve(large);
  const others = Array.from({ length: 9 }, () => long.remote.ask(SHARD, CHANGE).catch(() => undefined));
  await until(() => long.partition.asked.length === 10);
  await turns();
  long.network.losesAnswers = false;
  long.remote.repeat(OWNER);
  await rejectsWith(t, forgotten, OutcomeUnknown, 'it is forgotten');
  await Promise.all(others);
  t.equal(long.partition.asked.length, 10, 'and nothing was done twice');
});

t.test('CLUSTER62 replies are remembered for a while, and it is known from when on all are', async (t) => {
  let now = 0;
  const remembered = new RememberedReplies(() => now);
  const item = encodeItem('a reply');
  remembered.remember('a', 0, Promise.resolve(item));
  now = 14_999;
  remembered.remember('b', 0, Promise.resolve(item));
  t.equal(await remembered.find('a', 0), item);
  t.ok(remembered.covers(-1_000_000), 'nothing is forgotten');
  now = 15_000;
  remembered.remember('c', 0, Promise.resolve(item));
  t.equal(remembered.find('a', 0), null);
  t.equal(await remembered.find('b', 0), item);
  t.notOk(remembered.covers(0));
  t.notOk(remembered.covers(1_000), 'the clock of the asker may be misjudged');
  t.ok(remembered.covers(1_001));
});

t.test('CLUSTER8 an ask that was sent to an instance that died ends although another instance owns the partition by then', async (t) => {
  const { network, remote, owners } = setUp();
  network.delivers = false;
  const sentToTheDead = remote.ask(SHARD, command('a'));
  await new Promise((resolve) => setImmediate(resolve));
  owners.set(SHARD, 'successor');
  const sentToTheSuccessor = remote.ask(SHARD, command('b'));
  await new Promise((resolve) => setImmediate(resolve));
  remote.abandon(OWNER);
  await rejectsWith(t, sentToTheDead, OutcomeUnknown, 'nobody will answer');
  t.strictSame(
    network.sent.map(({ isCancelled }) => isCancelled),
    [true, false],
    'the successor may still answer',
  );
  remote.abandon('successor');
  await rejectsWith(t, sentToTheSuccessor, OutcomeUnknown, 'until it dies too');
});

t.test('CLUSTER8 an unanswered ask ends after a deadline', async (t) => {
  const { network, remote } = setUp();
  network.delivers = false;
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  const ask = remote.ask(SHARD, command('a'));
  const rejected = rejectsWith(t, ask, OutcomeUnknown, 'the outcome is unknown');
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(network.sent.length, 1);
  mock.timers.tick(10_000);
  await rejected;
});

t.test('CLUSTER8 a batch that arrives late is not carried out', async (t) => {
  const { network, partition, remote } = setUp();
  network.delivers = false;
  const ask = remote.ask(SHARD, command('a'));
  const rejected = rejectsWith(t, ask, NotServedHere, 'and may be sent again');
  await new Promise((resolve) => setImmediate(resolve));
  const [request] = network.sent;
  if (request === undefined) throw new Error('it was sent');
  // As after a freeze: it was sent long ago.
  const later = process.hrtime.bigint() + 1_500_000_000n;
  mock.method(process.hrtime, 'bigint', () => later);
  t.teardown(() => mock.restoreAll());
  network.deliver(request);
  await rejected;
  t.strictSame(partition.asked, []);
});

t.test('CLUSTER8 setting the time of day makes no batch late', async (t) => {
  const { partition, remote } = setUp();
  const ask = remote.ask(SHARD, command('a'));
  await new Promise((resolve) => setImmediate(resolve));
  const later = Date.now() + 3_600_000;
  mock.method(Date, 'now', () => later);
  t.teardown(() => mock.restoreAll());
  t.equal(await ask, 'a');
  t.strictSame(partition.asked, ['a']);
});

t.test('CLUSTER21 an owner that leaves waits for the answers to earlier asks', async (t) => {
  const { partition, remote, serving } = setUp();
  const slow = deferred();
  partition.answer = () => slow.promise;
  const ask = remote.ask(SHARD, command('a'));
  await until(() => partition.asked.length > 0);
  let answered = false;
  const all = serving.stop().then(() => (answered = true));
  await new Promise((resolve) => setImmediate(resolve));
  t.notOk(answered);
  slow.resolve('done');
  t.equal(await ask, 'done');
  await all;
});

t.test('CLUSTER21 what may be asked twice does not wait for an owner that has left; a change waits for its answer', async (t) => {
  const { network, partition, remote } = setUp();
  partition.answer = () => Promise.resolve(STORED);
  network.delivers = false;
  const [read, change] = [remote.ask(SHARD, command('a')), remote.ask(SHARD, CHANGE)];
  await turns();
  remote.leave(OWNER);
  await rejectsWith(t, read, OutcomeUnknown, 'its caller asks the next owner');
  t.equal(network.sent.length, 1, 'nothing is sent to the owner that left');
  const [sent] = network.sent;
  t.equal(sent?.isCancelled, false);
  if (sent !== undefined) network.deliver(sent);
  t.strictSame(await change, STORED);
});

function deferred(): { readonly promise: Promise<unknown>; resolve(value: unknown): void } {
  let resolve: (value: unknown) => void = () => undefined;
  const promise = new Promise((resolved) => {
    resolve = resolved;
  });
  return { promise, resolve };
}

async function rejectsWith(t: Test, promise: Promise<unknown>, kind: typeof NotServedHere | typeof OutcomeUnknown, message: string): Promise<void> {
  const error = await rejectionOf(promise);
  t.ok(error instanceof kind, message);
  t.match(error, { code: 'unavailable', retryAfter: 1 });
}
