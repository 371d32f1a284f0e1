import t from 'tap';
import { ann, ben, bodyOf, command, ids, TestStation } from '../support/store/faultyStoreStation.js';
import type { BoardCommand } from '../../src/domain/commands/commands.js';
import { boardKeyOf, type Uuid } from '../../src/domain/ids.js';

/** More rows than the store reads at a time, so that the board comes in several slices. */
const MANY = 1_100;

function newCard(board: Uuid, column_id: Uuid, title: string, description: string | null = null): BoardCommand {
  return command('card.create', board, { column_id, title, description, position: null });
}

async function sleepingBoardOfManyCards(station: TestStation): Promise<{ board: Uuid; column: Uuid }> {
  const board = await station.newBoard('Large');
  const column = await station.newColumn(board);
  await station.askAll(Array.from({ length: MANY }, (_, n) => newCard(board, column, `card ${n}`)));
  await station.sleep();
  station.store.countOf('loadBoard');
  station.store.countOf('readBoard');
  return { board, column };
}

function lastTitles(fullBoard: string, count: number): string[] {
  const { columns } = JSON.parse(fullBoard) as { columns: { cards: { title: string }[] }[] };
  return columns.flatMap(({ cards }) => cards.map(({ title }) => title)).slice(-count);
}

t.test('ACTOR8 a board is read once however many wait for it, and they are answered in their order', async (t) => {
  const station = new TestStation(t);
  const { board, column } = await sleepingBoardOfManyCards(station);
  const before = station.replied.length;
  const batches = [
    [newCard(board, column, 'x'), newCard(board, column, 'y')],
    [newCard(board, column, 'z')],
    [command('board.get', board, {})],
  ].map((batch) => station.askAll(batch));
  t.equal(station.replied.length, before, 'all of them wait');
  const full = (await Promise.all(batches)).at(-1)?.[0];
  const replied = station.replied.slice(before);
  t.equal(replied.length, 4);
  t.strictSame(replied, replied.toSorted((a, b) => a - b));
  t.ok(full?.ok);
  if (full?.ok) t.strictSame(lastTitles(bodyOf(full), 3), ['x', 'y', 'z'], 'and were done in it');
  t.equal(station.store.countOf('readBoard'), 1);
  t.equal(station.store.countOf('loadBoard'), 0);
});

t.test('ACTOR9 while a large board is read, commands to other boards are answered', async (t) => {
  const station = new TestStation(t);
  const other = await station.newBoard('Small');
  const { board } = await sleepingBoardOfManyCards(station);
  const before = station.replied.length;
  const together = station.askAll([command('board.get', board, {}), command('board.get', other, {})]);
  await station.newColumn(other);
  await station.ask('board.get', other, {});
  t.equal(station.replied.length, before + 3, 'the large one is still being read');
  await together;
  const [first = 0] = station.replied.slice(before).toSorted((a, b) => a - b);
  t.strictSame(station.replied.slice(before), [first + 1, first + 2, first + 3, first], 'it was asked for first');
});

t.test('ACTOR10 a board that cannot be read fails whoever asks for it, and nobody else', async (t) => {
  const station = new TestStation(t);
  const [board, broken] = [await station.newBoard(), await station.newBoard()];
  const column = await station.newColumn(board);
  await station.sleep();
  const fault = new Error('a page of the file is damaged');
  station.store.plant({ at: 'readBoard', error: fault, board: boardKeyOf(broken) });
  station.store.plant({ at: 'loadBoard', error: fault, board: boardKeyOf(broken) });
  const batch = [command('board.get', broken, {}), newCard(board, column, 'x'), command('board.get', broken, {})];
  const outcomes = await station.askAll(batch);
  t.strictSame(
    outcomes.map((outcome) => (outcome.ok ? 'ok' : outcome.error.code)),
    ['internal', 'ok', 'internal'],
  );
  t.ok(station.errors.includes(fault));
  station.store.mend();
  t.equal(await station.lookAtDisk(board), await station.look(board));
});

t.test('ACTOR11 a large board that cannot be read to its end fails all who wait, and can be read later', async (t) => {
  const station = new TestStation(t);
  const { board, column } = await sleepingBoardOfManyCards(station);
  const waiting = station.askAll([newCard(board, column, 'x'), command('board.get', board, {})]);
  station.store.plant({ at: 'readSlice', error: new Error('a page of the file is damaged') });
  station.store.plant({ at: 'loadBoard', error: new Error('a page of the file is damaged') });
  t.strictSame(
    (await waiting).map((outcome) => (outcome.ok ? 'ok' : outcome.error.code)),
    ['internal', 'internal'],
  );
  station.store.mend();
  t.strictSame(lastTitles(bodyOf(await station.ask('board.get', board, {})), 1), [`card ${MANY - 1}`]);
});

