/** Boards in the trash: who reaches them, what a failing disk and a kill leave, and their end. */
import t, { type Test } from 'tap';
import { deletedUser } from '../../src/domain/account/user.js';
import { DAY_MS } from '../../src/domain/content/time.js';
import { AppError } from '../../src/domain/errors.js';
import { boardKeyOf, type Uuid } from '../../src/domain/ids.js';
import type { Notice } from '../../src/partitions/messages.js';
import { ann, ben, bodyOf, cleo, ids, TestPartition } from '../support/store/faultyStorePartition.js';
import { until } from '../support/until.js';

const TRASH_DAYS = 30;
const KEPT = { events: 1_000, days: 7, trashDays: TRASH_DAYS };
const LISTED = { is_listed: true };

/** With a card that ben is assigned to. */
async function trashed(t: Test) {
  const partition = new TestPartition(t, { retention: KEPT });
  const board = await partition.newBoard('Plans');
  await partition.must('member.add', board, { user_id: ben.id, user: ben });
  const column_id = await partition.newColumn(board);
  const { id: card } = await partition.must('card.create', board, { column_id, title: 'Call', description: null, position: null });
  await partition.must('card.assign', card, { user_ids: [ben.id] });
  const before = await partition.look(board);
  await partition.must('board.delete', board, {});
  return { partition, board, card, before };
}

function payloadsOf(notices: readonly Notice[], board: Uuid): object[] {
  return notices
    .flatMap((notice) => (notice.kind === 'outbox' && 'board_id' in notice.entry.payload ? [notice.entry.payload] : []))
    .filter((each) => {
      return 'board_id' in each && each.board_id === board;
    });
}

async function codeOf(partition: TestPartition, board: Uuid, user = ann, input = LISTED): Promise<string> {
  const outcome = await partition.ask('board.restore', board, input, user);
  return outcome.ok ? 'ok' : outcome.error.code;
}

t.test('TRASH2 a deleted board is gone for all, and comes back as it was for who owned it', async (t) => {
  const { partition, board, card, before } = await trashed(t);
  const seq = partition.eventsOf(board).at(-1)?.seq ?? 0;
  for (const [op, target] of [
    ['board.get', board],
    ['card.get', card],
    ['board.delete', board],
  ] as const) {
    t.match(await partition.ask(op, target, {}), { ok: false, error: { code: 'not_found' } });
  }
  t.match(payloadsOf(partition.notices, board).at(-1), { members: 'none left', trashed: { title: 'Plans', owners: [ann.id] } });
  t.equal(await codeOf(partition, board, ben), 'not_found', 'a member was no owner');
  t.equal(await codeOf(partition, board, cleo), 'not_found');
  t.equal(await codeOf(partition, board, ann, { is_listed: false }), 'not_found', 'the directory has not heard of it');
  t.equal(await codeOf(partition, card), 'not_found', 'only its own id is the board');

  partition.notices.length = 0;
  t.equal(await codeOf(partition, board), 'ok');
  t.match(payloadsOf(partition.notices, board), [{ is_restored: true, members: [{ user_id: ann.id }, { user_id: ben.id }] }]);
  t.strictSame(partition.eventsOf(board), [], 'no event of its own');
  const withoutChange = (text: string): string => text.replace(/^\d+ /, '').replace(/"updated_(at|by)":"[^"]*"/g, '');
  t.equal(withoutChange(await partition.look(board)), withoutChange(before));
  t.equal(await partition.lookAtDisk(board), await partition.look(board));
  await partition.must('board.update', board, { title: 'Again' });
  t.match(partition.eventsOf(board), [{ seq: seq + 1, type: 'board.updated' }], 'the next number');
  t.equal(await codeOf(partition, board), 'ok', 'repeated, it changes nothing');
  t.equal(await codeOf(partition, board, ben), 'forbidden');
  t.match(JSON.parse(bodyOf(await partition.ask('board.events', board, { since: { epoch: '0', seq: seq - 2 } }))), { resync: true });
  t.match(JSON.parse(bodyOf(await partition.ask('board.events', board, { since: { epoch: '0', seq } }))), {
    resync: false,
    events: [{ seq: seq + 1 }],
  });
});

