/** Timers of a shard, with a clock that the test moves. */
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { cutIntoSlices } from '../../src/domain/document/boardPlan.js';
import { DAY_MS } from '../../src/domain/content/time.js';
import type { Uuid } from '../../src/domain/ids.js';
import { sql } from '../support/store/sqlFile.js';
import { createBoard, newCard, temporaryShard } from '../store/temporaryShard.js';
import { planned } from '../support/board/plannedBoard.js';
import { ann, ben, type TestPartition } from '../support/store/faultyStorePartition.js';
import { dueCards, look, sent, sentIn, startLooking } from '../support/store/shardReminders.js';

const HOUR_MS = 3_600_000;
/** Of the oldest programs that know timers. */
const TIMERS_CAME_WITH = 23;

interface Remembering {
  readonly partition: TestPartition;
  readonly board: Uuid;
  readonly column: Uuid;
  /** A card of Ann's, in so many hours. */
  add(hours: number): Promise<Uuid>;
}

async function start(t: Test): Promise<Remembering> {
  const partition = startLooking(t);
  const board = await partition.newBoard();
  const column = await partition.newColumn(board);
  return {
    partition,
    board,
    column,
    async add(hours) {
      const due_at = new Date(Date.UTC(2030, 0, 1) + hours * HOUR_MS).toISOString();
      const input = { column_id: column, title: `due in ${hours}`, description: null, position: null, due_at, reminder_minutes: 0 };
      const { id } = await partition.must('card.create', board, input);
      await partition.must('card.assign', id, { user_ids: [ann.id] });
      return id;
    },
  };
}

/** With reminders. */
function entriesOf({ notices }: TestPartition): number {
  return notices.filter((notice) => sentIn(notice).some(({ kind }) => kind === 'due')).length;
}

t.test('REMIND2 each timer is carried out once, whether the clock walks, jumps by days or goes back', async (t) => {
  const { partition, add } = await start(t);
  const [first, second, third] = [await add(1), await add(2), await add(3 * 24)];
  await look();
  t.strictSame(dueCards(partition), [], 'none is due');
  partition.passTime(HOUR_MS);
  await look();
  t.strictSame(dueCards(partition), [first]);
  t.match(sent(partition), [{ user_id: ann.id, is_late: false }]);
  partition.passTime(30 * DAY_MS);
  await look();
  t.strictSame(dueCards(partition), [first, second, third]);
  t.match(sent(partition)[2], { is_late: true });
  partition.passTime(-31 * DAY_MS);
  await look();
  partition.passTime(40 * DAY_MS);
  await look();
  t.equal(dueCards(partition).length, 3);
  t.strictSame(partition.store.timers.next(10), []);
});

t.test('REMIND2 what became due while the shard was closed is carried out when it opens', async (t) => {
  const { partition, add } = await start(t);
  const card = await add(1);
  partition.passTime(10 * DAY_MS);
  partition.restart();
  await look();
  t.strictSame(dueCards(partition), [card]);
  t.match(sent(partition), [{ is_late: true }]);
  partition.restart();
  await look();
  t.strictSame(dueCards(partition), [card], 'and not again');
});

t.test('REMIND2 a commit that fails carries out nothing, and the next look tries again', async (t) => {
  const { partition, add } = await start(t);
  const card = await add(1);
  partition.passTime(HOUR_MS);
  partition.store.plant({ at: 'commit', error: new Error('no room'), times: 1 });
  await look();
  t.strictSame(dueCards(partition), []);
  t.match(partition.errors, [{ message: 'no room' }]);
  await look();
  t.strictSame(dueCards(partition), [card]);
});

t.test('REMIND1 what is archived, deleted or completed has no timer', async (t) => {
  const { partition, board, add } = await start(t);
  const cards = [await add(1), await add(1), await add(1)] as const;
  t.equal(partition.store.timers.next(10).length, 3);
  await partition.must('card.archive', cards[0], {});
  await partition.must('card.update', cards[1], { completed_at: '2030-01-01' });
  await partition.must('card.delete', cards[2], {});
  t.strictSame(partition.store.timers.next(10), []);
  await partition.must('card.restore', cards[0], { column_id: null, position: null });
  t.match(partition.store.timers.next(10), [{ target: cards[0] }]);
  await partition.must('board.delete', board, {});
  partition.passTime(HOUR_MS);
  await look();
  t.strictSame(dueCards(partition), [], 'a board that is gone reminds nobody');
});

t.test('REMIND2 many that are due at once leave in pages, between which other asks have their turn', async (t) => {
  const { partition, board, add } = await start(t);
  const cards: Uuid[] = [];
  for (let n = 0; n < 120; n += 1) cards.push(await add(1));
  partition.passTime(HOUR_MS);
  await look();
  const atFirst = dueCards(partition).length;
  t.ok(atFirst > 0 && atFirst <= 50, `${atFirst} at first`);
  t.equal(entriesOf(partition), 1, 'in one entry');
  await partition.must('board.update', board, { title: 'In between' });
  t.equal(dueCards(partition).length, atFirst);
  for (let page = 0; page < 3; page += 1) await look();
  t.strictSame(dueCards(partition).sort(), cards.sort(), 'each once');
});

t.test('REMIND1 an imported board reminds of what is to come', async (t) => {
  const { partition } = await start(t);
  const { board, changes } = planned(2);
  const dated = changes.map((change) =>
    change.kind === 'card' && 'put' in change
      ? ({ kind: 'card', put: { ...change.put, due_at: '2030-01-03', assignee_ids: [ann.id] } } as const)
      : change,
  );
  await partition.send([{ kind: 'import', plan: cutIntoSlices(board, dated) }]);
  const cards = dated.filter(({ kind }) => kind === 'card').length;
  t.equal(partition.store.timers.next(10).length, cards);
  partition.passTime(2 * DAY_MS);
  await look();
  t.equal(dueCards(partition).length, cards);
});

