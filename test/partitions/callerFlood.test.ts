import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import t, { type Test } from 'tap';
import type { BoardCommand } from '../../src/domain/commands/commands.js';
import { MAX_CHUNK_BYTES } from '../../src/domain/ports/boardsPort.js';
import { MAX_CONTENT_UNDER_WAY } from '../../src/partitions/thread/contentQueue.js';
import { MAX_ASKS_UNDER_WAY, MAX_CHARACTERS_UNDER_WAY } from '../../src/partitions/thread/callerQueue.js';
import { decodeReplies, encodeAsks } from '../../src/partitions/thread/codec.js';
import type { Ask, BoardReply, FromThread, PartitionName } from '../../src/partitions/messages.js';
import { addStats } from '../../src/partitions/health/partitionStats.js';
import type { Partition } from '../../src/partitions/runtime/partition.js';
import { servePartitions } from '../../src/partitions/thread/threadServer.js';
import { MAX_BATCH_CHARACTERS } from '../../src/partitions/runtime/commits.js';
import { bodyOf, command, ids, TestPartition } from '../support/store/faultyStorePartition.js';

const [mallory, ben] = [ids.fresh(), ids.fresh()];
const SHARDS: readonly PartitionName[] = ['shard 0', 'shard 1', 'shard 2', 'shard 3'];
const TEXT = 'x'.repeat(10_000);
const CHUNK = new Uint8Array(MAX_CHUNK_BYTES);

/** Partitions whose asks are answered when the test says so. */
class HeldThread {
  /** Asks that the partitions have, in the order in which they got them. */
  underWay: number[] = [];
  readonly answered: number[] = [];
  readonly closed: PartitionName[] = [];
  readonly #port;
  readonly #server;
  readonly #settle = new Map<number, (answer: string) => void>();
  readonly #takeMs: number;
  #last = 0;
  #time = 0;

