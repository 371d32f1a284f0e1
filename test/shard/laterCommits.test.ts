import t from 'tap';
import { cutIntoSlices } from '../../src/domain/document/boardPlan.js';
import { AppError } from '../../src/domain/errors.js';
import { boardKeyOf, type Uuid } from '../../src/domain/ids.js';
import { MAX_AT_ONCE } from '../../src/domain/slices.js';
import { planned } from '../support/board/plannedBoard.js';
import { manyTurns, until } from '../support/until.js';
import { takeOverIntervals } from '../support/manualIntervals.js';
import { ann, bodyOf, command, TestPartition } from '../support/store/faultyStorePartition.js';

const DISK_FULL = new AppError('unavailable', 'The change could not be stored. Try again.', { retryAfter: 1 });

const rename = (board: Uuid, title: string) => command('board.update', board, { title });

/** A board whose column has more cards than one commit removes. */
async function crowdedBoard(partition: TestPartition): Promise<{ readonly board: Uuid; readonly column: Uuid; readonly cards: readonly Uuid[] }> {
  const board = await partition.newBoard();
  const column = await partition.newColumn(board);
  const fields = { column_id: column, title: 'Card', description: null, position: null };
  const created = await partition.askAll(Array.from({ length: 3 * MAX_AT_ONCE }, () => command('card.create', board, fields)));
  return { board, column, cards: created.map((outcome) => (JSON.parse(bodyOf(outcome)) as { id: Uuid }).id) };
}

t.test('a commit that settles at once is answered before the asks are taken, without a turn in between', async (t) => {
  const partition = new TestPartition(t);
  const board = await partition.newBoard();
  const before = partition.replied.length;
  void partition.askAll([rename(board, 'a'), command('board.get', board, {})]);
  t.equal(partition.replied.length, before + 2);
  void partition.askAll([command('board.get', board, {})]);
  t.equal(partition.replied.length, before + 3);
});

t.test('COMMIT54 while a commit is under way asks of all boards wait, and are then settled in order', async (t) => {
  const partition = new TestPartition(t);
  const [board, other] = [await partition.newBoard(), await partition.newBoard()];
  partition.replied.length = 0;
  partition.store.hold();
  const first = partition.askAll([rename(board, 'first'), command('board.get', other, {})]);
  const second = partition.askAll([command('board.get', board, {}), rename(other, 'second'), rename(board, 'third')]);
  await manyTurns();
  t.strictSame(partition.store.waiting, ['commit']);
  t.strictSame([partition.replied, partition.eventsOf(board)], [[], []], 'nothing has left');
  partition.store.takePending().settle();
  t.strictSame(partition.replied, [3, 4]);
  t.ok((await first).every(({ ok }) => ok));
  await until(() => partition.store.waiting.length > 0);
  t.strictSame(partition.replied, [3, 4], 'all that waited is the next batch, and waits for its own commit');
  partition.store.takePending().settle();
  const [shown] = await second;
  t.match(shown && bodyOf(shown), /"title":"first"/);
  t.strictSame(partition.replied, [3, 4, 5, 6, 7]);
  t.strictSame(
    partition.eventsOf(board).map(({ seq }) => seq),
    [1, 2],
  );
  partition.store.letGo();
  t.equal(await partition.lookAtDisk(board), await partition.look(board));
});

t.test('a batch that only read is answered when the store has confirmed that it is current', async (t) => {
  const partition = new TestPartition(t);
  const board = await partition.newBoard();
  partition.replied.length = 0;
  partition.store.hold();
  const read = partition.askAll([command('board.get', board, {})]);
  const write = partition.askAll([rename(board, 'after')]);
  t.strictSame(partition.store.waiting, ['confirm'], 'nothing is decided meanwhile');
  partition.store.takePending().settle();
  t.strictSame(partition.replied, [2]);
  t.match((await read).map(bodyOf), [/"title":"Plans"/]);
  await until(() => partition.store.waiting.length > 0);
  partition.store.takePending().settle();
  t.match(await write, [{ ok: true }]);
  const presence = partition.send([{ kind: 'presence.list', board_id: board }]);
  partition.store.takePending().fail(DISK_FULL);
  partition.store.takePending().settle();
  t.match(await presence, [{ ok: true, value: [] }], 'one that failed is tried again');
});

