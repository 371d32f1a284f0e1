import t from 'tap';
import { LARGE_EVENT_CHARACTERS } from '../../src/domain/events.js';
import type { Idempotency } from '../../src/domain/idempotency.js';
import { boardKeyOf, type Uuid } from '../../src/domain/ids.js';
import { cutIntoSlices } from '../../src/domain/document/boardPlan.js';
import { AppError } from '../../src/domain/errors.js';
import type { BoardCommand, BoardCommands, BoardOperation } from '../../src/domain/commands/commands.js';
import type { FoundAnswer, ImportAnswer } from '../../src/domain/ports/boardsPort.js';
import type { BoardReply, ShardCommand } from '../../src/partitions/messages.js';
import { planned } from '../support/board/plannedBoard.js';
import { manyTurns, until } from '../support/until.js';
import { ann, ben, bodyOf, command, TestPartition, toBoardOutcome } from '../support/store/faultyStorePartition.js';

const KEY: Idempotency = { key: 'a key', fingerprint: 'a' };
const DAY_MS = 86_400_000;

function keyed<Op extends BoardOperation>(op: Op, target: Uuid, input: BoardCommands[Op], idempotency = KEY, user = ann): ShardCommand {
  const asked: BoardCommand = { ...command(op, target, input, user), idempotency };
  return { kind: 'keyed', command: asked };
}

async function askOnce<Op extends BoardOperation>(
  partition: TestPartition,
  op: Op,
  target: Uuid,
  input: BoardCommands[Op],
  idempotency = KEY,
): Promise<BoardReply> {
  const [outcome] = await partition.send([keyed(op, target, input, idempotency)]);
  if (outcome?.ok !== true) throw AppError.from(outcome?.error ?? { code: 'internal', detail: 'no answer' });
  return outcome.value as BoardReply;
}

const columnFields = { title: 'Once', color: '#fff', is_done_column: false, position: null };

t.test('IDEM1 the answer is in the commit of its change: both are stored, or neither', async (t) => {
  const partition = new TestPartition(t);
  const board = await partition.newBoard();
  partition.store.plant({ at: 'commit', error: new AppError('unavailable', 'The disk is full'), times: 2 });
  const [refused] = await partition.send([keyed('column.create', board, columnFields)]);
  t.match(refused, { ok: false, error: { code: 'unavailable' } });
  const first = await askOnce(partition, 'column.create', board, columnFields);
  t.equal(first.outcome.ok && first.outcome.replayed, undefined, 'nothing was kept with the failed commit');
  for (const again of ['memory', 'file'] as const) {
    if (again === 'file') partition.restart();
    const second = await askOnce(partition, 'column.create', board, columnFields);
    t.strictSame(second.outcome, { ...first.outcome, replayed: true }, `from ${again}`);
  }
  t.equal(partition.eventsOf(board).length, 1);
});

t.test('IDEM17 the second of two equal requests waits for the first, and both get the same answer', async (t) => {
  const partition = new TestPartition(t);
  const board = await partition.newBoard();
  partition.store.hold();
  const first = partition.send([keyed('column.create', board, columnFields), keyed('column.create', board, columnFields)]);
  const second = partition.send([keyed('column.create', board, columnFields)]);
  await manyTurns();
  t.strictSame(partition.store.waiting, ['commit']);
  partition.store.takePending().settle();
  const [a, b] = (await first).map(toBoardOutcome);
  partition.store.letGo();
  const [c] = (await second).map(toBoardOutcome);
  t.match(a, { ok: true, position: '1' });
  t.strictSame(
    [b, c],
    [
      { ...a, replayed: true },
      { ...a, replayed: true },
    ],
  );
  t.equal(partition.eventsOf(board).length, 1);
});

t.test('IDEM17 also if the first fails: then the second is carried out', async (t) => {
  const partition = new TestPartition(t);
  const board = await partition.newBoard();
  partition.store.hold();
  const first = partition.send([keyed('column.create', board, columnFields)]);
  const second = partition.send([keyed('column.create', board, columnFields)]);
  partition.store.takePending().fail(new AppError('unavailable', 'The disk is full'));
  await until(() => partition.store.waiting.length > 0);
  partition.store.takePending().fail(new AppError('unavailable', 'The disk is full'));
  partition.store.letGo();
  t.match(await first, [{ ok: false, error: { code: 'unavailable' } }]);
  await until(() => partition.store.waiting.length === 0);
  const [outcome] = (await second).map(toBoardOutcome);
  t.match(outcome, { ok: true, position: '1' });
  t.notOk(outcome?.ok === true && outcome.replayed);
});

