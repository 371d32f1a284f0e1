import t from 'tap';
import { cutIntoSlices } from '../../src/domain/document/boardPlan.js';
import { AppError, Deposed } from '../../src/domain/errors.js';
import type { Uuid } from '../../src/domain/ids.js';
import { planned } from '../support/board/plannedBoard.js';
import { manyTurns, until } from '../support/until.js';
import { takeOverIntervals } from '../support/manualIntervals.js';
import { ann, bodyOf, command, TestPartition } from '../support/store/faultyStorePartition.js';

const DISK_FULL = new AppError('unavailable', 'The change could not be stored. Try again.', { retryAfter: 1 });
const MOVED = { ok: false, error: { code: 'unavailable', detail: /is being moved. Try again/ }, notHere: true } as const;
const UNKNOWN = { ok: false, error: { code: 'unavailable', detail: /not known whether the change was stored/ } } as const;

const rename = (board: Uuid, title: string) => command('board.update', board, { title });

for (const isStored of ['no', 'unknown'] as const) {
  t.test(`when a commit is refused to a former owner (stored: ${isStored}), nothing is tried again and every ask is refused`, async (t) => {
    const partition = new TestPartition(t);
    const board = await partition.newBoard();
    const connection = { id: 1, board_id: board, user_id: ann.id, username: ann.username };
    await partition.send([{ kind: 'presence.join', connection }]);
    partition.notices.length = 0;
    partition.replied.length = 0;
    partition.store.hold();
    const batch = partition.send([
      { kind: 'board', command: rename(board, 'a') },
      { kind: 'board', command: command('board.get', board, {}) },
      { kind: 'board', command: command('column.delete', ann.id, {}) },
      { kind: 'presence.leave', connection },
    ]);
    const waiting = partition.askAll([rename(board, 'b'), command('board.get', board, {})]);
    const { changes, board: imported } = planned(10);
    const importing = partition.send([{ kind: 'import', plan: cutIntoSlices(imported, changes) }]);
    partition.store.countOf('begin');
    const error = new Deposed(isStored);
    partition.store.takePending().fail(error);

    const outcomes = await batch;
    t.match(outcomes, [isStored === 'no' ? MOVED : UNKNOWN, MOVED, MOVED, MOVED]);
    if (isStored === 'unknown') t.notOk(outcomes[0] !== undefined && 'notHere' in outcomes[0], 'it must not be sent again blindly');
    t.match(await waiting, [MOVED, MOVED]);
    t.match(await importing, [MOVED]);
    t.match(partition.notices, [{ kind: 'board.presence', message: { type: 'user_left' } }], 'presence is in no commit');
    t.equal(partition.notices.length, 1);
    t.strictSame(partition.deposed, [error, 'after 7 replies', 'host'], 'reported once, after the replies');
    t.match(await partition.askAll([command('board.get', board, {})]), [MOVED], 'and so are later asks');
    await manyTurns();
    t.equal(partition.store.countOf('begin'), 0);
    t.strictSame(partition.errors, []);
    partition.restart();
    t.match(bodyOf(await partition.ask('board.get', board, {})), /"title":"Plans"/, 'the batch was undone');
  });
}

t.test('reads whose confirmation a former owner does not get are refused, all of them', async (t) => {
  const partition = new TestPartition(t);
  const board = await partition.newBoard();
  partition.store.hold();
  const reads = partition.send([
    { kind: 'board', command: command('board.get', board, {}) },
    { kind: 'presence.list', board_id: board },
    { kind: 'outbox.push', after: 0 },
  ]);
  partition.notices.length = 0;
  partition.store.takePending().fail(new Deposed('unknown'));
  t.match(await reads, [MOVED, MOVED, MOVED]);
  t.strictSame(partition.notices, []);
  t.equal(partition.deposed.at(-1), 'host');
});

t.test('a former owner that meets the refusal while it tries commands alone keeps what was stored', async (t) => {
  const partition = new TestPartition(t);
  const board = await partition.newBoard();
  partition.store.hold();
  const outcomes = partition.askAll([rename(board, 'a'), rename(board, 'b'), rename(board, 'c')]);
  partition.store.takePending().fail(DISK_FULL);
  partition.store.takePending().settle();
  partition.store.takePending().fail(new Deposed('unknown'));
  t.match(await outcomes, [{ ok: true }, UNKNOWN, MOVED]);
  t.strictSame(
    partition.eventsOf(board).map(({ seq }) => seq),
    [1],
  );
  t.equal(partition.deposed.at(-1), 'host');
});

for (const isStored of ['no', 'unknown'] as const) {
  t.test(`an import whose last commit is refused to a former owner (stored: ${isStored}) says so`, async (t) => {
    const partition = new TestPartition(t);
    const { board, changes } = planned(10);
    const plan = cutIntoSlices(board, changes);
    partition.store.hold();
    const importing = partition.send([{ kind: 'import', plan }]);
    for (const _ of plan.slices) {
      await until(() => partition.store.waiting.length > 0);
      partition.store.takePending().settle();
    }
    await until(() => partition.store.waiting.length > 0);
    partition.store.takePending().fail(new Deposed(isStored));
    t.match(await importing, [isStored === 'no' ? MOVED : UNKNOWN]);
    t.equal(partition.deposed.at(-1), 'host');
  });
}

t.test('a job that is refused to a former owner ends the partition, and nothing follows it', async (t) => {
  const keepHouse = takeOverIntervals(t);
  const partition = new TestPartition(t);
  const [board, doomed] = [await partition.newBoard(), await partition.newBoard()];
  await partition.askAll([rename(board, 'a'), command('board.delete', doomed, {})]);
  partition.passTime(8 * 86_400_000);
  partition.store.hold();
  keepHouse();
  const waiting = partition.askAll([rename(board, 'b')]);
  partition.store.takePending().fail(new Deposed('no'));
  t.match(await waiting, [MOVED]);
  t.match(partition.deposed, [Deposed, /./, 'host']);
  await manyTurns();
  t.strictSame(partition.errors, [], 'it is no failure of the store, and nothing uses the closed file');
});

t.test('a partition that is deposed while it closes is closed by its opener, once', async (t) => {
  const partition = new TestPartition(t);
  const board = await partition.newBoard();
  partition.store.hold();
  const outcomes = partition.askAll([rename(board, 'a')]);
  const later = partition.askAll([rename(board, 'b')]);
  let closed = 0;
  partition.close(() => (closed += 1));
  partition.store.takePending().fail(new Deposed('no'));
  t.match([...(await outcomes), ...(await later)], [MOVED, MOVED]);
  t.equal(closed, 1);
  t.match(partition.deposed, [Deposed, /./, 'host']);
});