  /** `takeMs`: how long a partition is busy with the asks that it gets. */
  constructor(t: Test, takeMs = 0) {
    this.#takeMs = takeMs;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#server = port2;
    t.teardown(() => port1.close());
    servePartitions(port2, { open: (name) => this.#partition(name) }, () => this.#time);
    for (const [n, partition] of SHARDS.entries()) this.#server.emit('message', { kind: 'open', id: -1 - n, partition });
  }

  /** As one message; the asks go to the shards in turn. Returns the numbers of the asks. */
  ask(user_id: string, count: number, { op = 'card.update', text = 'short' } = {}): number[] {
    const asks = Array.from({ length: count }, () => this.#askOf(user_id, op, { title: text }));
    this.#server.emit('message', { kind: 'asks', asks: encodeAsks(asks) });
    return asks.map(({ id }) => id);
  }

  /** Batches of so many changes each, as one message. Returns the numbers of the asks. */
  askBatches(user_id: string, count: number, operations: number): number[] {
    const steps = Array.from({ length: operations }, () => ({ op: 'card.update', target: ids.fresh(), input: { title: 'short' } }));
    const asks = Array.from({ length: count }, () => this.#askOf(user_id, 'batch', { operations: steps }));
    this.#server.emit('message', { kind: 'asks', asks: encodeAsks(asks) });
    return asks.map(({ id }) => id);
  }

  /** Chunks for one shard, as one message with the asks of a caller behind them. */
  upload(partition: PartitionName, chunks: number, user_id?: string): { readonly content: number[]; readonly asks: number[] } {
    const content = Array.from({ length: chunks }, (_, n): Ask => {
      return { id: (this.#last += 1), partition, command: { kind: 'upload.append', id: ids.fresh(), n, bytes: CHUNK } };
    });
    const asks = user_id === undefined ? [] : [this.#askOf(user_id, 'card.update', { title: 'short' })];
    this.#server.emit('message', { kind: 'asks', asks: encodeAsks([...content, ...asks]) });
    return { content: content.map(({ id }) => id), asks: asks.map(({ id }) => id) };
  }

  release(partition: PartitionName): void {
    this.#server.emit('message', { kind: 'release', id: -100, partition });
  }

  /** Answers some of the asks that are under way; the thread then takes a turn. */
  async answer(asks: readonly number[], json = '{}'): Promise<void> {
    this.underWay = this.underWay.filter((id) => !asks.includes(id));
    for (const id of asks) this.#settle.get(id)?.(json);
    // A late answer leaves in the next turn, and the asks after it in the turn after that.
    for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
    for (let next = receiveMessageOnPort(this.#port); next !== undefined; next = receiveMessageOnPort(this.#port)) {
      const message = next.message as FromThread;
      if (message.kind === 'settled')
        this.answered.push(
          ...decodeReplies(message.replies)
            .map(({ id }) => id)
            .filter((id) => id > 0),
        );
    }
  }

  #askOf(user_id: string, op: string, input: object): Ask {
    const id = (this.#last += 1);
    const board = { op, caller: { user_id }, target: ids.fresh(), input } as unknown as BoardCommand;
    return { id, partition: SHARDS[id % SHARDS.length] ?? 'shard 0', command: { kind: 'board', command: board } };
  }

  #partition(name: PartitionName): Partition {
    return {
      take: (asks, done) => {
        this.#time += this.#takeMs;
        for (const { id } of asks) {
          this.underWay.push(id);
          const reply = (json: string): BoardReply => ({ outcome: { ok: true, json } });
          this.#settle.set(id, (json) => done({ replies: [{ id, outcome: { ok: true, value: reply(json) } }], notices: [] }));
        }
      },
      stats: () => addStats([]),
      probe: () => 'works',
      close: (closed) => {
        this.closed.push(name);
        closed();
      },
    };
  }
}

t.test('HOSTILE35 of one caller a store thread has 64 commands under way, and the others keep their order', async (t) => {
  const thread = new HeldThread(t);
  const flood = thread.ask(mallory, 200);
  t.equal(thread.underWay.length, MAX_ASKS_UNDER_WAY);
  const own = thread.ask(ben, 3);
  t.strictSame(thread.underWay.slice(MAX_ASKS_UNDER_WAY), own, 'commands of another caller do not wait');
  await thread.answer(own);
  while (thread.underWay.length > 0) {
    t.ok(thread.underWay.length <= MAX_ASKS_UNDER_WAY);
    await thread.answer(thread.underWay.slice(0, 40));
  }
  for (const shard of SHARDS.keys()) {
    const of = (asks: readonly number[]): number[] => asks.filter((id) => id % SHARDS.length === shard);
    t.strictSame(of(thread.answered), of([...own, ...flood]), 'each is carried out once');
  }
});

t.test('HOSTILE35 a batch counts as so many commands as it has operations', async (t) => {
  const thread = new HeldThread(t);
  const batches = thread.askBatches(mallory, 5, MAX_ASKS_UNDER_WAY / 2);
  t.strictSame(thread.underWay, batches.slice(0, 2), 'two are as many as a caller may have');
  const single = thread.ask(mallory, 1);
  const own = thread.ask(ben, 3);
  t.strictSame(thread.underWay.slice(2), own, 'another caller does not wait');
  await thread.answer(batches.slice(0, 1));
  t.ok(thread.underWay.includes(batches[2] ?? 0), 'the answer of one makes room for the next');
  t.notOk(thread.underWay.includes(batches[3] ?? 0) || thread.underWay.includes(single[0] ?? 0));
  const large = new HeldThread(t);
  const beyond = large.askBatches(mallory, 2, MAX_ASKS_UNDER_WAY + 36);
  t.strictSame(large.underWay, beyond.slice(0, 1), 'one that is larger than the limit goes alone');
});

t.test('HOSTILE35 a caller with less under way comes first, also behind a flood in the same message', async (t) => {
  const thread = new HeldThread(t);
  const flood = thread.ask(mallory, 100);
  const later = thread.ask(ben, 2);
  await thread.answer(flood.slice(0, 10));
  const [more, own] = [thread.ask(mallory, 10), thread.ask(ben, 1)];
  t.strictSame(thread.underWay.filter((id) => own.includes(id) || later.includes(id)).length, 3);
  t.notOk(
    more.some((id) => thread.underWay.includes(id)),
    'the flood waits for its own answers',
  );
});

t.test('HOSTILE35 when a turn is over, the other partitions get their asks in the next, and another caller comes first', async (t) => {
  const thread = new HeldThread(t, 10);
  const flood = thread.ask(mallory, 12);
  const first = thread.underWay.length;
  t.equal(first, 3, 'one of four partitions was asked');
  const [own] = thread.ask(ben, 1);
  t.equal(thread.underWay[first], own);
  for (let turn = 0; turn < 5; turn += 1) await thread.answer([]);
  t.strictSame(
    thread.underWay.toSorted((a, b) => a - b),
    [...flood, own],
  );
  for (const shard of SHARDS.keys()) {
    const of = thread.underWay.filter((id) => id % SHARDS.length === shard && id !== own);
    t.strictSame(
      of,
      of.toSorted((a, b) => a - b),
      'in order',
    );
  }
});

t.test('the content of uploads goes after the commands of its turn, a little at a time, and shards take turns', async (t) => {
  const thread = new HeldThread(t);
  const max = MAX_CONTENT_UNDER_WAY / MAX_CHUNK_BYTES;
  const first = thread.upload('shard 0', 3 * max, ben);
  t.strictSame(thread.underWay, [...first.asks, ...first.content.slice(0, max)], 'the command does not wait for it');
  const second = thread.upload('shard 1', 2);
  t.equal(thread.underWay.length, 1 + max, 'the rest waits for what is under way');
  const own = thread.ask(ben, 2);
  t.strictSame(thread.underWay.slice(1 + max), own, 'commands do not');
  await thread.answer([...own, ...first.asks, ...first.content.slice(0, max - 1)]);
  t.strictSame(thread.underWay, first.content.slice(max - 1, max), 'until all of it is answered');
  await thread.answer(thread.underWay);
  t.strictSame(thread.underWay, first.content.slice(max, 2 * max), 'the shard goes on');
  await thread.answer(thread.underWay);
  t.strictSame(thread.underWay, second.content, 'and then waits for another');
  thread.release('shard 0');
  t.strictSame(thread.underWay, [...second.content, ...first.content.slice(2 * max)], 'a shard that is given away gets its content first');
  await thread.answer(thread.underWay);
  t.strictSame(
    thread.answered.toSorted((a, b) => a - b),
    [...first.content, ...first.asks, ...second.content, ...own].toSorted((a, b) => a - b),
  );
});

t.test('HOSTILE35 long texts and answers count by their length', async (t) => {
  const thread = new HeldThread(t);
  thread.ask(mallory, 64, { text: TEXT });
  const max = Math.floor(MAX_CHARACTERS_UNDER_WAY / TEXT.length);
  t.equal(thread.underWay.length, max, 'of commands with 10 KB each');
  const [first = 0] = thread.ask(ben, 2);
  await thread.answer([first], JSON.stringify(TEXT));
  const before = thread.underWay.length;
  thread.ask(ben, 64);
  t.equal(thread.underWay.length - before, max, 'of short commands whose answers are as long');
  const other = new HeldThread(t);
  other.ask(mallory, 2, { text: TEXT.repeat(10) });
  t.equal(other.underWay.length, 1, 'one may be longer than the limit');
});

t.test('HOSTILE35 a partition that is released gets the asks that wait for it', async (t) => {
  const thread = new HeldThread(t);
  thread.ask(mallory, 200);
  thread.release('shard 1');
  t.equal(thread.underWay.length, 200);
  t.strictSame(thread.closed, ['shard 1']);
});

t.test('a commit holds 256 Ki characters of events and answers, and one command more', async (t) => {
  const partition = new TestPartition(t, { monotonic: () => 0 });
  const board = await partition.newBoard();
  const describe = (n: number): BoardCommand => command('board.update', board, { description: n + TEXT });
  partition.store.countOf('commit');
  const changes = partition.askAll(Array.from({ length: 64 }, (_, n) => describe(n)));
  t.equal(partition.store.countOf('commit'), 1);
  // Each text is in an event and in an answer.
  const inFirst = partition.replied.length - 1;
  t.ok(inFirst > 1 && (inFirst - 1) * 2 * TEXT.length < MAX_BATCH_CHARACTERS, `${inFirst} changes`);
  t.ok((await changes).every(({ ok }) => ok));
  t.match(bodyOf(await partition.ask('board.get', board, {})), /"description":"63x/, 'in their order');
});