t.test('ACTOR41 who waits for a large board when its file is closed is sent on, and nothing was done', async (t) => {
  const station = new TestStation(t);
  const { board, column } = await sleepingBoardOfManyCards(station);
  const waiting = station.send([{ kind: 'board', command: newCard(board, column, 'x') }]);
  station.restart();
  t.match(await waiting, [{ ok: false, error: { code: 'unavailable' }, notHere: true }]);
  t.strictSame(lastTitles(bodyOf(await station.ask('board.get', board, {})), 1), [`card ${MANY - 1}`]);
  t.strictSame(station.errors, []);
});

t.test('ACTOR12 an idle board leaves memory and wakes as it was', async (t) => {
  const station = new TestStation(t, { idleSeconds: 60 });
  const [board, other] = [await station.newBoard(), await station.newBoard()];
  const column = await station.newColumn(board);
  await station.askAll([newCard(board, column, 'x'), command('member.add', board, { user_id: ben.id, user: ben })]);
  const before = await station.look(board);

  station.passTime(30_000);
  await station.ask('board.get', board, {});
  station.passTime(59_000);
  await station.ask('board.get', other, {});
  station.store.countOf('readBoard');
  await station.ask('board.get', board, {});
  t.equal(station.store.countOf('readBoard'), 0, 'used within the minute, it stayed');

  station.passTime(60_000);
  await station.ask('board.get', other, {});
  station.store.countOf('readBoard');
  t.equal(await station.look(board), before);
  t.equal(station.store.countOf('readBoard'), 1, 'unused for a minute, it had left');
});

t.test('ACTOR13 boards beyond the budget of memory sleep, the least recently used first', async (t) => {
  // Each board weighs some 60 kB, so that three of them fit and four do not.
  const station = new TestStation(t, { budgetBytes: 200_000 });
  const boards: Uuid[] = [];
  for (let n = 0; n < 4; n += 1) {
    const board = await station.newBoard();
    const column = await station.newColumn(board);
    await station.askAll([newCard(board, column, 'x', 'y'.repeat(18_000))]);
    boards.push(board);
  }
  t.strictSame(await whichSlept(boards), [true, false, false, false]);

  // Two of these have to go when another one comes, and not the one that is used before.
  const [first, second, third, fourth] = boards as [Uuid, Uuid, Uuid, Uuid];
  station.passTime(1_000);
  await station.ask('board.get', third, {});
  const newest = await station.newBoard();
  const column = await station.newColumn(newest);
  await station.askAll([newCard(newest, column, 'x', 'y'.repeat(18_000))]);
  t.strictSame(await whichSlept([fourth, second, first, third, newest]), [true, true, false, false, false]);

  async function whichSlept(inOrder: readonly Uuid[]): Promise<boolean[]> {
    const slept = new Map<Uuid, boolean>();
    // From the latest to the oldest: waking one sends another to sleep only behind those already looked at.
    for (const board of inOrder.toReversed()) {
      station.store.countOf('readBoard');
      await station.ask('board.get', board, {});
      slept.set(board, station.store.countOf('readBoard') > 0);
    }
    return inOrder.map((board) => slept.get(board) ?? false);
  }
});

t.test('ACTOR14 a board that is larger than the whole budget is served all the same', async (t) => {
  const station = new TestStation(t, { budgetBytes: 1 });
  const board = await station.newBoard();
  const column = await station.newColumn(board);
  const before = await station.look(board);
  station.store.countOf('readBoard');
  t.equal(await station.look(board), before);
  t.equal(station.store.countOf('readBoard'), 0, 'alone, it stays awake');
  await station.newBoard();
  t.equal((await station.askAll([newCard(board, column, 'x')]))[0]?.ok, true);
  t.equal(station.store.countOf('readBoard') > 0, true, 'two at a time do not fit');
});

t.test('ACTOR15 the list of boards does not wake a sleeping board', async (t) => {
  const station = new TestStation(t);
  const board = await station.newBoard('Asleep');
  const awake = bodyOf(await station.ask('board.summary', board, {}));
  await station.sleep();
  station.store.countOf('readBoard');
  station.store.countOf('loadBoard');
  t.equal(bodyOf(await station.ask('board.summary', board, {})), awake);
  t.match(JSON.parse(awake), { title: 'Asleep', role: 'owner', members: [{ user_id: ann.id }] });
  t.match(await station.ask('board.summary', board, {}, ben), { ok: false, error: { code: 'forbidden' } });
  t.match(await station.ask('board.summary', ids.fresh(), {}), { ok: false, error: { code: 'not_found' } });
  t.equal(station.store.countOf('readBoard'), 0);
  t.equal(station.store.countOf('loadBoard'), 0);
});