t.test('REMIND2 cards of programs that knew no timers get theirs, if they are still to come', async (t) => {
  const { partition, add } = await start(t);
  const cards = [await add(48), await add(72), await add(1)];
  partition.passTime(HOUR_MS);
  partition.close();
  // As the migration leaves a file with cards.
  const catchUp = `INSERT INTO timer (board_key, target, kind, due) VALUES ('', '', 'catch-up', 0)`;
  sql(join(partition.dataDir, 'shard-00.sqlite'), 'DELETE FROM timer', catchUp);
  partition.restart();
  await look();
  t.strictSame(
    partition.store.timers.next(10).map(({ target }) => target),
    cards.slice(0, 2),
  );
  t.strictSame(dueCards(partition), [], 'not of what is over');
});

t.test('REMIND2 while an older program runs no timer is written, which that one could not read', (t) => {
  const { shard } = temporaryShard(t);
  const { key } = createBoard(shard);
  const card = newCard(key);
  const set = (): void => shard.transaction(() => shard.timers.change(key, [{ target: card.id, kind: 'reminder', due: 1 }]));
  shard.writeFor(TIMERS_CAME_WITH - 1);
  set();
  shard.writeFor(TIMERS_CAME_WITH);
  t.strictSame(shard.timers.next(10), []);
  set();
  t.strictSame(shard.timers.next(10), [{ board_key: key, target: card.id, kind: 'reminder', due: 1 }]);
  t.end();
});

t.test('REMIND2 a member who wants another time gets the timers of the board, a page at a time, and each reminder once', async (t) => {
  const { partition, board, column } = await start(t);
  const add = async (hours: number, fields: object = {}): Promise<Uuid> => {
    const due_at = new Date(Date.UTC(2030, 0, 1) + hours * HOUR_MS).toISOString();
    const input = { column_id: column, title: `due in ${hours}`, description: null, position: null, due_at, reminder_minutes: null, ...fields };
    const { id } = await partition.must('card.create', board, input);
    await partition.must('card.assign', id, { user_ids: [ann.id] });
    return id;
  };
  const dueTimes = (): unknown[] => partition.store.timers.next(1_000).map(({ kind, due }) => [kind, (due - Date.UTC(2030, 0, 1)) / HOUR_MS]);
  const refresh = async (reminder_minutes: number | null): Promise<void> => {
    await partition.askAll([{ op: 'member.refresh', caller: 'system', target: board, input: { user: ann, reminder_minutes } }]);
  };
  const many = 300;
  for (let n = 0; n < many; n += 1) await add(1_000);
  const [soon, later] = [await add(30), await add(72)];
  await add(72, { reminder_minutes: 60 });
  await refresh(48 * 60);
  partition.restart();
  for (let pages = 0; pages < 4; pages += 1) await look();
  t.strictSame(dueTimes().slice(0, 4), [
    ['reminder', 6],
    ['reminder', 24],
    ['reminder', 71],
    ['reminder', 952],
  ]);
  t.equal(dueTimes().filter((each) => JSON.stringify(each) === '["reminder",952]').length, many, 'those of all pages');
  partition.passTime(24 * HOUR_MS);
  for (let pages = 0; pages < 4; pages += 1) await look();
  t.strictSame(dueCards(partition), [later], 'at her time; of the other card it had passed when she chose it');
  t.ok(soon);
  t.strictSame(dueTimes().slice(0, 2), [
    ['reminder', 48],
    ['reminder', 71],
  ]);
  partition.restart();
  partition.passTime(24 * HOUR_MS);
  for (let pages = 0; pages < 4; pages += 1) await look();
  t.strictSame(dueCards(partition), [later], 'a day before she is not reminded again');
  await refresh(-1);
  await look();
  partition.restart();
  for (let pages = 0; pages < 4; pages += 1) await look();
  partition.passTime(2_000 * HOUR_MS);
  for (let pages = 0; pages < 20; pages += 1) await look();
  t.equal(dueCards(partition).length, 2, 'who wants none gets none but from the card that says when');
});

t.test('TRASH2 a board that comes back from the trash reminds those whose time is still to come', async (t) => {
  const { partition, board, column } = await start(t);
  const refresh = { user: ann, reminder_minutes: 60 };
  await partition.must('member.add', board, { user_id: ben.id, user: ben });
  await partition.askAll([{ op: 'member.refresh', caller: 'system', target: board, input: refresh }]);
  const due_at = new Date(Date.UTC(2030, 0, 1) + 48 * HOUR_MS).toISOString();
  const input = { column_id: column, title: 'A card', description: null, position: null, due_at, reminder_minutes: null };
  const { id } = await partition.must('card.create', board, input);
  await partition.must('card.assign', id, { user_ids: [ann.id, ben.id] });
  await look();
  await partition.must('board.delete', board, {});
  partition.passTime(25 * HOUR_MS);
  await look();
  t.strictSame(dueCards(partition), [], 'the time of Ben has passed');
  await partition.must('board.restore', board, { is_listed: true });
  await look();
  t.strictSame(dueCards(partition), [], 'of which nobody is reminded now');
  partition.passTime(22 * HOUR_MS);
  await look();
  t.strictSame(dueCards(partition), [id]);
  t.match(sent(partition).at(-1), { user_id: ann.id, is_late: false });
});
