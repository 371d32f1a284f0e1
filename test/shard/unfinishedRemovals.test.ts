import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { BoardCommand } from '../../src/domain/commands/commands.js';
import { AppError } from '../../src/domain/errors.js';
import type { Uuid } from '../../src/domain/ids.js';
import type { ShardCommit } from '../../src/domain/ports/shardCommit.js';
import { MAX_AT_ONCE } from '../../src/domain/slices.js';
import { ShardCheck } from '../../src/store/check/checkShard.js';
import { bodyOf, command, TestPartition } from '../support/store/faultyStorePartition.js';
import { Sqlite } from '../../src/store/sqlite/sqlite.js';

/** More than one commit removes. */
const MANY = 1_200;
const DISK_FULL = new AppError('unavailable', 'The change could not be stored. Try again.', { retryAfter: 1 });

interface Crowded {
  readonly board: Uuid;
  readonly column: Uuid;
  readonly label: Uuid;
  /** With two checklists of many items. */
  readonly card: Uuid;
}

/** A column of many cards, each with a label, and one card with many items. */
async function crowdedBoard(partition: TestPartition): Promise<Crowded> {
  const board = await partition.newBoard();
  const column = await partition.newColumn(board);
  const other = await partition.newColumn(board, 'Other');
  const label = (await partition.must('label.create', board, { name: 'Everywhere', color: '#fff' })).id;
  const cardFields = { column_id: column, title: 'Card', description: null, position: null };
  const cards = await partition.askAll(Array.from({ length: MANY }, () => command('card.create', board, cardFields)));
  const idOf = (outcome: (typeof cards)[number]): Uuid => (JSON.parse((outcome as { json: string }).json) as { id: Uuid }).id;
  await partition.askAll(cards.map((card) => command('card.addLabel', idOf(card), { label_id: label })));
  const card = (await partition.must('card.create', board, { ...cardFields, column_id: other })).id;
  for (const title of ['First', 'Second']) {
    const checklist = (await partition.must('checklist.create', card, { title })).id;
    await partition.askAll(Array.from({ length: MANY / 2 }, () => command('item.create', checklist, { content: 'Do it' })));
  }
  return { board, column, label, card };
}

/** Every step is a turn of its own. */
function slowPartition(t: Test, onCommit: (commit: ShardCommit) => void = () => undefined): TestPartition {
  let time = 0;
  return new TestPartition(t, { monotonic: () => (time += 10), onCommit });
}

interface Shown {
  readonly labels: object[];
  readonly columns: ReadonlyArray<{ readonly cards: ReadonlyArray<{ readonly labels: object[]; readonly checklists: object[] }> }>;
}

async function show(partition: TestPartition, board: Uuid): Promise<Shown> {
  return JSON.parse(bodyOf(await partition.ask('board.get', board, {}))) as Shown;
}

/** The rows in the file, open or closed. */
function inFile({ dataDir }: TestPartition): { readonly cards: number; readonly items: number; readonly unfinished: number } {
  const db = new Sqlite(join(dataDir, 'shard-00.sqlite'), { readonly: true });
  const count = (table: string): number => db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? -1;
  const counts = { cards: count('card'), items: count('item'), unfinished: count('unfinished_removal') };
  db.close();
  return counts;
}

function problemsIn({ dataDir }: TestPartition): string[] {
  const db = new Sqlite(join(dataDir, 'shard-00.sqlite'), { readonly: true });
  const check = new ShardCheck(db, { name: 'shard-00.sqlite', shard: 0, shards: 1 });
  const problems = [...check.findProblems()];
  db.close();
  return problems;
}

