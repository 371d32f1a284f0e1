import t from 'tap';
import { ann, ben, bodyOf, command, ids, TestPartition } from '../support/store/faultyStorePartition.js';
import type { BoardCommand } from '../../src/domain/commands/commands.js';
import { AppError } from '../../src/domain/errors.js';
import { boardKeyOf, type Uuid } from '../../src/domain/ids.js';
import type { Change } from '../../src/domain/model.js';

const DISK_FULL = new AppError('unavailable', 'The change could not be stored. Try again.', { retryAfter: 1 });

function newColumn(board: Uuid, title: string): BoardCommand {
  return command('column.create', board, { title, color: '#fff', is_done_column: false, position: null });
}

/** Only a fault of the service leads to this input, and the handler has written to its draft by then. */
function brokenCreation(): BoardCommand {
  const input = { title: 'Broken', description: null, creator: null };
  return command('board.create', ids.fresh(), input as unknown as { title: string; description: null; creator: never });
}

function mentions(title: string): (written: readonly Change[]) => boolean {
  return (written) => written.some((change) => 'put' in change && 'title' in change.put && change.put.title === title);
}

function titlesOf(fullBoard: string): string[] {
  return (JSON.parse(fullBoard) as { columns: { title: string }[] }).columns.map(({ title }) => title);
}

function codesOf(outcomes: readonly { ok: boolean; error?: { code: string } }[]): string[] {
  return outcomes.map((outcome) => outcome.error?.code ?? 'ok');
}

t.test('commands that wait together share one commit; refusals and reads need none', async (t) => {
  const partition = new TestPartition(t);
  const board = await partition.newBoard();
  const other = await partition.newBoard();
  partition.store.countOf('begin');
  partition.store.countOf('commit');
  await partition.askAll([newColumn(board, 'a'), newColumn(other, 'b'), newColumn(board, 'c')]);
  t.equal(partition.store.countOf('begin'), 1);
  t.equal(partition.store.countOf('commit'), 1);
  await partition.askAll([command('board.get', board, {}), command('card.get', ids.onBoard(board), {})]);
  t.equal(partition.store.countOf('begin'), 0, 'without writes there is no transaction');
  t.equal(partition.store.countOf('commit'), 0);
});

t.test('COMMIT7 nothing is answered or published before it is on disk', async (t) => {
  const partition = new TestPartition(t);
  const board = await partition.newBoard();
  const known = (): number[] => [partition.notices.length, partition.replied.length];
  const before = known();
  const duringCommit: number[][] = [];
  partition.store.plant({ at: 'commit', error: DISK_FULL, when: () => duringCommit.push(known()) === 0 });
  t.strictSame(codesOf(await partition.askAll([newColumn(board, 'a'), newColumn(board, 'b')])), ['ok', 'ok']);
  t.strictSame(duringCommit, [before], 'nothing is published before the commit');
  t.equal(partition.eventsOf(board).length, 2);
});

t.test('HTTP6 a handler that throws is a 500 for its own command, and the rest of the batch commits', async (t) => {
  const partition = new TestPartition(t);
  const board = await partition.newBoard();
  const broken = brokenCreation();
  partition.store.countOf('commit');
  const outcomes = await partition.askAll([newColumn(board, 'before'), broken, newColumn(board, 'after')]);
  t.strictSame(codesOf(outcomes), ['ok', 'internal', 'ok']);
  t.equal(partition.store.countOf('commit'), 1, 'no command was tried again');
  t.ok(
    partition.errors.some((error) => error instanceof TypeError),
    'the fault is in the log',
  );
  t.strictSame(titlesOf(bodyOf(await partition.ask('board.get', board, {}))), ['before', 'after']);
  t.match(await partition.ask('board.get', broken.target, {}), { ok: false, error: { code: 'not_found' } });
  t.equal(await partition.lookAtDisk(board), await partition.look(board));
});