t.test('COMMIT7 a commit that fails later is undone, and each of its commands is tried alone', async (t) => {
  const partition = new TestPartition(t);
  const [board, other] = [await partition.newBoard(), await partition.newBoard()];
  const before = await partition.look(board);
  partition.store.hold();
  const outcomes = partition.askAll([rename(board, 'a'), rename(other, 'b')]);
  const waiting = partition.askAll([command('board.get', board, {})]);
  partition.store.takePending().fail(DISK_FULL);
  t.strictSame(partition.store.waiting, ['commit'], 'the first one alone');
  partition.store.takePending().fail(DISK_FULL);
  await manyTurns();
  t.strictSame(partition.store.waiting, ['commit'], 'the second one alone; the asks after them still wait');
  partition.store.letGo();
  t.match(await outcomes, [{ ok: false, error: { code: 'unavailable' } }, { ok: true }]);
  t.match((await waiting).map(bodyOf), [/"title":"Plans"/]);
  t.equal(await partition.look(board), before);
  t.equal(await partition.lookAtDisk(board), before);
});

t.test('COMMIT7 a board that is loaded while a commit is under way has nothing of it if it fails', async (t) => {
  const partition = new TestPartition(t);
  const { board, changes } = planned(3_000);
  await partition.send([{ kind: 'import', plan: cutIntoSlices(board, changes) }]);
  const other = await partition.newBoard();
  const before = await partition.look(board);
  await partition.sleep();
  partition.store.hold();
  // Both are taken in one batch: the large board begins to load inside the transaction that will fail.
  const failing = partition.askAll([rename(other, 'never'), rename(board, 'Loaded')]);
  await manyTurns();
  partition.store.takePending().fail(DISK_FULL);
  partition.store.takePending().fail(DISK_FULL);
  partition.store.letGo();
  t.match(await failing, [{ ok: false, error: { code: 'unavailable' } }, { ok: true }]);
  t.equal((await partition.look(board)).replace('Loaded', 'Imported').length, before.length, 'nothing else has changed');
  t.equal(await partition.lookAtDisk(board), await partition.look(board));
  t.match(bodyOf(await partition.ask('board.get', other, {})), /"title":"Plans"/);
});

t.test('housekeeping waits for the commit under way, and its next step for the last one', async (t) => {
  const keepHouse = takeOverIntervals(t);
  const partition = new TestPartition(t);
  const [board, doomed] = [await partition.newBoard(), (await crowdedBoard(partition)).board];
  bodyOf(await partition.ask('board.delete', doomed, {}));
  partition.passTime(8 * 86_400_000);
  const loose = (): boolean => partition.store.orphans.has(boardKeyOf(doomed));
  partition.store.hold();
  const renamed = partition.askAll([rename(board, 'a')]);
  keepHouse();
  keepHouse();
  await manyTurns();
  t.strictSame(partition.store.waiting, ['commit']);
  partition.store.takePending().settle();
  t.match(await renamed, [{ ok: true }]);
  await until(() => partition.store.waiting.length > 0);
  const read = partition.askAll([command('board.get', board, {})]);
  await manyTurns();
  t.strictSame(partition.store.waiting, ['commit'], 'the first step of the sweep; asks wait for it as for any commit');
  partition.store.takePending().settle();
  await until(() => partition.store.waiting.length > 0);
  t.strictSame(partition.store.waiting, ['confirm'], 'then the ask has its turn');
  partition.store.takePending().settle();
  t.match(await read, [{ ok: true }]);
  await until(() => partition.store.waiting.length > 0);
  partition.store.takePending().fail(DISK_FULL);
  t.strictSame(partition.errors, [DISK_FULL], 'the pruning failed, which is logged');
  partition.store.letGo();
  while (loose()) {
    keepHouse();
    await manyTurns();
  }
  t.strictSame(partition.errors, [DISK_FULL]);
});

