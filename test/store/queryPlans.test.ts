/** SQLite knows nothing of how many rows a board has: it may walk through all of them where an index names a few. */
import t from 'tap';
import { Sqlite } from '../../src/store/sqlite/sqlite.js';
import { TestPartition } from '../support/store/faultyStorePartition.js';

/** An index by which only the board was looked up. */
const WHOLE_BOARD = /^SEARCH \w+ .*\(board_key=\?\)$/;
/** A query that asks for something of the board. */
const NARROWER = /board_key = (\?|@\w+) AND \w+ = (\?|@\w+)/;
const MAX_PARAMETERS = 40;

const prepared = new Map<string, readonly string[]>();
const { prepare } = Sqlite.prototype;
Sqlite.prototype.prepare = function (this: InstanceType<typeof Sqlite>, source: string) {
  if (NARROWER.test(source) && !prepared.has(source))
    prepared.set(
      source,
      planOf((sql) => prepare.call(this, sql), source),
    );
  return prepare.call(this, source);
} as typeof prepare;

function planOf(prepareOn: (sql: string) => ReturnType<typeof prepare>, source: string): string[] {
  const statement = prepareOn(`EXPLAIN QUERY PLAN ${source}`);
  const names = [...source.matchAll(/@(\w+)/g)].map(([, name]) => name ?? '');
  if (names.length > 0) return statement.all(Object.fromEntries(names.map((name) => [name, '']))).map(detailOf);
  for (let count = 0; count < MAX_PARAMETERS; count += 1) {
    try {
      return statement.all(Array<string>(count).fill('')).map(detailOf);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  throw new Error(`no plan of ${source}`);
}

function detailOf(step: unknown): string {
  return (step as { readonly detail: string }).detail;
}

t.test('what is archived, deleted, restored and forgotten is found by indexes, not by reading all of its board', async (t) => {
  const partition = new TestPartition(t, { retention: { events: 1_000, days: 7, trashDays: 30 } });
  const board = await partition.newBoard();
  const column = await partition.newColumn(board);
  const cards: string[] = [];
  for (const title of ['a', 'b']) {
    const card = (await partition.must('card.create', board, { column_id: column, title, description: null, position: null })).id;
    await partition.must('comment.create', card, { body: title });
    cards.push(card);
  }
  const [first = '', second = ''] = cards;
  await partition.must('column.archive', column, {});
  await partition.must('column.restore', column, { position: null });
  await partition.must('card.archive', first, {});
  await partition.must('card.delete', first, {});
  await partition.must('card.delete', second, {});
  await partition.must('trash.restore', board, { entry_id: second, column_id: null });
  await partition.must('trash.delete', board, { entry_id: first });
  await partition.must('column.delete', column, {});
  await partition.must('trash.delete', board, { entry_id: column });
  await partition.sleep();

  const sources = [...prepared.keys()].join('\n');
  for (const table of ['archived', 'archived_part', 'trashed_part', 'comment']) t.match(sources, new RegExp(`FROM ${table} `), table);
  const wide = [...prepared].filter(([, plan]) => plan.some((step) => WHOLE_BOARD.test(step)));
  t.strictSame(wide, []);
});
