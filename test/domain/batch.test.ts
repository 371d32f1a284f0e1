import t from 'tap';
import { MAX_BATCH_RECORDS } from '../../src/domain/commands/batch.js';
import type { BatchStep } from '../../src/domain/commands/commands.js';
import type { Uuid } from '../../src/domain/ids.js';
import { MAX_ON_ONE } from '../../src/domain/limits.js';
import { DEFAULT_LIMITS } from '../support/board/boardLimits.js';
import { crowdedBoard, idOf } from './fullBoard.js';
import { ann, ben, BOARD_ID, cleo, idleRule, Scenario, UNKNOWN_ID, type Result } from './scenario.js';

const idAt = (n: number): Uuid => `b0a2db0a-2d00-4000-8000-ba000000000${n}`;

function createCard(column_id: Uuid, title: string, id: Uuid): BatchStep {
  return { op: 'card.create', target: BOARD_ID, input: { column_id, title, description: null, position: null }, status: 201, id };
}

function move(card: Uuid, column_id: Uuid): BatchStep {
  return { op: 'card.move', target: card, input: { column_id, position: 0 }, status: 200, id: null };
}

function run(scenario: Scenario, operations: readonly BatchStep[], user = ann): Result {
  return scenario.ask(user, 'board.batch', BOARD_ID, { operations });
}

t.test('BATCH1 the operations run in order, see each other, and each has its answer and its events', async (t) => {
  const scenario = Scenario.withBoard();
  const before = scenario.state.seq;
  const column: BatchStep = {
    op: 'column.create',
    target: BOARD_ID,
    input: { title: 'New', color: '#fff', is_done_column: false, position: null },
    status: 201,
    id: idAt(0),
  };
  const rename: BatchStep = { op: 'card.update', target: idAt(1), input: { title: 'Renamed' }, status: 200, id: null };
  const remove: BatchStep = { op: 'card.delete', target: idAt(2), input: {}, status: 204, id: null };
  const result = run(scenario, [column, createCard(idAt(0), 'A', idAt(1)), createCard(idAt(0), 'B', idAt(2)), rename, remove]);
  t.equal(result.error, null);
  const { answers } = result.body as unknown as { answers: Array<{ status: number; body: { id: Uuid; title: string } | null }> };
  t.strictSame(
    answers.map(({ status, body }) => [status, body?.id ?? null, body?.title ?? null]),
    [
      [201, idAt(0), 'New'],
      [201, idAt(1), 'A'],
      [201, idAt(2), 'B'],
      [200, idAt(1), 'Renamed'],
      [204, null, null],
    ],
  );
  t.strictSame(result.eventTypes, ['column.created', 'card.created', 'card.created', 'card.updated', 'card.deleted']);
  t.equal(scenario.state.seq, before + 5);
  t.strictSame(
    scenario.full.columns.map((each) => [each.title, each.cards.map(({ title }) => title)]),
    [['New', ['Renamed']]],
  );
});

t.test('BATCH1 automation runs as for a single operation, and a refusal later undoes that too', async (t) => {
  const scenario = Scenario.withBoard();
  const [todo, done] = [scenario.addColumn('To do'), scenario.addColumn('Done')];
  const card = scenario.addCard(todo, 'A');
  scenario.must(ann, 'rule.create', BOARD_ID, { ...idleRule, trigger_type: 'CARD_MOVED', trigger_column_id: done });
  const unknown: BatchStep = { op: 'card.delete', target: UNKNOWN_ID, input: {}, status: 204, id: null };
  const before = scenario.full;
  t.match(run(scenario, [move(card, done), unknown]), { error: { code: 'not_found' }, events: [] });
  t.strictSame(scenario.full, before);
  t.strictSame(run(scenario, [move(card, done)]).eventTypes, ['card.moved', 'card.assigned']);
});

t.test('BATCH1 a card that a batch creates, archives and restores stays on the board', async (t) => {
  const scenario = Scenario.withBoard();
  const [column, other] = [scenario.addColumn('To do'), scenario.addColumn('Done')];
  const archive: BatchStep = { op: 'column.archive', target: column, input: {}, status: 200, id: null };
  const restore: BatchStep = { op: 'column.restore', target: column, input: { position: null }, status: 200, id: null };
  t.equal(run(scenario, [createCard(column, 'A', idAt(1)), archive, restore, move(idAt(1), other)]).error, null);
  t.strictSame(
    scenario.full.columns.map(({ cards }) => cards.map(({ title, number }) => [title, number])),
    [[], [['A', 1]]],
  );
  scenario.must(ann, 'column.delete', column, {});
  t.match(scenario.must(ann, 'card.get', idAt(1), {}), { title: 'A', column_id: other });
});