t.test('a chunk of a missing upload is refused alone, without a retry of other commands and without a log line', async (t) => {
  const partition = new TestPartition(t);
  const [board, other] = [await partition.newBoard(), await partition.newBoard()];
  const id = ids.onBoard(boardKeyOf(board));
  await partition.send([{ kind: 'upload.start', id }]);
  await partition.ask('board.delete', board, {});
  partition.store.countOf('commit');
  const outcomes = await partition.send([
    { kind: 'upload.append', id, n: 0, bytes: Buffer.from('late') },
    { kind: 'board', command: newColumn(other, 'a') },
  ]);
  t.match(outcomes, [{ ok: false, error: { code: 'unavailable', detail: /Send the file again/ } }, { ok: true }]);
  t.equal(partition.store.countOf('commit'), 1, 'one commit for both');
  t.strictSame(partition.errors, []);
});

t.test('a chunk that overtakes the one before it is refused alone, and stored when it is sent again', async (t) => {
  const partition = new TestPartition(t);
  const board = await partition.newBoard();
  const id = ids.onBoard(boardKeyOf(board));
  const append = (n: number) => ({ kind: 'upload.append', id, n, bytes: Buffer.from(`chunk ${n}`) }) as const;
  await partition.send([{ kind: 'upload.start', id }]);
  const outcomes = await partition.send([append(1), { kind: 'board', command: newColumn(board, 'a') }, append(0)]);
  t.match(outcomes, [{ ok: false, error: { code: 'unavailable' }, notHere: true }, { ok: true }, { ok: true }]);
  t.match(await partition.send([append(1)]), [{ ok: true }]);
  const [read] = await partition.send([{ kind: 'content.read', id, from: 0, to: 100 }]);
  t.match(read, { ok: true, value: Buffer.from('chunk 0chunk 1') });
  t.strictSame(partition.errors, []);
  await partition.send([{ kind: 'upload.drop', id }]);
  const [late] = await partition.send([append(3)]);
  t.match(late, { ok: false, error: { detail: /Send the file again/ } }, 'no chunk of a missing upload is awaited');
  t.notOk(late !== undefined && 'notHere' in late);
});

t.test('CLUSTER62 a chunk that is sent again is stored once', async (t) => {
  const partition = new TestPartition(t);
  const id = ids.onBoard(boardKeyOf(await partition.newBoard()));
  const append = (n: number) => ({ kind: 'upload.append', id, n, bytes: Buffer.from(`chunk ${n}`) }) as const;
  await partition.send([{ kind: 'upload.start', id }]);
  await partition.send([append(0), append(1)]);
  t.match(await partition.send([append(1), append(0), append(2)]), [{ ok: true }, { ok: true }, { ok: true }]);
  t.match(await partition.send([{ kind: 'content.read', id, from: 0, to: 100 }]), [{ ok: true, value: Buffer.from('chunk 0chunk 1chunk 2') }]);
  t.strictSame(partition.errors, []);
});

for (const at of ['write', 'commit'] as const) {
  t.test(`HTTP6 when a ${at} fails, each command is tried alone, and only the guilty one fails`, async (t) => {
    const partition = new TestPartition(t);
    const [board, other] = [await partition.newBoard(), await partition.newBoard()];
    await partition.askAll([newColumn(board, 'old')]);
    partition.store.plant({ at, error: DISK_FULL, when: mentions('guilty') });
    const batch = [newColumn(board, 'a'), newColumn(board, 'guilty'), newColumn(other, 'b'), newColumn(board, 'c')];
    const outcomes = await partition.askAll(batch);
    t.strictSame(codesOf(outcomes), ['ok', 'unavailable', 'ok', 'ok']);
    t.match(outcomes[1], { error: { retryAfter: 1 } });

    const events = partition.eventsOf(board);
    t.strictSame(
      events.map(({ seq }) => seq),
      [1, 2, 3],
      'each success is published once, without a gap',
    );
    t.notMatch(events.map(({ json }) => json).join(), /guilty/);
    const inMemory = await partition.look(board);
    t.equal(await partition.lookAtDisk(board), inMemory, 'memory equals disk');
    t.strictSame(titlesOf(bodyOf(await partition.ask('board.get', board, {}))), ['old', 'a', 'c']);
  });
}

