import { MessageChannel } from 'node:worker_threads';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { Deposed } from '../../src/domain/errors.js';
import type { Uuid } from '../../src/domain/ids.js';
import { AnswerCache } from '../../src/partitions/cache/answerCache.js';
import { BodyCache } from '../../src/partitions/cache/bodyCache.js';
import { NotServedHere, OutcomeUnknown } from '../../src/partitions/askPort.js';
import { decodeReplies, encodeAsks } from '../../src/partitions/thread/codec.js';
import { LocalPartitions } from '../../src/partitions/thread/localPartitions.js';
import type { BoardReply, FromThread, PartitionName } from '../../src/partitions/messages.js';
import { WriteHealth } from '../../src/partitions/health/writeHealth.js';
import { ThreadClient } from '../../src/partitions/thread/threadClient.js';
import { servePartitions, type PartitionSource } from '../../src/partitions/thread/threadServer.js';
import { BoardMemory } from '../../src/shard/boards/boardMemory.js';
import { openShardPartition } from '../../src/shard/shardPartition.js';
import type { BoardCommand } from '../../src/domain/commands/commands.js';
import { openShard } from '../../src/store/shard/openShard.js';
import { DEFAULT_LIMITS } from '../support/board/boardLimits.js';
import { boardsOf } from '../support/partitions.js';
import { manyTurns, until } from '../support/until.js';
import { rejectionOf } from '../support/rejection.js';
import { FaultyStore } from '../support/store/faultyStore.js';
import { ann, bodyOf, command, ids } from '../support/store/faultyStorePartition.js';

/** A cached answer does not expire, and a turn does not end, on a busy machine. */
const STANDING_STILL = (): number => 0;

interface Shards {
  readonly source: PartitionSource;
  /** Of the open shards, by their number. */
  readonly stores: Map<number, FaultyStore>;
  isSourceClosed: boolean;
}

/** Two real shards whose commits the test settles. */
function twoShards(t: Test): Shards {
  const dataDir = t.testdir();
  const shards: Shards = {
    stores: new Map(),
    isSourceClosed: false,
    source: {
      open: (name, host) => {
        if (name === 'directory') throw new Error('there is no directory here');
        const shard = Number(name.slice('shard '.length));
        const store = new FaultyStore(openShard({ dataDir, shard, shards: 2, durability: 'normal' }));
        shards.stores.set(shard, store);
        const settings = { memory: new BoardMemory(1e9), idleSeconds: 300, retention: { events: 100, days: 7 }, limits: DEFAULT_LIMITS };
        return openShardPartition({ name, store, ...settings, presenceSeconds: 60, onDeposed: () => store.close() }, host);
      },
      close: () => void (shards.isSourceClosed = true),
    },
  };
  return shards;
}

interface Served extends Shards {
  readonly local: LocalPartitions;
  readonly thread: ThreadClient;
  readonly deposed: PartitionName[];
  storeOf(shard: number): FaultyStore;
  ask(command: BoardCommand, partition?: PartitionName): Promise<BoardReply['outcome']>;
}

async function serve(t: Test): Promise<Served> {
  const shards = twoShards(t);
  const deposed: PartitionName[] = [];
  const cache = { answers: new AnswerCache(1e6, STANDING_STILL), bodies: new BodyCache(1e6) };
  const local = new LocalPartitions(cache.answers);
  const boards = boardsOf(local, cache, 2);
  local.onDeposed((partition) => deposed.push(partition));
  const thread = ThreadClient.inline(shards.source, {
    log: pino({ level: 'silent' }),
    onNotice: (notice) => 'board_id' in notice && cache.answers.forget(notice.board_id),
    onLost: (error) => t.fail(String(error)),
    onDeposed: (partition) => local.deposed(partition),
  });
  t.teardown(async () => {
    for (const store of shards.stores.values()) store.letGo();
    await thread.close();
  });
  local.start(thread, [thread]);
  await local.open('shard 0');
  await local.open('shard 1');
  return Object.assign(shards, {
    local,
    thread,
    deposed,
    storeOf(shard: number) {
      const store = shards.stores.get(shard);
      if (store === undefined) throw new Error(`shard ${shard} was never opened`);
      return store;
    },
    async ask(command: BoardCommand, partition: PartitionName = 'shard 0') {
      return ((await boards.serve(partition, { kind: 'board', command })) as BoardReply).outcome;
    },
  });
}