t.test('BATCH2 the first refusal is that of the batch, and names its operation', async (t) => {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('To do');
  const card = scenario.addCard(column, 'A');
  const assign: BatchStep = { op: 'card.assign', target: card, input: { user_ids: [cleo.id] }, status: 200, id: null };
  const invalid: BatchStep = {
    op: 'card.update',
    target: card,
    input: { refused: { code: 'invalid', detail: 'title: is empty' }, path: {} },
    status: 200,
    id: null,
  };
  const rule: BatchStep = { op: 'rule.create', target: BOARD_ID, input: idleRule, status: 201, id: idAt(3) };
  const refusal = (operations: readonly BatchStep[], user = ann): unknown => run(scenario, operations, user).decision.outcome;
  t.match(refusal([move(card, column), assign, invalid]), { ok: false, step: 1, unknownUsers: [cleo.id], error: { code: 'forbidden' } });
  t.match(refusal([invalid, assign]), { step: 0, error: { code: 'invalid', detail: 'title: is empty' } });
  t.match(refusal([move(card, column), rule], ben), { step: 1, error: { code: 'forbidden' } }, 'each needs its own right');
  t.match(refusal([move(card, column)], cleo), { ok: false, error: { code: 'forbidden' }, step: undefined });
  t.match(refusal([createCard(column, 'B', idAt(1)), createCard(column, 'C', idAt(1))]), { step: 1, error: { code: 'invalid' } }, 'an id twice');
});

t.test('BATCH2 the limits of a board hold for each operation', async (t) => {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('To do');
  const card = scenario.addCard(column, 'A');
  scenario.limits = { ...DEFAULT_LIMITS, cards: 2 };
  const remove: BatchStep = { op: 'card.delete', target: card, input: {}, status: 204, id: null };
  const [b, c] = [createCard(column, 'B', idAt(1)), createCard(column, 'C', idAt(2))];
  t.match(run(scenario, [b, c, remove]).decision.outcome, { step: 1, error: { code: 'limit', detail: /at most 2 cards/ } });
  t.equal(run(scenario, [remove, b, c]).error, null, 'what a step removes makes room for the next');
  const two = scenario.full.columns[0]?.cards.length;
  t.equal(two, 2);
});

t.test('BATCH2 a batch stays small: in records, and in what it answers and publishes', async (t) => {
  const scenario = Scenario.loaded(crowdedBoard({ columns: 2, cards: MAX_BATCH_RECORDS / 2 + 1, items: 0 }));
  const column = idOf('c0', 1);
  const rename: BatchStep = { op: 'column.update', target: column, input: { title: 'Later' }, status: 200, id: null };
  t.equal(run(scenario, [rename]).error, null);
  t.match(run(scenario, [rename, rename]).decision.outcome, { step: 1, error: { code: 'limit', detail: /at most 2000 records/ } });
  const remove: BatchStep = { op: 'column.delete', target: column, input: {}, status: 204, id: null };
  t.match(run(scenario, [remove]).decision.outcome, { step: 0, error: { code: 'limit', detail: /a request of its own/ } });

  const card = scenario.must(ann, 'card.create', BOARD_ID, {
    column_id: idOf('c0', 2),
    title: 'L',
    description: 'x'.repeat(10_000),
    position: null,
  }).id;
  const list = scenario.must(ann, 'checklist.create', card, { title: 'C' }).id;
  for (let n = 0; n < 10; n += 1) scenario.must(ann, 'item.create', list, { content: 'y'.repeat(10_000) });
  const touch: BatchStep = { op: 'card.update', target: card, input: { title: 'M' }, status: 200, id: null };
  t.match(
    run(
      scenario,
      Array.from({ length: 50 }, () => touch),
    ).error,
    { code: 'limit', detail: /characters/ },
  );
});

