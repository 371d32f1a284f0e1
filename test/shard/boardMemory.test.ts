import t from 'tap';
import { ann, ben, bodyOf, command, ids, TestPartition } from '../support/store/faultyStorePartition.js';
import type { BoardCommand } from '../../src/domain/commands/commands.js';
import { boardKeyOf, type Uuid } from '../../src/domain/ids.js';

/** More rows than the store reads at a time, so that the board comes in several slices. */
const MANY = 1_100;

function newCard(board: Uuid, column_id: Uuid, title: string, description: string | null = null): BoardCommand {
  return command('card.create', board, { column_id, title, description, position: null });
}

async function sleepingBoardOfManyCards(partition: TestPartition): Promise<{ board: Uuid; column: Uuid }> {
  const board = await partition.newBoard('Large');
  const column = await partition.newColumn(board);
  await partition.askAll(Array.from({ length: MANY }, (_, n) => newCard(board, column, `card ${n}`)));
  await partition.sleep();
  partition.store.countOf('loadBoard');
  partition.store.countOf('readBoard');
  return { board, column };
}

function lastTitles(fullBoard: string, count: number): string[] {
  const { columns } = JSON.parse(fullBoard) as { columns: { cards: { title: string }[] }[] };
  return columns.flatMap(({ cards }) => cards.map(({ title }) => title)).slice(-count);
}

t.test('COMMIT54 a board is loaded once however many asks wait for it, and they are answered in order', async (t) => {
  const partition = new TestPartition(t);
  const { board, column } = await sleepingBoardOfManyCards(partition);
  const before = partition.replied.length;
  const batches = [[newCard(board, column, 'x'), newCard(board, column, 'y')], [newCard(board, column, 'z')], [command('board.get', board, {})]].map(
    (batch) => partition.askAll(batch),
  );
  t.equal(partition.replied.length, before, 'all of them wait');
  const full = (await Promise.all(batches)).at(-1)?.[0];
  const replied = partition.replied.slice(before);
  t.equal(replied.length, 4);
  t.strictSame(
    replied,
    replied.toSorted((a, b) => a - b),
  );
  t.ok(full?.ok);
  if (full?.ok) t.strictSame(lastTitles(bodyOf(full), 3), ['x', 'y', 'z'], 'and were done in it');
  t.equal(partition.store.countOf('readBoard'), 1);
  t.equal(partition.store.countOf('loadBoard'), 0);
});

t.test('COMMIT54 while a large board is loaded, commands to other boards are answered', async (t) => {
  const partition = new TestPartition(t);
  const other = await partition.newBoard('Small');
  const { board } = await sleepingBoardOfManyCards(partition);
  const before = partition.replied.length;
  const together = partition.askAll([command('board.get', board, {}), command('board.get', other, {})]);
  await partition.newColumn(other);
  await partition.ask('board.get', other, {});
  t.equal(partition.replied.length, before + 3, 'the large one is still being read');
  await together;
  const [first = 0] = partition.replied.slice(before).toSorted((a, b) => a - b);
  t.strictSame(partition.replied.slice(before), [first + 1, first + 2, first + 3, first], 'it was requested first');
});

t.test('HTTP6 a board that cannot be read fails only the asks for it', async (t) => {
  const partition = new TestPartition(t);
  const [board, broken] = [await partition.newBoard(), await partition.newBoard()];
  const column = await partition.newColumn(board);
  await partition.sleep();
  const fault = new Error('a page of the file is damaged');
  partition.store.plant({ at: 'readBoard', error: fault, board: boardKeyOf(broken) });
  partition.store.plant({ at: 'loadBoard', error: fault, board: boardKeyOf(broken) });
  const batch = [command('board.get', broken, {}), newCard(board, column, 'x'), command('board.get', broken, {})];
  const outcomes = await partition.askAll(batch);
  t.strictSame(
    outcomes.map((outcome) => (outcome.ok ? 'ok' : outcome.error.code)),
    ['internal', 'ok', 'internal'],
  );
  t.ok(partition.errors.includes(fault));
  partition.store.repair();
  t.equal(await partition.lookAtDisk(board), await partition.look(board));
});

t.test('HTTP6 a large board that cannot be read to its end fails all waiting asks and can be read later', async (t) => {
  const partition = new TestPartition(t);
  const { board, column } = await sleepingBoardOfManyCards(partition);
  const waiting = partition.askAll([newCard(board, column, 'x'), command('board.get', board, {})]);
  partition.store.plant({ at: 'readSlice', error: new Error('a page of the file is damaged') });
  partition.store.plant({ at: 'loadBoard', error: new Error('a page of the file is damaged') });
  t.strictSame(
    (await waiting).map((outcome) => (outcome.ok ? 'ok' : outcome.error.code)),
    ['internal', 'internal'],
  );
  partition.store.repair();
  t.strictSame(lastTitles(bodyOf(await partition.ask('board.get', board, {})), 1), [`card ${MANY - 1}`]);
});