async function newBoard({ ask }: Served, partition?: PartitionName): Promise<Uuid> {
  const creation = command('board.create', ids.fresh(), { title: 'Plans', description: null, creator: ann });
  return (JSON.parse(bodyOf(await ask(creation, partition))) as { id: Uuid }).id;
}

/** Whether it is refused as not carried out, so that it may be asked elsewhere. */
async function isMoved(asked: Promise<unknown>): Promise<boolean> {
  return (await rejectionOf(asked)) instanceof NotServedHere;
}

const rename = (board: Uuid, title: string) => command('board.update', board, { title });
const look = (board: Uuid) => command('board.get', board, {});

t.test('COMMIT54 a shard that waits for its commit delays no other shard of its thread', async (t) => {
  const served = await serve(t);
  const [here, there] = [await newBoard(served), await newBoard(served, 'shard 1')];
  served.storeOf(0).hold();
  const renamed = served.ask(rename(here, 'a'));
  t.match(await served.ask(rename(there, 'b'), 'shard 1'), { ok: true });
  served.storeOf(0).takePending().settle();
  t.match(await renamed, { ok: true });
});

t.test('a deposed partition is no longer owned or cached here, is reported once, and can be opened again', async (t) => {
  const served = await serve(t);
  const { local, deposed, ask, storeOf } = served;
  const board = await newBoard(served);
  const members = command('member.list', board, {});
  bodyOf(await ask(members));
  storeOf(0).hold();
  t.match(await ask(members), { ok: true }, 'from the cache');
  const refused = isMoved(ask(rename(board, 'a')));
  await until(() => storeOf(0).waiting.length > 0);
  storeOf(0).takePending().fail(new Deposed('no'));
  t.ok(await refused);
  await until(() => deposed.length > 0);
  t.strictSame([local.owns('shard 0'), local.owns('shard 1')], [false, true]);
  t.ok(await isMoved(ask(members)), 'also what was cached');
  await local.open('shard 0');
  t.match(bodyOf(await ask(look(board))), /"title":"Plans"/);

  storeOf(0).hold();
  const unknown = rejectionOf(ask(rename(board, 'b')));
  await until(() => storeOf(0).waiting.length > 0);
  storeOf(0).takePending().fail(new Deposed('unknown'));
  t.match(await unknown, { code: 'unavailable', detail: /not known whether/ });
  t.notOk((await unknown) instanceof NotServedHere, 'a router must not send it again');
  t.ok((await unknown) instanceof OutcomeUnknown, 'unless it has a key');
  await until(() => deposed.length > 1);
  t.strictSame(deposed, ['shard 0', 'shard 0']);
});

t.test('the replies of a turn leave before the news that the partition was deposed', async (t) => {
  const { source, stores } = twoShards(t);
  const { port1, port2 } = new MessageChannel();
  t.teardown(() => port1.close());
  const received: string[] = [];
  port1.on('message', (message: FromThread) => {
    const replies = message.kind === 'settled' ? decodeReplies(message.replies).map(({ id }) => id) : [];
    if (message.kind !== 'settled' || replies.length > 0) received.push(`${message.kind} ${replies.join()}`);
  });
  servePartitions(port2, source, STANDING_STILL);
  port1.postMessage({ kind: 'open', id: 1, partition: 'shard 0' });
  await until(() => received.length === 1);
  const store = stores.get(0);
  if (store === undefined) throw new Error('the shard is not open');
  store.plant({ at: 'commit', error: new Deposed('no') });
  const creation = command('board.create', ids.fresh(), { title: 'Plans', description: null, creator: ann });
  const asks = [2, 3].map((id) => ({ id, partition: 'shard 0', command: { kind: 'board', command: creation } }) as const);
  port1.postMessage({ kind: 'asks', asks: encodeAsks(asks) });
  await until(() => received.length === 3);
  t.strictSame(received, ['settled 1', 'settled 2,3', 'deposed ']);
});

