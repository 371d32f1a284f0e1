import { pino } from 'pino';
import t from 'tap';
import { LocalPartitions } from '../../src/partitions/thread/localPartitions.js';
import type { BoardReply } from '../../src/partitions/messages.js';
import { AnswerCache } from '../../src/partitions/cache/answerCache.js';
import { BodyCache } from '../../src/partitions/cache/bodyCache.js';
import { addStats } from '../../src/partitions/health/partitionStats.js';
import type { OpenPartition } from '../../src/partitions/thread/threadServer.js';
import { ThreadClient } from '../../src/partitions/thread/threadClient.js';
import type { BoardCommand, BoardOperation } from '../../src/domain/commands/commands.js';
import { HANDLERS } from '../../src/domain/commands/table.js';
import type { Uuid } from '../../src/domain/ids.js';
import { boardsOf } from '../support/partitions.js';
import { ben, command } from '../support/store/faultyStorePartition.js';

const BOARD = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
/** On the same board, as its first 48 bits say. */
const CARD = 'aaaaaaaa-aaaa-4bbb-8bbb-bbbbbbbbbbbb';
const OTHER_BOARD = 'cccccccc-cccc-4ccc-8ccc-cccccccccccc';

/** Much more than the answers of most tests. */
const BUDGET_BYTES = 32 * 1024 * 1024;

/** A board whose answers count its asks; the test can hold them. */
class CountingBoard {
  asked = 0;
  now = 0;
  readonly #answers = new AnswerCache(BUDGET_BYTES, () => this.now);
  #hold: Promise<void> | null = null;

  get remembered(): AnswerCache {
    return this.#answers;
  }

  /** Holds the following asks. Returns the function that releases them. */
  hold(): () => void {
    let release = (): void => undefined;
    this.#hold = new Promise((resolve) => (release = resolve));
    return () => {
      this.#hold = null;
      release();
    };
  }

  async ask(asked: BoardCommand, answer: (count: number) => BoardReply['outcome'] = text): Promise<string> {
    const reply = await this.#answers.answer('shard 1', asked, async (): Promise<BoardReply> => {
      this.asked += 1;
      const outcome = answer(this.asked);
      await this.#hold;
      return { outcome };
    });
    const { outcome } = reply as BoardReply;
    return outcome.ok ? (outcome.json ?? `since ${outcome.position}`) : outcome.error.detail;
  }
}

function text(count: number): BoardReply['outcome'] {
  return { ok: true, json: `answer ${count}` };
}

function unchanged(count: number): BoardReply['outcome'] {
  return { ok: true, json: null, position: String(count) };
}

function refused(): BoardReply['outcome'] {
  return { ok: false, error: { code: 'not_found', detail: 'no' } };
}

function long(): BoardReply['outcome'] {
  return { ok: true, json: 'x'.repeat(16 * 1024) };
}

/** Each on a board of its own. */
function manyCards(count: number): Uuid[] {
  return Array.from({ length: count }, (_, n) => `${String(n).padStart(8, '0')}-aaaa-4bbb-8bbb-bbbbbbbbbbbb`);
}

const look = command('card.get', CARD, {});

t.test('a read is answered from the cache until the board reports a change', async (t) => {
  const board = new CountingBoard();
  t.equal(await board.ask(look), 'answer 1');
  t.equal(await board.ask(look), 'answer 1');
  board.remembered.forget(OTHER_BOARD);
  t.equal(await board.ask(look), 'answer 1', 'another board changed');
  board.remembered.forget(BOARD);
  t.equal(await board.ask(look), 'answer 2');
  board.remembered.forgetPartition('shard 2');
  t.equal(await board.ask(look), 'answer 2', 'another partition closed');
  board.remembered.forgetPartition('shard 1');
  t.equal(await board.ask(look), 'answer 3', 'its own did');
});

t.test('the cache distinguishes operation, target, caller and known position', async (t) => {
  const board = new CountingBoard();
  const questions: readonly BoardCommand[] = [
    look,
    command('card.get', CARD, {}, ben),
    command('card.get', CARD.replace('b', 'd'), {}),
    command('label.list', BOARD, {}),
    command('rule.list', BOARD, {}),
  ];
  const conditions = [command('board.get', BOARD, {}), command('board.get', BOARD, { known: ['1'] })];
  for (let round = 1; round <= 2; round += 1) {
    for (const [index, question] of questions.entries()) t.equal(await board.ask(question), `answer ${index + 1}`);
    for (const [index, question] of conditions.entries()) {
      t.equal(await board.ask(question, unchanged), `since ${questions.length + index + 1}`);
    }
  }
});