t.test('COMMIT27 an ask that waits for a large board when its file is closed is refused as not carried out', async (t) => {
  const partition = new TestPartition(t);
  const { board, column } = await sleepingBoardOfManyCards(partition);
  const waiting = partition.send([{ kind: 'board', command: newCard(board, column, 'x') }]);
  partition.restart();
  t.match(await waiting, [{ ok: false, error: { code: 'unavailable' }, notHere: true }]);
  t.strictSame(lastTitles(bodyOf(await partition.ask('board.get', board, {})), 1), [`card ${MANY - 1}`]);
  t.strictSame(partition.errors, []);
});

t.test('COMMIT13 an idle board leaves memory and is loaded again unchanged', async (t) => {
  const partition = new TestPartition(t, { idleSeconds: 60 });
  const [board, other] = [await partition.newBoard(), await partition.newBoard()];
  const column = await partition.newColumn(board);
  await partition.askAll([newCard(board, column, 'x'), command('member.add', board, { user_id: ben.id, user: ben })]);
  const before = await partition.look(board);

  partition.passTime(30_000);
  await partition.ask('board.get', board, {});
  partition.passTime(59_000);
  await partition.ask('board.get', other, {});
  partition.store.countOf('readBoard');
  await partition.ask('board.get', board, {});
  t.equal(partition.store.countOf('readBoard'), 0, 'used within the minute, it stayed');

  partition.passTime(60_000);
  await partition.ask('board.get', other, {});
  partition.store.countOf('readBoard');
  t.equal(await partition.look(board), before);
  t.equal(partition.store.countOf('readBoard'), 1, 'unused for a minute, it had left');
});

t.test('COMMIT13 boards above the memory budget sleep, the least recently used first', async (t) => {
  // Each board weighs some 60 kB, so that three of them fit and four do not.
  const partition = new TestPartition(t, { budgetBytes: 200_000 });
  const boards: Uuid[] = [];
  for (let n = 0; n < 4; n += 1) {
    const board = await partition.newBoard();
    const column = await partition.newColumn(board);
    await partition.askAll([newCard(board, column, 'x', 'y'.repeat(18_000))]);
    boards.push(board);
  }
  t.strictSame(await whichSlept(boards), [true, false, false, false]);

  // Another board evicts two of these, and not the one that is used before.
  const [first, second, third, fourth] = boards as [Uuid, Uuid, Uuid, Uuid];
  partition.passTime(1_000);
  await partition.ask('board.get', third, {});
  const newest = await partition.newBoard();
  const column = await partition.newColumn(newest);
  await partition.askAll([newCard(newest, column, 'x', 'y'.repeat(18_000))]);
  t.strictSame(await whichSlept([fourth, second, first, third, newest]), [true, true, false, false, false]);

  async function whichSlept(inOrder: readonly Uuid[]): Promise<boolean[]> {
    const slept = new Map<Uuid, boolean>();
    // From the latest to the oldest: waking one evicts only boards that were already checked.
    for (const board of inOrder.toReversed()) {
      partition.store.countOf('readBoard');
      await partition.ask('board.get', board, {});
      slept.set(board, partition.store.countOf('readBoard') > 0);
    }
    return inOrder.map((board) => slept.get(board) ?? false);
  }
});

t.test('COMMIT13 a board above the whole budget is still served', async (t) => {
  const partition = new TestPartition(t, { budgetBytes: 1 });
  const board = await partition.newBoard();
  const column = await partition.newColumn(board);
  const before = await partition.look(board);
  partition.store.countOf('readBoard');
  t.equal(await partition.look(board), before);
  t.equal(partition.store.countOf('readBoard'), 0, 'alone, it stays awake');
  await partition.newBoard();
  t.equal((await partition.askAll([newCard(board, column, 'x')]))[0]?.ok, true);
  t.equal(partition.store.countOf('readBoard') > 0, true, 'two at a time do not fit');
});

t.test('the list of boards does not wake a sleeping board', async (t) => {
  const partition = new TestPartition(t);
  const board = await partition.newBoard('Asleep');
  const awake = bodyOf(await partition.ask('board.summary', board, {}));
  await partition.sleep();
  partition.store.countOf('readBoard');
  partition.store.countOf('loadBoard');
  t.equal(bodyOf(await partition.ask('board.summary', board, {})), awake);
  t.match(JSON.parse(awake), { title: 'Asleep', role: 'owner', members: [{ user_id: ann.id }] });
  t.match(await partition.ask('board.summary', board, {}, ben), { ok: false, error: { code: 'forbidden' } });
  t.match(await partition.ask('board.summary', ids.fresh(), {}), { ok: false, error: { code: 'not_found' } });
  t.equal(partition.store.countOf('readBoard'), 0);
  t.equal(partition.store.countOf('loadBoard'), 0);
});