t.test('COMMIT27 a release is answered when the last commit is settled; until then asks and opens are refused', async (t) => {
  const served = await serve(t);
  const { local, thread, ask, storeOf } = served;
  const board = await newBoard(served);
  storeOf(0).hold();
  const renamed = ask(rename(board, 'a'));
  await until(() => storeOf(0).waiting.length > 0);
  let released = 0;
  const releases = [local.release('shard 0'), thread.release('shard 0')].map((each) => each.then(() => (released += 1)));
  t.ok(await isMoved(thread.ask('shard 0', { kind: 'board', command: look(board) })));
  t.ok(await isMoved(local.open('shard 0')));
  await manyTurns();
  t.equal(released, 0);
  storeOf(0).takePending().settle();
  await Promise.all(releases);
  t.match(await renamed, { ok: true });
  await local.open('shard 0');
  t.match(bodyOf(await ask(look(board))), /"title":"a"/);
});

t.test('COMMIT27 a partition that is deposed while it is released counts as released', async (t) => {
  const served = await serve(t);
  const { local, deposed, ask, storeOf } = served;
  const board = await newBoard(served);
  storeOf(0).hold();
  const refused = isMoved(ask(rename(board, 'a')));
  await until(() => storeOf(0).waiting.length > 0);
  const released = local.release('shard 0');
  await manyTurns();
  storeOf(0).takePending().fail(new Deposed('no'));
  await released;
  t.ok(await refused);
  await manyTurns();
  t.strictSame(deposed, []);
  await local.open('shard 0');
  t.match(bodyOf(await ask(look(board))), /"title":"Plans"/);
});

t.test('COMMIT27 a thread is closed when the commits of all its partitions are settled', async (t) => {
  const served = await serve(t);
  const { thread, ask, storeOf } = served;
  const boards = [await newBoard(served), await newBoard(served, 'shard 1')] as const;
  for (const shard of [0, 1]) storeOf(shard).hold();
  const renamed = [ask(rename(boards[0], 'a')), ask(rename(boards[1], 'b'), 'shard 1')];
  await until(() => [0, 1].every((shard) => storeOf(shard).waiting.length > 0));
  let isClosed = false;
  const closing = thread.close().then(() => (isClosed = true));
  await manyTurns();
  storeOf(1).takePending().settle();
  await manyTurns();
  t.strictSame([isClosed, served.isSourceClosed], [false, false], 'one is still open');
  storeOf(0).takePending().settle();
  await closing;
  t.ok(served.isSourceClosed);
  t.match(await Promise.all(renamed), [{ ok: true }, { ok: true }]);
});

t.test('while a commit is under way a probe neither disturbs it nor says whether writes work', async (t) => {
  const { source, stores } = twoShards(t);
  const errors: unknown[] = [];
  const partition = source.open('shard 0', {
    onError: (error) => errors.push(error),
    publish: () => undefined,
    later: setImmediate,
    endTurn: () => undefined,
    deposed: () => undefined,
    isTurnOver: () => false,
  });
  t.teardown(() => partition.close(() => undefined));
  t.equal(partition.probe(), 'works');
  stores.get(0)?.hold();
  const creation = command('board.create', ids.fresh(), { title: 'Plans', description: null, creator: ann });
  const outcomes: unknown[] = [];
  partition.take([{ id: 1, partition: 'shard 0', command: { kind: 'board', command: creation } }], ({ replies }) => outcomes.push(...replies));
  t.equal(partition.probe(), 'busy');
  stores.get(0)?.letGo();
  t.match(outcomes, [{ outcome: { ok: true } }]);
  t.strictSame(errors, []);

  const sent: object[] = [];
  let [time, answer]: [number, 'busy' | 'works'] = [0, 'busy'];
  const health = new WriteHealth({ send: (message) => sent.push(message), probe: () => answer, now: () => time });
  health.failed('shard 0', new Error('full'));
  time = 10_000;
  health.probeAll();
  t.match(sent, [{ kind: 'failing' }]);
  t.equal(sent.length, 1, 'nothing is known yet');
  answer = 'works';
  health.probeAll();
  t.match(sent, [{ kind: 'failing' }, { kind: 'working', failures: 1 }]);
});