t.test('TRASH2 a disk that fails in the middle leaves the board where it was, and a restart changes nothing', async (t) => {
  const { partition, board } = await trashed(t);
  const key = boardKeyOf(board);
  partition.restart();
  t.match(await partition.ask('board.get', board, {}), { ok: false, error: { code: 'not_found' } });
  for (const at of ['write', 'commit'] as const) {
    partition.store.plant({ at, error: new AppError('unavailable', 'The disk is full') });
    t.equal(await codeOf(partition, board), 'unavailable', at);
    partition.store.repair();
    t.not(partition.store.trashedBoards.deletedAt(key), null, 'still in the trash');
    t.match(await partition.ask('board.get', board, {}), { ok: false, error: { code: 'not_found' } });
  }
  t.equal(await codeOf(partition, board), 'ok');
  const restored = await partition.look(board);
  partition.notices.length = 0;
  partition.restart();
  const [page] = partition.notices.filter((notice) => notice.kind === 'outbox.page');
  t.match(JSON.stringify(page), /"trashed":.*"is_restored":true/, 'the directory gets both, in order');
  t.equal(await partition.look(board), restored);

  partition.store.plant({ at: 'write', error: new AppError('unavailable', 'The disk is full') });
  t.match(await partition.ask('board.delete', board, {}), { ok: false, error: { code: 'unavailable' } });
  partition.store.repair();
  t.equal(await partition.look(board), restored, 'a deletion that failed has moved nothing');
});

t.test('TRASH3 a deleted user is erased from a board in the trash, and nobody gets it', async (t) => {
  const { partition, board } = await trashed(t);
  const erase = { op: 'member.erase', caller: 'system', target: board, input: { user_id: ben.id, heir: cleo } } as const;
  // Each is tried again alone: the second attempt must not take the memory of the first one for the file.
  partition.store.plant({ at: 'commit', error: new AppError('unavailable', 'The disk is full'), times: 1 });
  t.match(await partition.askAll([erase]), [{ ok: true }]);
  partition.notices.length = 0;
  t.match(JSON.parse(bodyOf((await partition.askAll([erase]))[0] ?? { ok: true, json: null })), { state: 'gone' }, 'repeated, it does nothing');
  t.strictSame(partition.notices, []);
  t.match(await partition.ask('board.get', board, {}), { ok: false, error: { code: 'not_found' } });
  t.equal(await codeOf(partition, board), 'ok');
  const text = await partition.lookAtDisk(board);
  t.notOk(text.includes(ben.id) || text.includes(ben.username), 'neither as a member nor as an assignee');

  await partition.must('board.delete', board, {});
  const last = { ...erase, input: { user_id: ann.id, heir: cleo } };
  t.match(JSON.parse(bodyOf((await partition.askAll([last]))[0] ?? { ok: true, json: null })), { state: 'kept' });
  t.equal(await codeOf(partition, board, cleo), 'not_found', 'the heir was no owner');
  const stored = [...partition.store.readTrashed(boardKeyOf(board))];
  t.strictSame(stored, []);
  t.strictSame(partition.store.memberOf(boardKeyOf(board), ann.id)?.user, deletedUser(ann.id), 'without name and address');
});

t.test('TRASH2 after its days a board cannot be restored, and its rows are swept', async (t) => {
  const { partition, board } = await trashed(t);
  const key = boardKeyOf(board);
  partition.passTime((TRASH_DAYS - 1) * DAY_MS);
  partition.store.begin();
  partition.store.orphans.sweep(() => false, new Date().toISOString());
  partition.store.rollback();
  t.ok(
    partition.store.orphans.isSwept(() => false),
    'nothing sweeps it before',
  );
  partition.passTime(DAY_MS);
  t.equal(await codeOf(partition, board), 'not_found');
  await until(() => partition.store.trashedBoards.deletedAt(key) === null);
  t.match(payloadsOf(partition.notices, board).at(-1), { members: 'none left' });
  t.notMatch(payloadsOf(partition.notices, board).at(-1), { trashed: {} });
  await until(() => !partition.store.orphans.has(key));
  t.equal(partition.store.memberOf(key, ann.id), null);
});

t.test('TRASH4 a board that has to give way goes at once, and no board that is there does', async (t) => {
  const { partition, board } = await trashed(t);
  const other = await partition.newBoard();
  const discard = (board_id: Uuid) => ({ kind: 'board.discard', board_id }) as const;
  t.match(await partition.send([discard(board), discard(board), discard(other), discard(ids.fresh())]), [
    { ok: true, value: { outboxId: Number } },
    { ok: true, value: { outboxId: undefined } },
    { ok: true, value: { outboxId: undefined } },
    { ok: true },
  ]);
  t.equal(await codeOf(partition, board), 'not_found');
  t.match(await partition.ask('board.get', other, {}), { ok: true });
});

t.test('TRASH2 without days, and while an older program runs, a deleted board is gone at once', async (t) => {
  for (const settings of [{ retention: { ...KEPT, trashDays: 0 } }, { retention: KEPT, schema: 25 }]) {
    const partition = new TestPartition(t, settings);
    const board = await partition.newBoard();
    await partition.must('board.delete', board, {});
    t.equal(partition.store.trashedBoards.deletedAt(boardKeyOf(board)), null);
    t.notMatch(payloadsOf(partition.notices, board).at(-1), { trashed: {} });
    t.equal(await codeOf(partition, board), 'not_found');
  }
});