t.test('COMMIT7 the slices of an import are stored one after another, and commands of other boards in between', async (t) => {
  const partition = new TestPartition(t);
  const other = await partition.newBoard();
  const { board, changes } = planned(1_000);
  const plan = cutIntoSlices(board, changes);
  partition.store.hold();
  partition.store.countOf('begin');
  const renamed = partition.askAll([rename(other, 'busy')]);
  const importing = partition.send([{ kind: 'import', plan }]);
  await manyTurns();
  t.equal(partition.store.countOf('begin'), 1, 'the import waits for the commit under way');
  partition.store.takePending().settle();
  await renamed;
  for (let slice = 0; slice <= plan.slices.length; slice += 1) {
    await until(() => partition.store.waiting.length > 0);
    const between = partition.askAll([rename(other, `after slice ${slice}`)]);
    await manyTurns();
    t.equal(partition.store.countOf('begin'), 1, 'one slice, and nothing else');
    partition.store.takePending().settle();
    await until(() => partition.store.waiting.length > 0);
    t.equal(partition.store.countOf('begin'), 1, 'then the command');
    partition.store.takePending().settle();
    t.match(await between, [{ ok: true }]);
  }
  t.match(await importing, [{ ok: true, value: { outcome: { ok: true } } }]);
  partition.store.letGo();
  t.match(bodyOf(await partition.ask('board.get', board, {})), /"card 999"/);
});

t.test('COMMIT7 an import is not refused because of a board whose creation then fails', async (t) => {
  const partition = new TestPartition(t);
  const { board, changes } = planned(10);
  partition.store.hold();
  const creation = partition.askAll([command('board.create', board, { title: 'New', description: null, creator: ann })]);
  const importing = partition.send([{ kind: 'import', plan: cutIntoSlices(board, changes) }]);
  await manyTurns();
  partition.store.takePending().fail(DISK_FULL);
  partition.store.takePending().fail(DISK_FULL);
  t.match(await creation, [{ ok: false, error: { code: 'unavailable' } }]);
  partition.store.letGo();
  await until(() => partition.store.waiting.length === 0);
  t.match(await importing, [{ ok: true, value: { outcome: { ok: true } } }]);
  t.match(await partition.send([{ kind: 'import', plan: cutIntoSlices(board, changes) }]), [
    { ok: true, value: { outcome: { ok: false, error: { code: 'conflict' } } } },
  ]);
});

t.test('COMMIT60 a large removal goes on when its first commit is stored, one commit after another', async (t) => {
  const partition = new TestPartition(t);
  const { board, column } = await crowdedBoard(partition);
  const other = await partition.newBoard();
  partition.store.hold();
  partition.store.countOf('begin');
  const deleted = partition.askAll([command('column.delete', column, {}), command('board.get', board, {})]);
  await manyTurns();
  t.equal(partition.store.countOf('begin'), 1, 'the rest waits for the commit of the removal');
  partition.store.takePending().settle();
  let steps = 0;
  const renamed: Promise<unknown>[] = [];
  for (; ; steps += 1) {
    await until(() => partition.store.waiting.length > 0);
    if (partition.store.waiting[0] === 'confirm') break;
    if (steps === 1) renamed.push(partition.askAll([rename(other, 'in between')]));
    await manyTurns();
    t.equal(partition.store.countOf('begin'), 1, 'one commit at a time');
    partition.store.takePending().settle();
  }
  t.ok(steps > 3);
  partition.store.letGo();
  const [, shown] = await deleted;
  t.match(shown && bodyOf(shown), /"columns":\[\]/, 'the next ask of the board comes after all of them');
  await Promise.all(renamed);
  t.equal(await partition.lookAtDisk(board), await partition.look(board));
  t.strictSame(partition.errors, []);
});

t.test('COMMIT60 a large removal whose first commit fails later removes nothing', async (t) => {
  const partition = new TestPartition(t);
  const { board, cards } = await crowdedBoard(partition);
  const label = (await partition.must('label.create', board, { name: 'Everywhere', color: '#fff' })).id;
  await partition.askAll(cards.map((card) => command('card.addLabel', card, { label_id: label })));
  const before = await partition.look(board);
  partition.store.hold();
  // Both are taken in one batch, so the second one finds the unfinished removal before its commit is settled.
  const asked = partition.askAll([command('label.delete', label, {}), command('label.list', board, {})]);
  await manyTurns();
  partition.store.takePending().fail(DISK_FULL);
  partition.store.takePending().fail(DISK_FULL);
  partition.store.letGo();
  const [deleted, shown] = await asked;
  t.match([deleted, shown], [{ ok: false, error: { code: 'unavailable' } }, { ok: true }]);
  t.equal(await partition.look(board), before);
  t.equal(await partition.lookAtDisk(board), before);
});

