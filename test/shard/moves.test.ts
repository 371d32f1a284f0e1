/** Cards on their way to another board, in a shard: what its outbox has, after a restart too, and how long it remembers them. */
import t, { type Test } from 'tap';
import { MOVED_DAYS } from '../../src/domain/board/moves/movesOnDisk.js';
import type { BoardCommand, CardOnItsWay } from '../../src/domain/commands/commands.js';
import { DAY_MS } from '../../src/domain/content/time.js';
import { boardKeyOf, type Uuid } from '../../src/domain/ids.js';
import { takeOverIntervals } from '../support/manualIntervals.js';
import { bodyOf, ids, TestPartition } from '../support/store/faultyStorePartition.js';

async function leaving(t: Test) {
  const partition = new TestPartition(t, { retention: { events: 1_000, days: 7, trashDays: 30 } });
  const board = await partition.newBoard('Plans');
  const column_id = await partition.newColumn(board);
  const { id: card } = await partition.must('card.create', board, { column_id, title: 'Call', description: null, position: null });
  const target_board_id = ids.fresh();
  const new_id = ids.onBoard(boardKeyOf(target_board_id));
  await partition.must('move.out', card, { new_id, target_board_id, column_id, position: null });
  return { partition, board, card, target_board_id, new_id };
}

/** What a relay is told. */
function moves({ notices }: TestPartition): unknown[] {
  return notices.flatMap((notice) => {
    const entries = notice.kind === 'outbox' ? [notice.entry] : notice.kind === 'outbox.page' ? notice.entries : [];
    return entries.flatMap(({ kind, target, payload }) => (kind === 'cardMove' ? [{ target, ...payload }] : []));
  });
}

async function statusOf(partition: TestPartition, card: Uuid): Promise<string> {
  const outcome = await partition.ask('card.update', card, { title: 'New' });
  return outcome.ok ? 'ok' : outcome.error.code;
}

t.test('MOVE2 a card is locked and its delivery begins in one commit, also after a restart', async (t) => {
  const { partition, card, target_board_id, new_id } = await leaving(t);
  const expected = [{ target: target_board_id, card_id: card }];
  t.strictSame(moves(partition), expected);
  t.equal(await statusOf(partition, card), 'conflict');
  partition.notices.length = 0;
  partition.restart();
  t.strictSame(moves(partition), expected);
  t.equal(await statusOf(partition, card), 'conflict');
  const end = { op: 'move.end', caller: 'system', target: card, input: { new_id, refusal: { code: 'forbidden', detail: 'No' } } } as const;
  t.match(await partition.askAll([end]), [{ ok: true }]);
  t.equal(await statusOf(partition, card), 'ok');
  partition.restart();
  t.equal(await statusOf(partition, card), 'ok');
});

t.test('MOVE2 with a restored board the moves of its cards begin again', async (t) => {
  const { partition, board, card, target_board_id } = await leaving(t);
  await partition.must('board.delete', board, {});
  t.match(await partition.askAll([{ op: 'move.read', caller: 'system', target: card, input: {} }]), [{ ok: false, error: { code: 'not_found' } }]);
  partition.notices.length = 0;
  await partition.must('board.restore', board, { is_listed: true });
  t.strictSame(moves(partition), [{ target: target_board_id, card_id: card }]);
  t.equal(await statusOf(partition, card), 'conflict');
});

t.test('MOVE1 for a year a board remembers where its cards went, and longer which are on their way', async (t) => {
  const keepHouse = takeOverIntervals(t);
  const { partition, board, card, new_id } = await leaving(t);
  const column_id = await partition.newColumn(board);
  const { id: other } = await partition.must('card.create', board, { column_id, title: 'Other', description: null, position: null });
  const target_board_id = ids.fresh();
  await partition.must('move.out', other, { new_id: ids.onBoard(boardKeyOf(target_board_id)), target_board_id, column_id, position: null });
  t.match(await partition.askAll([{ op: 'move.end', caller: 'system', target: card, input: { new_id, refusal: null } }]), [{ ok: true }]);
  const stateOf = async (id: Uuid): Promise<string> => {
    const outcome = await partition.ask('move.state', id, { awaited: null });
    return outcome.ok ? (JSON.parse(outcome.json ?? '') as { state: string }).state : outcome.error.code;
  };
  partition.passTime((MOVED_DAYS - 1) * DAY_MS);
  keepHouse();
  t.strictSame([await stateOf(card), await stateOf(other)], ['gone', 'leaving']);
  partition.passTime(2 * DAY_MS);
  keepHouse();
  t.strictSame([await stateOf(card), await stateOf(other)], ['not_found', 'leaving']);
  t.strictSame(partition.errors, []);
});

t.test('MOVE2 a card that arrived on a board that was deleted since is not free again, and comes back with that board', async (t) => {
  const { partition, card } = await leaving(t);
  const board = await partition.newBoard('Target');
  const column_id = await partition.newColumn(board);
  const ask = async (op: 'move.read' | 'move.refuse', target: Uuid, input: object): Promise<unknown> => {
    const [outcome] = await partition.askAll([{ op, caller: 'system', target, input } as BoardCommand]);
    return JSON.parse(outcome?.ok === true ? bodyOf(outcome) : 'null');
  };
  const { move, content } = (await ask('move.read', card, {})) as CardOnItsWay;
  const [arrived, late] = [ids.onBoard(boardKeyOf(board)), ids.onBoard(boardKeyOf(board))];
  const arrive = async (id: Uuid): Promise<string> => {
    const outcome = await partition.ask('move.in', board, { id, column_id, position: null, content, files: [] });
    return outcome.ok ? 'ok' : outcome.error.code;
  };
  const refuse = (new_id: Uuid): Promise<unknown> =>
    ask('move.refuse', board, { move: { ...move, new_id }, refusal: { code: 'not_found', detail: 'Board not found' } });
  t.equal(await arrive(arrived), 'ok');
  await partition.must('board.delete', board, {});
  t.equal(await arrive(late), 'not_found');
  t.strictSame([await refuse(arrived), await refuse(late)], [false, true]);
  await partition.must('board.restore', board, { is_listed: true });
  t.match(await partition.must('card.get', arrived, {}), { title: 'Call' });
  t.equal(await arrive(late), 'not_found', 'what it refused stays refused');
  t.strictSame(partition.errors, []);
});