t.test('changes, refusals, files, asks of the service itself and large answers are not cached', async (t) => {
  const board = new CountingBoard();
  const tooLong = (count: number): BoardReply['outcome'] => ({ ok: true, json: `${count}`.repeat(20_000) });
  const asks: ReadonlyArray<[BoardCommand, typeof text]> = [
    [command('card.update', CARD, { title: 'x' }), text],
    [command('board.events', BOARD, { since: { epoch: '0', seq: 0 } }), text],
    [command('board.export', BOARD, {}), text],
    [command('attachment.begin', CARD, {}), text],
    [command('attachment.get', CARD, {}), text],
    [{ ...look, input: { refused: { code: 'invalid', detail: '' }, path: {} } }, text],
    [{ ...look, caller: 'system' }, text],
    [look, refused],
    [look, tooLong],
    // Cached by `BodyCache`.
    [command('board.get', BOARD, {}), text],
  ];
  for (const [asked, answer] of asks) {
    const before = board.asked;
    await board.ask(asked, answer);
    await board.ask(asked, answer);
    t.equal(board.asked, before + 2, asked.op);
  }
});

t.test('only answers of cacheable reads are cached', async (t) => {
  const board = new CountingBoard();
  const noBody = (): BoardReply['outcome'] => ({ ok: true, json: null });
  const summary = (): BoardReply['outcome'] => ({ ok: true, json: '{"id":"1","role":"owner"}' });
  for (const op of Object.keys(HANDLERS) as BoardOperation[]) {
    const handler = HANDLERS[op];
    const isCacheable = handler.effect === 'read' && handler.cacheable;
    const before = board.asked;
    const answer = op === 'board.summary' ? summary : noBody;
    for (const _time of [1, 2]) await board.ask({ op, target: BOARD, caller: { user_id: ben.id }, input: {} }, answer);
    t.equal(board.asked - before, isCacheable ? 1 : 2, op);
  }
});

t.test('a cached answer expires after a second, so that the board notices its use', async (t) => {
  const board = new CountingBoard();
  t.equal(await board.ask(look), 'answer 1');
  board.now = 999;
  t.equal(await board.ask(look), 'answer 1');
  board.now = 1_000;
  t.equal(await board.ask(look), 'answer 2');
  board.now = 1_999;
  t.equal(await board.ask(look), 'answer 2');
});

t.test('an answer under way when its board changes, or its partition closes, is not cached', async (t) => {
  const interruptions: ReadonlyArray<(answers: AnswerCache) => void> = [
    (answers) => answers.forget(BOARD),
    (answers) => answers.forgetPartition('shard 1'),
  ];
  for (const interrupt of interruptions) {
    const board = new CountingBoard();
    const letGo = board.hold();
    const early = board.ask(look);
    interrupt(board.remembered);
    const late = board.ask(look);
    letGo();
    t.strictSame(await Promise.all([early, late]), ['answer 1', 'answer 2']);
    t.equal(await board.ask(look), 'answer 2', 'the one that was asked for afterwards');
  }
});

t.test('after a partition was released and taken back the cache is empty', async (t) => {
  let asked = 0;
  const openPartition: OpenPartition = () => ({
    take(asks, done) {
      asked += asks.length;
      const value: BoardReply = { outcome: text(asked) };
      done({ replies: asks.map(({ id }) => ({ id, outcome: { ok: true, value } })), notices: [] });
    },
    stats: () => addStats([]),
    probe: () => 'works',
    close: (closed) => closed(),
  });
  const options = { log: pino({ level: 'silent' }), onNotice: () => undefined, onLost: () => undefined };
  const thread = ThreadClient.inline({ open: openPartition }, options);
  t.teardown(() => thread.close());
  const answers = new AnswerCache(BUDGET_BYTES);
  const partitions = new LocalPartitions(answers);
  partitions.start(thread, [thread]);
  const boards = boardsOf(partitions, { answers, bodies: new BodyCache(BUDGET_BYTES) });
  const ask = async (): Promise<unknown> => boards.ask(look);
  await partitions.open('shard 0');
  t.strictSame([await ask(), await ask()], [text(1), text(1)]);
  await partitions.release('shard 0');
  await t.rejects(ask(), /is being moved/);
  await partitions.open('shard 0');
  t.strictSame(await ask(), text(2));
});

t.test('the cache is bounded, and the oldest boards are evicted first', async (t) => {
  const board = new CountingBoard();
  const cards = manyCards(2_000);
  for (const card of cards) await board.ask(command('card.get', card, {}), long);
  const before = board.asked;
  await board.ask(command('card.get', cards.at(-1) ?? '', {}), long);
  t.equal(board.asked, before, 'the latest is there');
  await board.ask(command('card.get', cards[0] ?? '', {}), long);
  t.equal(board.asked, before + 1, 'the first is not');
});

t.test('an answer that is not cached, or was evicted during its ask, evicts nothing', async (t) => {
  const board = new CountingBoard();
  await board.ask(look);
  for (const card of manyCards(90_000)) await board.ask(command('card.get', card, {}), refused);
  for (const card of manyCards(2_000)) {
    const letGo = board.hold();
    const asked = board.ask(command('card.get', card, {}), long);
    board.remembered.forget(card);
    letGo();
    await asked;
  }
  const before = board.asked;
  t.equal(await board.ask(look), 'answer 1');
  t.equal(board.asked, before);
});

t.test('a failed ask is not cached', async (t) => {
  const board = new CountingBoard();
  const fail = (): never => {
    throw new Error('out of reach');
  };
  await t.rejects(board.ask(look, fail), /out of reach/);
  t.equal(await board.ask(look), 'answer 2');
});