t.test('HTTP6 a fault of the service in the store is a 500 for the guilty command, with its cause in the log', async (t) => {
  const partition = new TestPartition(t);
  const board = await partition.newBoard();
  const fault = new RangeError('not a row');
  partition.store.plant({ at: 'write', error: fault, when: mentions('guilty') });
  t.strictSame(codesOf(await partition.askAll([newColumn(board, 'guilty'), newColumn(board, 'a')])), ['internal', 'ok']);
  t.ok(partition.errors.includes(fault));
  t.equal(await partition.lookAtDisk(board), await partition.look(board));
});

for (const at of ['begin', 'commit'] as const) {
  t.test(`COMMIT6 while every ${at} fails, changes are refused, reads work, and writes resume without a restart`, async (t) => {
    const partition = new TestPartition(t);
    const board = await partition.newBoard();
    const before = await partition.look(board);
    const published = partition.notices.length;
    partition.store.plant({ at, error: DISK_FULL });
    const outcomes = await partition.askAll([
      newColumn(board, 'a'),
      command('board.get', board, {}),
      newColumn(board, 'b'),
      command('board.delete', board, {}),
    ]);
    t.strictSame(codesOf(outcomes), ['unavailable', 'ok', 'unavailable', 'unavailable']);
    t.equal(partition.notices.length, published, 'nothing is published');
    t.equal(await partition.look(board), before);
    t.equal(await partition.lookAtDisk(board), before, 'memory equals disk');
    partition.store.repair();
    t.strictSame(codesOf(await partition.askAll([newColumn(board, 'a')])), ['ok']);
    t.strictSame(
      partition.eventsOf(board).map(({ seq }) => seq),
      [1],
    );
  });
}

t.test('COMMIT7 a board whose creation or deletion fails to commit is as before', async (t) => {
  const partition = new TestPartition(t);
  const kept = await partition.newBoard('Kept');
  await partition.newColumn(kept);
  const before = await partition.look(kept);
  const target = ids.fresh();
  partition.store.plant({ at: 'commit', error: DISK_FULL });
  const creation = command('board.create', target, { title: 'New', description: null, creator: ann });
  t.strictSame(codesOf(await partition.askAll([creation, command('board.delete', kept, {})])), ['unavailable', 'unavailable']);
  partition.store.repair();
  t.equal(await partition.look(kept), before);
  t.match(await partition.ask('board.get', target, {}), { ok: false, error: { code: 'not_found' } });
});

t.test('COMMIT7 a user who leaves while a commit fails is announced as gone, once', async (t) => {
  const partition = new TestPartition(t);
  const board = await partition.newBoard();
  const connection = { id: 1, board_id: board, user_id: ann.id, username: ann.username };
  await partition.send([{ kind: 'presence.join', connection }]);
  partition.notices.length = 0;
  partition.store.plant({ at: 'commit', error: DISK_FULL });
  const outcomes = await partition.send([
    { kind: 'board', command: newColumn(board, 'a') },
    { kind: 'presence.leave', connection },
    { kind: 'board', command: newColumn(board, 'b') },
  ]);
  t.strictSame(codesOf(outcomes), ['unavailable', 'ok', 'unavailable']);
  const message = { type: 'user_left', user_id: ann.id, username: ann.username };
  t.match(partition.notices, [{ kind: 'board.presence', board_id: board, message }]);
  t.equal(partition.notices.length, 1);
});

t.test('COMMIT7 a user who was admitted by a change that failed to commit is not present', async (t) => {
  const partition = new TestPartition(t);
  const board = await partition.newBoard();
  const connection = { id: 1, board_id: board, user_id: ben.id, username: ben.username };
  partition.notices.length = 0;
  partition.store.plant({ at: 'commit', error: DISK_FULL });
  const [, joined] = await partition.send([
    { kind: 'board', command: command('member.add', board, { user_id: ben.id, user: ben }) },
    { kind: 'presence.join', connection },
  ]);
  t.match(joined, { ok: true, value: { ok: false, error: { code: 'forbidden' } } });
  t.strictSame(await partition.send([{ kind: 'presence.list', board_id: board }]), [{ ok: true, value: [] }]);
  t.strictSame(partition.notices, [], 'and they were not announced');
});
