import t from 'tap';
import { BodyCache } from '../../src/partitions/cache/bodyCache.js';
import { AnswerCache } from '../../src/partitions/cache/answerCache.js';
import { Boards } from '../../src/partitions/boards.js';
import type { PartitionCommand, PartitionName } from '../../src/partitions/messages.js';
import type { BoardAnswer, BoardsPort } from '../../src/domain/ports/boardsPort.js';
import type { BoardCommand, BoardCommands, BoardOperation } from '../../src/domain/commands/commands.js';

const SIZE = 100;
const MUCH = 64 * 1024 * 1024;
/** Shards are found by the first digits of an id. */
const LARGE = '1a';
const SMALL = '2b';

/** Nothing is owned here, so that every ask reaches the actors. */
function boardsOver(actors: BoardsPort, bodies: BodyCache): Boards {
  const ask = async (_partition: PartitionName, command: PartitionCommand): Promise<unknown> => {
    if (!('kind' in command) || command.kind !== 'board') throw new Error('not a command of a board');
    return { outcome: await actors.ask(command.command) };
  };
  return new Boards({
    partitions: { ask, askHere: ask },
    shards: 16,
    cache: { answers: new AnswerCache(MUCH), bodies },
    local: { ownsSurely: () => false },
  });
}

/** Answers like a board: without a body if the caller knows the latest number. */
class FakeBoards implements BoardsPort {
  /** The boards whose bodies were sent, in order. */
  readonly sent: string[] = [];
  readonly seqs = new Map<string, number>();
  /** What happens while a board is asked. */
  meanwhile: () => Promise<unknown> = async () => undefined;

  async ask({ target, input }: BoardCommand): Promise<BoardAnswer> {
    const seq = this.seqs.get(target) ?? 1;
    const isKnown = (input as BoardCommands['board.get']).known?.includes(String(seq)) === true;
    if (!isKnown) this.sent.push(target);
    await this.meanwhile();
    return { ok: true, json: isKnown ? null : bodyOf(target, seq), position: String(seq) };
  }
}

function bodyOf(board: string, seq: number): string {
  return `${board} ${seq}`.padEnd(SIZE);
}

/** The client's result: the text of the answer, or null for "unchanged". */
async function get(boards: Boards, target: string, known?: string): Promise<string | null> {
  const input = known === undefined ? {} : { known: [known] };
  const answer = await boards.ask({ op: 'board.get', caller: { user_id: 'ann' }, target, input });
  if (!answer.ok) throw new Error(answer.error.detail);
  return answer.bytes === undefined ? answer.json : Buffer.from(answer.bytes).toString();
}

function bytesOf(answer: BoardAnswer): Uint8Array | undefined {
  return answer.ok ? answer.bytes : undefined;
}

t.test('a full board is sent again only if it changed', async (t) => {
  const actors = new FakeBoards();
  const boards = boardsOver(actors, new BodyCache(MUCH));
  t.equal(await get(boards, 'a'), bodyOf('a', 1));
  t.equal(await get(boards, 'a'), bodyOf('a', 1));
  t.equal(await get(boards, 'a', '1'), null, 'a caller that has it gets no body');
  t.strictSame(actors.sent, ['a']);
  actors.seqs.set('a', 2);
  t.equal(await get(boards, 'a', '1'), bodyOf('a', 2));
  t.equal(await get(boards, 'a'), bodyOf('a', 2));
  t.strictSame(actors.sent, ['a', 'a']);
});

t.test('if memory is short, the least recently used boards are evicted first', async (t) => {
  const actors = new FakeBoards();
  const boards = boardsOver(actors, new BodyCache(3 * SIZE));
  for (const board of ['a', 'b', 'c', 'a', 'd']) await get(boards, board);
  t.strictSame(actors.sent.splice(0), ['a', 'b', 'c', 'd']);
  for (const board of ['a', 'c', 'd']) await get(boards, board);
  t.strictSame(actors.sent.splice(0), [], 'they are still there');
  await get(boards, 'b');
  t.strictSame(actors.sent, ['b'], 'it was evicted');
});