t.test('COMMIT60 a large removal is one event and several commits, before the next command of its board', async (t) => {
  let committed: ShardCommit[] = [];
  const partition = slowPartition(t, (commit) => committed.push(commit));
  const { board, column, label, card } = await crowdedBoard(partition);
  const other = await partition.newBoard();
  const commits = async (...commands: BoardCommand[]): Promise<number> => {
    committed = [];
    for (const outcome of await partition.askAll(commands)) bodyOf(outcome);
    // Periodic work commits as well, and writes nothing here.
    return committed.filter(({ writes }) => writes.length > 0).length;
  };
  const before = partition.eventsOf(board).length;

  const together = await commits(command('label.delete', label, {}), command('board.update', board, { title: 'After' }));
  t.equal(together, 1 + MANY / MAX_AT_ONCE + 1 + 1, 'the label, its cards, that they are done, the next command');
  let shown = await show(partition, board);
  t.strictSame(shown.labels, []);
  t.ok(shown.columns[0]?.cards.every(({ labels }) => labels.length === 0));
  t.equal(shown.columns[0]?.cards.length, MANY);

  const [deleted, missing] = await partition.askAll([command('card.delete', card, {}), command('card.get', card, {})]);
  t.match([deleted, missing], [{ ok: true }, { ok: false, error: { code: 'not_found' } }]);
  shown = await show(partition, board);
  t.strictSame(shown.columns[1]?.cards, []);
  t.match(inFile(partition), { items: 0, unfinished: 0 });

  const deletion = partition.ask('column.delete', column, {});
  const next = partition.ask('board.get', board, {});
  bodyOf(await partition.ask('board.update', other, { title: 'In between' }));
  t.ok(inFile(partition).cards > 0, 'other boards are served meanwhile');
  bodyOf(await deletion);
  shown = JSON.parse(bodyOf(await next)) as Shown;
  t.equal(shown.columns.length, 1);
  t.match(inFile(partition), { cards: 0, unfinished: 0 });
  t.strictSame(
    partition
      .eventsOf(board)
      .slice(before)
      .map(({ type }) => type),
    ['label.deleted', 'board.updated', 'card.deleted', 'column.deleted'],
  );
  const seen = await partition.look(board);
  t.equal(await partition.lookAtDisk(board), seen);
  t.strictSame(partition.errors, []);
});

t.test('COMMIT60 a large removal that a restart interrupts continues when the board is next read', async (t) => {
  const partition = slowPartition(t);
  const { board, column, label, card } = await crowdedBoard(partition);
  for (const [op, target] of [
    ['label.delete', label],
    ['card.delete', card],
    ['column.delete', column],
  ] as const) {
    bodyOf(await partition.ask(op, target, {}));
    partition.restart();
    t.equal(inFile(partition).unfinished, 1, `${op} is not finished`);
    t.strictSame(problemsIn(partition), [], 'which is no damage');
    const shown = await show(partition, board);
    const [first] = shown.columns;
    if (op === 'label.delete') t.ok(first?.cards.every(({ labels }) => labels.length === 0));
    t.equal(inFile(partition).unfinished, 0);
    t.strictSame(problemsIn(partition), []);
  }
  t.match(inFile(partition), { cards: 0, items: 0 });
  t.strictSame(partition.errors, []);
});

t.test('COMMIT60 a large removal that a disk error interrupts is complete for users, and is finished at the next read', async (t) => {
  const partition = slowPartition(t);
  const { board, column } = await crowdedBoard(partition);
  let commits = 0;
  partition.store.plant({ at: 'commit', error: DISK_FULL, when: () => (commits += 1) > 2 });
  bodyOf(await partition.ask('column.delete', column, {}));
  t.equal((await show(partition, board)).columns.length, 1);
  t.strictSame(partition.errors, [DISK_FULL], 'one line in the log');
  const left = inFile(partition);
  t.ok(left.cards > 1 && left.unfinished === 1, `${left.cards} rows are left`);
  partition.store.repair();
  bodyOf(await partition.ask('board.update', board, { title: 'Goes on' }));
  const seen = await partition.look(board);
  t.equal(await partition.lookAtDisk(board), seen);
  t.match(inFile(partition), { cards: 1, unfinished: 0 });
});

t.test('COMMIT7 a large removal whose commit fails removes nothing', async (t) => {
  const partition = slowPartition(t);
  const { board, column, label } = await crowdedBoard(partition);
  const before = await partition.look(board);
  partition.store.plant({ at: 'commit', error: DISK_FULL });
  t.match(await partition.ask('label.delete', label, {}), { ok: false, error: { code: 'unavailable' } });
  t.match(await partition.ask('column.delete', column, {}), { ok: false, error: { code: 'unavailable' } });
  partition.store.repair();
  t.equal(await partition.look(board), before);
  t.match(inFile(partition), { cards: MANY + 1, unfinished: 0 });
});