t.test('COMMIT60 a large removal that is interrupted later is complete in memory, and is finished after the next load', async (t) => {
  const partition = new TestPartition(t);
  const { board, column } = await crowdedBoard(partition);
  partition.store.hold();
  const deleted = partition.askAll([command('column.delete', column, {})]);
  await until(() => partition.store.waiting.length > 0);
  partition.store.takePending().settle();
  t.match(await deleted, [{ ok: true }]);
  await until(() => partition.store.waiting.length > 0);
  partition.store.takePending().fail(DISK_FULL);
  partition.store.letGo();
  const shown = await partition.look(board);
  t.match(shown, /"columns":\[\]/);
  t.strictSame(partition.errors, [DISK_FULL]);
  t.equal(await partition.lookAtDisk(board), shown);
});

t.test('COMMIT54 asks and jobs take turns, also while both always wait', async (t) => {
  const partition = new TestPartition(t);
  const other = await partition.newBoard();
  const { board, changes } = planned(2_000);
  const plan = cutIntoSlices(board, changes);
  const importing = partition.send([{ kind: 'import', plan }]);
  let isImported = false;
  void importing.then(() => (isImported = true));
  partition.store.hold();
  let answered = 0;
  const ask = (): void => {
    void partition.askAll([rename(other, `title ${answered}`)]).then(() => {
      answered += 1;
      if (!isImported) ask();
    });
  };
  ask();
  while (!isImported) {
    await until(() => partition.store.waiting.length > 0 || isImported);
    if (!isImported) partition.store.takePending().settle();
    await manyTurns();
  }
  t.match(await importing, [{ ok: true, value: { outcome: { ok: true } } }]);
  const slices = plan.slices.length + 1;
  t.ok(Math.abs(answered - slices) <= 2, `${answered} asks beside ${slices} slices`);
  partition.store.letGo();
});

t.test('COMMIT27 closing waits for the commit under way, then answers the asks before it', async (t) => {
  const partition = new TestPartition(t);
  const [board, other] = [await partition.newBoard(), await partition.newBoard()];
  partition.store.hold();
  const first = partition.askAll([rename(board, 'first')]);
  const second = partition.askAll([rename(other, 'second')]);
  const { board: imported, changes } = planned(10);
  const importing = partition.send([{ kind: 'import', plan: cutIntoSlices(imported, changes) }]);
  let isClosed = false;
  partition.close(() => (isClosed = true));
  await manyTurns();
  t.strictSame([isClosed, partition.store.waiting], [false, ['commit']]);
  t.match(await partition.askAll([rename(board, 'late')]), [{ ok: false, notHere: true }]);
  partition.store.takePending().settle();
  t.match(await first, [{ ok: true }]);
  t.strictSame([isClosed, partition.store.waiting], [false, ['commit']], 'the asks that waited are settled too');
  partition.store.takePending().settle();
  t.ok(isClosed);
  t.match(await second, [{ ok: true }]);
  t.match(await importing, [{ ok: false, notHere: true }], 'work that had not begun is for the next owner');
  partition.restart();
  t.match(bodyOf(await partition.ask('board.get', other, {})), /"title":"second"/);
  t.strictSame(partition.errors, []);
});

t.test('COMMIT27 closing waits for the job under way and starts no other', async (t) => {
  const partition = new TestPartition(t);
  const { board, column } = await crowdedBoard(partition);
  const plans = [planned(10), planned(1_000)].map(({ board, changes }) => cutIntoSlices(board, changes));
  await partition.askAll([command('column.delete', column, {})]);
  partition.store.hold();
  const imports = plans.map((plan) => partition.send([{ kind: 'import', plan }]));
  await until(() => partition.store.waiting.length > 0);
  let isClosed = false;
  partition.close(() => (isClosed = true));
  await manyTurns();
  t.notOk(isClosed);
  partition.store.takePending().settle();
  t.ok(isClosed);
  for (const outcome of await Promise.all(imports)) t.match(outcome, [{ ok: false, notHere: true }]);
  await manyTurns();
  t.strictSame(partition.errors, [], 'nothing uses the closed file');
  partition.restart();
  t.match(bodyOf(await partition.ask('board.get', board, {})), /"columns":\[\]/, 'the next owner finishes the removal');
});