t.test('a caller whose board is evicted during the ask gets the whole board', async (t) => {
  const actors = new FakeBoards();
  const boards = boardsOver(actors, new BodyCache(2 * SIZE));
  for (const known of [undefined, '0']) {
    actors.meanwhile = async () => undefined;
    await get(boards, 'a');
    actors.meanwhile = async () => {
      actors.meanwhile = async () => undefined;
      for (const other of ['b', 'c']) await get(boards, other);
    };
    t.equal(await get(boards, 'a', known), bodyOf('a', 1));
  }
});

t.test('HOSTILE21 of many parallel reads of a large board, one of each caller is under way', async (t) => {
  let underWay = 0;
  let most = 0;
  const bodies: string[] = [];
  const large = Buffer.from(new SharedArrayBuffer(300 * 1024)).fill('x');
  const actors: BoardsPort = {
    async ask({ target, input }) {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise(setImmediate);
      underWay -= 1;
      const isKnown = (input as BoardCommands['board.get']).known?.includes('1') === true;
      if (!isKnown) bodies.push(target);
      return { ok: true, json: null, position: '1', ...(isKnown ? {} : { bytes: Uint8Array.from(large) }) };
    },
  };
  const boards = boardsOver(actors, new BodyCache(MUCH));
  const caller = { user_id: 'ann' };
  const answers = await Promise.all(Array.from({ length: 100 }, () => boards.ask({ op: 'board.get', caller, target: 'a', input: {} })));
  t.equal(most, 1);
  t.strictSame(bodies, ['a'], 'only the first got a body');
  const given = new Set(answers.map(bytesOf));
  t.ok(given.size === 1, 'all the others share the cached one');
  t.notOk(given.has(undefined));
});

/** Asks for everything at once and returns the maximum number under way. */
async function askAtOnce(boards: Boards, underWay: { most: number }, commands: readonly BoardCommand[]): Promise<number> {
  underWay.most = 0;
  await Promise.all(commands.map((command) => boards.ask(command)));
  return underWay.most;
}

t.test('HOSTILE21 of a card or a list, one of each caller is under way if it is large, and all at once if it is small', async (t) => {
  const underWay = { now: 0, most: 0 };
  let bytes = new Uint8Array(600 * 1024);
  const actors: BoardsPort = {
    async ask({ op, target }) {
      underWay.now += 1;
      underWay.most = Math.max(underWay.most, underWay.now);
      await new Promise(setImmediate);
      underWay.now -= 1;
      if (op === 'card.delete') return { ok: true, json: null };
      return target === LARGE ? { ok: true, json: null, bytes } : { ok: true, json: '{}' };
    },
  };
  const boards = boardsOver(actors, new BodyCache(MUCH));
  const twenty = <Op extends BoardOperation>(op: Op, target: string, input: BoardCommand['input'] = {}): BoardCommand[] =>
    Array.from({ length: 20 }, () => ({ op, caller: { user_id: 'ann' }, target, input }));
  const lists = ['label.list', 'label.stats', 'member.list', 'rule.list', 'board.update'] as const;
  for (const op of ['card.get', ...lists] as const) {
    t.equal(await askAtOnce(boards, underWay, twenty(op, LARGE)), 1, `${op}, also while its size is unknown`);
    t.equal(await askAtOnce(boards, underWay, twenty(op, LARGE)), 1, `${op}, when it is known`);
    t.equal(await askAtOnce(boards, underWay, twenty(op, SMALL)), 19, `${op} of something small: all but the first, which shows it`);
    t.equal(await askAtOnce(boards, underWay, twenty(op, SMALL)), 20, `${op} of something small, when that is known`);
  }
  t.equal(await askAtOnce(boards, underWay, twenty('card.update', LARGE, { title: 'x' })), 1, 'changes show the whole card too');
  t.equal(await askAtOnce(boards, underWay, twenty('board.summary', LARGE)), 20, 'a list of boards has its own place');
  t.equal(await askAtOnce(boards, underWay, twenty('card.create', LARGE)), 20, 'a new card is small');
  await boards.ask({ op: 'card.delete', caller: { user_id: 'ann' }, target: LARGE, input: {} });
  t.equal(await askAtOnce(boards, underWay, twenty('card.get', LARGE)), 1, 'an answer without a body says nothing');
  bytes = new Uint8Array(10);
  await boards.ask({ op: 'card.get', caller: { user_id: 'ann' }, target: LARGE, input: {} });
  t.equal(await askAtOnce(boards, underWay, twenty('card.get', LARGE)), 20, 'it is small again');
});