t.test('IDEM1 a repeated answer carries the outbox entry that the first one waited for', async (t) => {
  const partition = new TestPartition(t);
  const board = await partition.newBoard();
  const invite = () => askOnce(partition, 'member.add', board, { user_id: ben.id, user: ben });
  const first = await invite();
  t.type(first.outboxId, 'number');
  t.strictSame(await invite(), { outcome: { ...first.outcome, replayed: true }, outboxId: first.outboxId });
});

t.test('IDEM8 an answer that was encoded in slices is shown again in slices', async (t) => {
  const partition = new TestPartition(t);
  const board = await partition.newBoard();
  const column_id = await partition.newColumn(board);
  const fields = { column_id, title: 'Card', description: 'x'.repeat(10_000), position: null };
  const cards = Math.ceil(LARGE_EVENT_CHARACTERS / 10_000) + 200;
  await partition.askAll(Array.from({ length: cards }, () => command('card.create', board, fields)));
  const move = async () => toBoardOutcome((await partition.send([keyed('column.move', column_id, { position: 0 })]))[0] ?? { ok: true, value: null });
  const first = JSON.parse(bodyOf(await move())) as { cards: unknown[] };
  const again = await move();
  t.match(again, { ok: true, replayed: true });
  t.strictSame(JSON.parse(bodyOf(again)), first);
  t.equal(first.cards.length, cards);
  t.match(partition.store.answers.find(ann.id, KEY.key, '2030-01-01T00:00:00.000Z'), { body: null, shows: { kind: 'column', id: column_id } });
});

const importAnswer: ImportAnswer = { scope: ann.id, key: 'import', fingerprint: 'a', body: '{"board":1}' };

async function find(partition: TestPartition, board_id: Uuid, key = 'import'): Promise<FoundAnswer> {
  const [outcome] = await partition.send([{ kind: 'answer.find', board_id, user_id: ann.id, key }]);
  if (outcome?.ok !== true) throw new Error('nothing was found');
  return outcome.value as FoundAnswer;
}

t.test('IDEM23 an import with a key is carried out once; an equal one waits for it', async (t) => {
  const partition = new TestPartition(t);
  const { board, changes } = planned(600);
  const plan = cutIntoSlices(board, changes);
  t.strictSame(await find(partition, board), { kept: null, board: 'none' });
  const [first, second, other] = await Promise.all([
    partition.send([{ kind: 'import', plan, keep: importAnswer }]),
    partition.send([{ kind: 'import', plan, keep: importAnswer }]),
    partition.send([{ kind: 'import', plan, keep: { ...importAnswer, fingerprint: 'b' } }]),
  ]);
  const { outboxId } = (first[0]?.ok === true ? first[0].value : {}) as BoardReply;
  t.type(outboxId, 'number');
  t.match(first, [{ ok: true, value: { outcome: { ok: true, json: null, position: '0' } } }]);
  const replayed = { ok: true, json: importAnswer.body, position: '0', replayed: true };
  t.strictSame(second, [{ ok: true, value: { outcome: replayed, outboxId } }]);
  t.match(other, [{ ok: true, value: { outcome: { ok: false, error: { code: 'invalid', detail: /another request/ } } } }]);
  partition.restart();
  t.match(await find(partition, board), { kept: { body: importAnswer.body }, board: 'exists' });
  t.strictSame(await partition.send([{ kind: 'import', plan, keep: importAnswer }]), second);
  t.match(await partition.send([{ kind: 'import', plan }]), [{ ok: true, value: { outcome: { ok: false, error: { code: 'conflict' } } } }]);
  await partition.must('board.delete', board, {});
  t.match(await find(partition, board), { kept: { body: importAnswer.body }, board: 'loose' });
});

t.test('IDEM23 rows of an import that was interrupted are told apart from a board', async (t) => {
  const partition = new TestPartition(t);
  const { board, changes } = planned(600);
  const plan = cutIntoSlices(board, changes);
  const importing = partition.send([{ kind: 'import', plan, keep: importAnswer }]);
  await until(() => partition.store.orphans.has(boardKeyOf(board)), undefined, 0);
  partition.restart();
  t.match(await importing, [{ ok: false, notHere: true }]);
  t.strictSame(await find(partition, board), { kept: null, board: 'loose' });
});

t.test('IDEM20 an answer that is a day old is forgotten, and its key is free', async (t) => {
  const partition = new TestPartition(t);
  const board = await partition.newBoard();
  await askOnce(partition, 'board.update', board, { title: 'First' });
  partition.passTime(DAY_MS - 1_000);
  t.match(await askOnce(partition, 'board.update', board, { title: 'First' }), { outcome: { replayed: true } });
  partition.passTime(2_000);
  const second = await askOnce(partition, 'board.update', board, { title: 'Second' }, { ...KEY, fingerprint: 'b' });
  t.match(second.outcome, { ok: true, position: '2' });
  t.notOk(second.outcome.ok && second.outcome.replayed);
});
