import t from 'tap';
import { CARD_NUMBERS } from '../../src/domain/board/laterFields.js';
import { cutIntoSlices } from '../../src/domain/document/boardPlan.js';
import { AppError } from '../../src/domain/errors.js';
import { boardKeyOf, IdSource, type Uuid } from '../../src/domain/ids.js';
import type { Change } from '../../src/domain/model.js';
import { planned } from '../support/board/plannedBoard.js';
import { bodyOf, command, TestPartition } from '../support/store/faultyStorePartition.js';

const CARDS = 450;
const DISK_FULL = new AppError('unavailable', 'The change could not be stored. Try again.', { retryAfter: 1 });

/** A board as an older program left it. */
async function importUnnumbered(partition: TestPartition): Promise<Uuid> {
  const { board, changes } = planned(CARDS);
  const older = changes.map((change): Change => {
    return change.kind === 'card' && 'put' in change ? { kind: 'card', put: { ...change.put, number: null } } : change;
  });
  await partition.send([{ kind: 'import', plan: cutIntoSlices(board, older) }]);
  return board;
}

interface Shown {
  readonly columns: ReadonlyArray<{ readonly id: Uuid; readonly cards: ReadonlyArray<{ readonly id: Uuid; readonly number: number | null }> }>;
}

async function show(partition: TestPartition, board: Uuid): Promise<Shown> {
  return JSON.parse(bodyOf(await partition.ask('board.get', board, {}))) as Shown;
}

async function numbers(partition: TestPartition, board: Uuid): Promise<Array<number | null>> {
  return (await show(partition, board)).columns.flatMap(({ cards }) => cards.map(({ number }) => number));
}

const sorted = (list: ReadonlyArray<number | null>): Array<number | null> => [...list].sort((a, b) => (a ?? 0) - (b ?? 0));

t.test('NUMBER1 a board of an older program is numbered before its first answer, in commits that stay', async (t) => {
  const commits: string[] = [];
  const partition = new TestPartition(t, { onCommit: ({ writes }) => commits.push(writes.map(({ op }) => op).join()) });
  const board = await importUnnumbered(partition);
  commits.length = 0;
  const first = await numbers(partition, board);
  t.strictSame(
    sorted(first),
    Array.from({ length: CARDS }, (_, n) => n + 1),
  );
  t.strictSame(commits, ['rows', 'rows', 'rows'], 'all copies get the same numbers');
  partition.restart();
  t.strictSame(await numbers(partition, board), first);
  t.equal(commits.length, 3, 'once');
});

t.test('NUMBER1 the highest number outlives its card, a sleep and a restart', async (t) => {
  const partition = new TestPartition(t);
  const board = await partition.newBoard();
  const column = await partition.newColumn(board);
  const input = { column_id: column, title: 'Card', description: null, position: null };
  const [, last] = [await partition.must('card.create', board, input), await partition.must('card.create', board, input)];
  await partition.must('card.delete', last.id, {});
  await partition.sleep();
  await partition.must('card.create', board, input);
  t.strictSame(await numbers(partition, board), [1, 3]);
  await partition.must('column.delete', column, {});
  partition.restart();
  await partition.must('card.create', board, { ...input, column_id: await partition.newColumn(board) });
  t.strictSame(await numbers(partition, board), [4]);
});

t.test('NUMBER1 the number of a card that was made and archived or deleted in one batch outlives a restart', async (t) => {
  const partition = new TestPartition(t);
  const board = await partition.newBoard();
  const column_id = await partition.newColumn(board);
  const input = { column_id, title: 'Card', description: null, position: null };
  for (const leave of ['card.archive', 'card.delete'] as const) {
    const id = new IdSource().onBoard(boardKeyOf(board));
    await partition.must('board.batch', board, {
      operations: [
        { op: 'card.create', target: board, input, status: 201, id },
        { op: leave, target: id, input: {}, status: 200, id: null },
      ],
    });
    partition.restart();
  }
  await partition.must('card.create', board, input);
  t.strictSame(await numbers(partition, board), [3]);
});

t.test('NUMBER1 cards are shown without numbers where these cannot be stored, and numbered after the next load', async (t) => {
  const partition = new TestPartition(t);
  const board = await importUnnumbered(partition);
  partition.store.plant({ at: 'commit', error: DISK_FULL, times: 1 });
  t.strictSame(await numbers(partition, board), Array(CARDS).fill(null));
  t.strictSame(partition.errors, [DISK_FULL]);
  t.equal((await partition.askAll([command('board.get', board, {})]))[0]?.ok, true, 'once a load');
  await partition.sleep();
  t.equal((await numbers(partition, board)).includes(null), false);
});

t.test('CLUSTER54 an import has no numbers while a program runs that would not keep them, and gets them from the next owner', async (t) => {
  const { board, changes } = planned(3);
  const older = new TestPartition(t, { schema: CARD_NUMBERS - 1 });
  await older.send([{ kind: 'import', plan: cutIntoSlices(board, changes) }]);
  t.strictSame(await numbers(older, board), [null, null, null]);
  const newer = new TestPartition(t, { schema: CARD_NUMBERS });
  await newer.send([{ kind: 'import', plan: cutIntoSlices(board, changes) }]);
  t.strictSame(await numbers(newer, board), [1, 2, 3]);
});