t.test('asks about something of which the first got no answer, or none with a body, do not wait for one another', async (t) => {
  let underWay = 0;
  let most = 0;
  let asked = 0;
  const actors: BoardsPort = {
    async ask() {
      asked += 1;
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise(setImmediate);
      underWay -= 1;
      if (asked === 1) throw new Error('no answer');
      return { ok: true, json: null };
    },
  };
  const boards = boardsOver(actors, new BodyCache(MUCH));
  const all = Array.from({ length: 20 }, () => boards.ask({ op: 'card.get', caller: { user_id: 'ann' }, target: 'a', input: {} }));
  const ends = await Promise.allSettled(all);
  t.strictSame([ends[0]?.status, ends.filter(({ status }) => status === 'fulfilled').length, most], ['rejected', 19, 19]);
});

t.test('a board that arrives as bytes is cached and returned as bytes', async (t) => {
  const bytes = Buffer.from(bodyOf('a', 1));
  let asked = 0;
  const actors: BoardsPort = {
    async ask({ input }) {
      asked += 1;
      const isKnown = (input as BoardCommands['board.get']).known?.includes('1') === true;
      return { ok: true, json: null, position: '1', ...(isKnown ? {} : { bytes }) };
    },
  };
  const boards = boardsOver(actors, new BodyCache(MUCH));
  const caller = { user_id: 'ann' };
  for (const input of [{}, {}, { known: ['0'] }]) {
    const answer = await boards.ask({ op: 'board.get', caller, target: 'a', input });
    t.equal(bytesOf(answer), bytes, 'not a copy');
  }
  const unchanged = await boards.ask({ op: 'board.get', caller, target: 'a', input: { known: ['1'] } });
  t.strictSame(unchanged, { ok: true, json: null, position: '1' });
  t.equal(asked, 4);
});

t.test('a full board without a read for a minute is dropped when another is cached', async (t) => {
  const actors = new FakeBoards();
  let time = 0;
  const boards = boardsOver(actors, new BodyCache(MUCH, () => time));
  for (const id of ['a', 'b', 'c']) await get(boards, id);
  time = 40_000;
  await get(boards, 'a');
  time = 70_000;
  await get(boards, 'd');
  t.strictSame(actors.sent, ['a', 'b', 'c', 'd']);
  for (const id of ['a', 'd', 'b', 'c']) await get(boards, id);
  t.strictSame(actors.sent.slice(4), ['b', 'c'], 'the one that was used is still cached');
});

t.test('a cached read passes without a promise, and other instances are answered from the same cache', async (t) => {
  let asked = 0;
  const ask = async (): Promise<unknown> => ({ outcome: { ok: true, json: `answer ${(asked += 1)}` } });
  let isOwned = true;
  const cache = { answers: new AnswerCache(MUCH), bodies: new BodyCache(MUCH) };
  const boards = new Boards({ partitions: { ask, askHere: ask }, shards: 16, cache, local: { ownsSurely: () => isOwned } });
  const look: BoardCommand = { op: 'card.get', caller: { user_id: 'ann' }, target: SMALL, input: {} };
  t.ok(boards.ask(look) instanceof Promise);
  await new Promise(setImmediate);
  t.strictSame(boards.ask(look), { ok: true, json: 'answer 1' });
  t.strictSame(boards.serve(boards.shardOf(SMALL), { kind: 'board', command: look }), { outcome: { ok: true, json: 'answer 1' } });
  isOwned = false;
  t.strictSame(await boards.ask(look), { ok: true, json: 'answer 2' }, 'another instance may have changed it');
});
