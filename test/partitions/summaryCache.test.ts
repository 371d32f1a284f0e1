import t from 'tap';
import type { BoardCommand } from '../../src/domain/commands/commands.js';
import type { BoardReply } from '../../src/partitions/messages.js';
import { SummaryCache } from '../../src/partitions/cache/summaryCache.js';
import { boardKeyOf, type Uuid } from '../../src/domain/ids.js';
import { ann, ben } from '../support/store/faultyStorePartition.js';

const BOARD = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const BUDGET_BYTES = 1024 * 1024;

/** Boards with a text, and the cache in front of them. */
class Boards {
  asked = 0;
  now = 0;
  text = 'first';
  readonly cache: SummaryCache;
  /** Called while a board is asked. */
  onAsk: () => void = () => undefined;

  constructor(budgetBytes = BUDGET_BYTES) {
    this.cache = new SummaryCache(budgetBytes, () => this.now);
  }

  async list(user_id: Uuid, target: Uuid = BOARD): Promise<string | null> {
    const command = { op: 'board.summary', caller: { user_id }, target, input: {} } as const;
    const reply = await this.cache.answer('shard 1', command, async (): Promise<BoardReply> => {
      this.asked += 1;
      const json = `{"text":"${this.text}","role":${JSON.stringify(user_id === ann.id ? 'owner' : 'member')}}`;
      await new Promise(setImmediate);
      this.onAsk();
      return { outcome: { ok: true, json } };
    });
    const { outcome } = reply as BoardReply;
    return outcome.ok ? outcome.json : outcome.error.detail;
  }

  change(text: string): void {
    this.text = text;
    this.cache.forget(boardKeyOf(BOARD));
  }
}

function board(n: number): Uuid {
  return `${n.toString(16).padStart(8, '0')}-aaaa-4aaa-8aaa-aaaaaaaaaaaa`;
}

t.test('a board in lists is rendered once for each member until it changes, and kept once for all', async (t) => {
  const boards = new Boards();
  for (const _time of [1, 2]) {
    t.equal(await boards.list(ann.id), '{"text":"first","role":"owner"}');
    t.equal(await boards.list(ben.id), '{"text":"first","role":"member"}', 'with the role of the caller');
  }
  t.equal(boards.asked, 2, 'each member once: only the board knows who is one');
  const one = boards.cache.bytes;
  boards.text = 'x'.repeat(10_000);
  boards.cache.forget(boardKeyOf(BOARD));
  await boards.list(ann.id);
  const before = boards.cache.bytes;
  await boards.list(ben.id);
  t.ok(boards.cache.bytes - before < 1_000, 'the second member takes no second text');
  boards.change('second');
  t.equal(await boards.list(ben.id), '{"text":"second","role":"member"}');
  boards.cache.forgetPartition('shard 1');
  t.equal(boards.cache.bytes, 0);
  t.ok(one > 0);
});

t.test('an answer under way when its board changes is not kept', async (t) => {
  const boards = new Boards();
  boards.onAsk = () => boards.change('second');
  t.equal(await boards.list(ann.id), '{"text":"first","role":"owner"}');
  boards.onAsk = () => undefined;
  t.equal(await boards.list(ann.id), '{"text":"second","role":"owner"}');
  t.equal(boards.asked, 2);
});

t.test('refusals, long summaries and other asks are not kept', async (t) => {
  const boards = new Boards();
  const refused: BoardReply = { outcome: { ok: false, error: { code: 'forbidden', detail: 'No' } } };
  const summary: BoardCommand = { op: 'board.summary', caller: { user_id: ann.id }, target: BOARD, input: {} };
  t.equal(await boards.cache.answer('shard 1', summary, async () => refused), refused);
  boards.text = 'x'.repeat(100_000);
  await boards.list(ann.id);
  t.equal(boards.cache.bytes, 0);
  const others: BoardCommand[] = [
    { ...summary, caller: 'system' },
    { ...summary, input: { refused: { code: 'invalid', detail: '' }, path: {} } },
  ];
  for (const other of others) {
    const reply: BoardReply = { outcome: { ok: true, json: '{"role":"owner"}' } };
    t.equal(await boards.cache.answer('shard 1', other, async () => reply), reply);
    t.equal(boards.cache.bytes, 0);
  }
});

t.test('lists that are longer than the cache find a part of it, and only unused boards give way', async (t) => {
  const boards = new Boards(100_000);
  boards.text = 'x'.repeat(5_000);
  const long = Array.from({ length: 20 }, (_, n) => board(n));
  const listAll = async (user: Uuid): Promise<number> => {
    const before = boards.asked;
    for (const id of long) await boards.list(user, id);
    return boards.asked - before;
  };
  t.equal(await listAll(ann.id), 20);
  t.ok(boards.cache.bytes <= 100_000);
  const second = await listAll(ann.id);
  t.ok(second <= 12, `of 20 boards ${second} are asked again`);
  boards.now = 60_000;
  const others = Array.from({ length: 8 }, (_, n) => board(100 + n));
  for (const id of others) await boards.list(ben.id, id);
  const before = boards.asked;
  for (const id of others) await boards.list(ben.id, id);
  t.ok(boards.asked - before <= 1, 'after a minute without a list the first ones give way');
  t.ok(boards.cache.bytes <= 100_000);
});