t.test('BATCH2 columns that are archived, restored or deleted in the archive count with their cards', async (t) => {
  const [columns, cards] = [5, 450];
  const board = crowdedBoard({ columns, cards: columns * cards, items: 0 });
  const card = board.entities.card.map((each, n) => ({ ...each, column_id: idOf('c0', Math.floor(n / cards) + 1) }));
  const scenario = Scenario.loaded({ ...board, entities: { ...board.entities, card } });
  const ids = Array.from({ length: columns }, (_, n) => idOf('c0', n + 1));
  const each = (op: 'column.archive' | 'column.restore' | 'column.delete'): readonly BatchStep[] =>
    ids.map((target) => ({ op, target, input: { position: null }, status: 200, id: null }) as BatchStep);
  const refusal = (operations: readonly BatchStep[]): unknown => run(scenario, operations).decision.outcome;
  const tooMany = { code: 'limit', detail: /at most 2000 records/ };
  t.match(refusal(each('column.archive')), { step: 2, error: tooMany }, 'each card twice: on the board and in the archive');
  for (const id of ids) scenario.must(ann, 'column.archive', id, {});
  t.match(refusal(each('column.restore')), { step: 2, error: tooMany });
  t.match(refusal(each('column.delete')), { step: 4, error: tooMany }, 'before it is deleted');
  t.equal(run(scenario, each('column.delete').slice(0, 4)).error, null);
});

t.test('BATCH2 comments that are deleted count with their files, each of which goes to the trash by an event of its own', async (t) => {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('To do');
  const removals: BatchStep[] = [];
  for (let n = 0; n < 10; n += 1) {
    const card = scenario.addCard(column, 'A');
    const comment = scenario.must(ann, 'comment.create', card, { body: 'Look' }).id;
    for (let file = 0; file < MAX_ON_ONE.files; file += 1)
      scenario.must(ann, 'commentFile.link', comment, { url: 'https://example.org/', title: null });
    removals.push({ op: 'comment.delete', target: comment, input: {}, status: 204, id: null });
  }
  t.match(run(scenario, removals).decision.outcome, { step: 9, error: { code: 'limit', detail: /at most 2000 records/ } });
  t.equal(run(scenario, removals.slice(0, 9)).error, null);
});

t.test('IDEM20 a batch that is repeated after its answer was forgotten shows what it made, to its creator alone', async (t) => {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('To do');
  const other = scenario.addCard(column, 'Other');
  const checklist: BatchStep = { op: 'checklist.create', target: idAt(0), input: { title: 'Steps' }, status: 201, id: idAt(1) };
  const label: BatchStep = { op: 'label.create', target: BOARD_ID, input: { name: 'new', color: 'red' }, status: 201, id: idAt(2) };
  const rename: BatchStep = { op: 'card.update', target: other, input: { title: 'By the batch' }, status: 200, id: null };
  const remove: BatchStep = { op: 'card.delete', target: scenario.addCard(column, 'Gone'), input: {}, status: 204, id: null };
  const steps = [createCard(column, 'A', idAt(0)), checklist, rename, remove];
  t.equal(run(scenario, steps).error, null);
  scenario.must(ann, 'card.update', idAt(0), { title: 'Renamed' });
  scenario.must(ann, 'card.update', other, { title: 'By ann' });
  const before = scenario.full;

  const late = run(scenario, steps);
  t.match(late.decision, { outcome: { ok: true, replayed: true }, changes: [], events: [], keep: null });
  t.notOk('position' in late.decision.outcome);
  t.match(late.body, {
    answers: [
      { status: 201, body: { id: idAt(0), title: 'Renamed' } },
      { status: 201, body: { id: idAt(1), title: 'Steps' } },
      { status: 200, body: { id: other, title: 'By ann' } },
      { status: 204, body: null },
    ],
  });
  t.strictSame(scenario.full, before, 'nothing is carried out again');

  const refusal = (operations: readonly BatchStep[], user = ann): unknown => run(scenario, operations, user).decision.outcome;
  t.match(refusal(steps, ben), { step: 0, error: { code: 'invalid' } }, 'of another member');
  t.match(refusal([createCard(column, 'A', idAt(1))]), { step: 0, error: { code: 'invalid' } }, 'an id of another kind');
  t.match(refusal([createCard(column, 'A', idAt(0)), label]), { step: 1, error: { code: 'conflict' } }, 'a part is missing');
  t.equal(run(scenario, [label]).error, null);
  t.match(refusal([label]), { step: 0, error: { code: 'invalid' } }, 'nothing tells whose label it is');
  const rule: BatchStep = { op: 'rule.create', target: BOARD_ID, input: idleRule, status: 201, id: idAt(3) };
  t.match(refusal([createCard(column, 'A', idAt(0)), rule], ben), { step: 1, error: { code: 'forbidden' } }, 'rights come first');
  t.strictSame(scenario.full.columns, before.columns);
});
