import t from 'tap';
import { crowdedBoard, idOf } from './fullBoard.js';
import { like } from './like.js';
import { ann, ben, BOARD_ID, cleo, UNKNOWN_ID, Scenario, type Result } from './scenario.js';
import { RANK_GAP } from '../../src/domain/content/defaults.js';

const titles = (scenario: Scenario): string[][] => scenario.full.columns.map(({ cards }) => cards.map(({ title }) => title));

t.test('COLUMN1 a new card goes last or to the given position', async (t) => {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('A');
  scenario.addCard(column, 'two');
  scenario.addCard(column, 'three');
  scenario.addCard(column, 'one', 0);
  scenario.addCard(column, 'four', 7);
  t.strictSame(titles(scenario), [['one', 'two', 'three', 'four']]);
});

t.test('COLUMN1 card.created carries the whole card that the creator gets', async (t) => {
  const scenario = Scenario.withBoard();
  const column_id = scenario.addColumn('A');
  const input = { column_id, title: 'Write', description: 'a "lot"', position: null };
  const { body, events } = scenario.ask(ben, 'card.create', BOARD_ID, input);
  t.strictSame(body, {
    id: body?.id,
    board_id: BOARD_ID,
    column_id,
    title: 'Write',
    description: 'a "lot"',
    rank: RANK_GAP,
    number: 1,
    cover: null,
    start_at: null,
    due_at: null,
    completed_at: null,
    reminder_minutes: null,
    comment_count: 0,
    text_version: 1,
    archived_at: null,
    created_by: ben.id,
    updated_by: ben.id,
    created_at: body?.created_at,
    updated_at: body?.created_at,
    labels: [],
    assignees: [],
    checklists: [],
    attachments: [],
  });
  like(t, events, [{ type: 'card.created', user_id: ben.id }]);
  t.strictSame(events[0]?.data, body);
  t.strictSame(scenario.must(ben, 'card.get', body?.id ?? '', {}), body);
});

t.test('ACCESS5 a card cannot be created in, or moved to, a column that is not on the board', async (t) => {
  const scenario = Scenario.withBoard();
  const notFound = { code: 'not_found', detail: 'Column not found' };
  const input = { column_id: UNKNOWN_ID, title: 'x', description: null, position: null };
  t.strictSame(scenario.ask(ann, 'card.create', BOARD_ID, input).error, notFound);
  t.strictSame(scenario.ask(ann, 'card.create', BOARD_ID, { ...input, column_id: BOARD_ID }).error, notFound);
  const card = scenario.addCard(scenario.addColumn('A'), 'x');
  t.strictSame(scenario.ask(ann, 'card.move', card, { column_id: card, position: 0 }).error, notFound);
});

t.test('BOARD6 an update changes the given fields, null clears the description, and an update without fields emits nothing', async (t) => {
  const scenario = Scenario.withBoard();
  const card = scenario.addCard(scenario.addColumn('A'), 'x');
  const first = scenario.ask(ben, 'card.update', card, { description: 'long' });
  like(t, first.body, { title: 'x', description: 'long', updated_by: ben.id, created_by: ann.id });
  like(t, first.events, [{ type: 'card.updated', user_id: ben.id, data: { description: 'long' } }]);
  t.equal(scenario.must(ben, 'card.update', card, { description: null })['description'], null);
  const untouched = scenario.ask(ann, 'card.update', card, {});
  like(t, untouched, { events: [], body: { updated_by: ben.id } });
});

t.test('CARD5 deleting a card emits its last state and removes its contents', async (t) => {
  const scenario = Scenario.withBoard();
  const card = scenario.addCard(scenario.addColumn('A'), 'x');
  const item = scenario.addItem(scenario.addChecklist(card, 'steps'), 'first');
  const { json, events } = scenario.ask(ben, 'card.delete', card, {});
  t.equal(json, null);
  like(t, events, [{ type: 'card.deleted', data: { id: card, checklists: [{ items: [{ id: item }] }] } }]);
  t.equal(scenario.ask(ben, 'card.get', card, {}).error?.code, 'not_found');
  t.equal(scenario.ask(ben, 'item.delete', item, {}).error?.code, 'not_found');
});

t.test('CARD7 a move within the column follows the position', async (t) => {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('A');
  const [a] = ['a', 'b', 'c'].map((title) => scenario.addCard(column, title));
  const { body, events } = scenario.ask(ben, 'card.move', a ?? '', { column_id: null, position: 1 });
  like(t, body, { column_id: column, updated_by: ben.id });
  like(t, events, [{ type: 'card.moved', user_id: ben.id }]);
  t.strictSame(events[0]?.data, body);
  t.strictSame(titles(scenario), [['b', 'a', 'c']]);
  scenario.must(ben, 'card.move', a ?? '', { column_id: column, position: null });
  t.strictSame(titles(scenario), [['b', 'c', 'a']], 'without a position it goes last');
});

t.test('CARD7 a move to another column goes to the given position there, or last', async (t) => {
  const scenario = Scenario.withBoard();
  const [from, to] = [scenario.addColumn('A'), scenario.addColumn('B')];
  const [a, b, c] = ['a', 'b', 'c'].map((title) => scenario.addCard(from, title));
  scenario.addCard(to, 'x');
  scenario.must(ben, 'card.move', a ?? '', { column_id: to, position: null });
  scenario.must(ben, 'card.move', b ?? '', { column_id: to, position: 0 });
  scenario.must(ben, 'card.move', c ?? '', { column_id: to, position: 1 });
  t.strictSame(titles(scenario), [[], ['b', 'c', 'x', 'a']]);
});

t.test('CARD7 a move to the current position keeps the rank and emits an event', async (t) => {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('A');
  const [a, b, c] = ['a', 'b', 'c'].map((title) => scenario.addCard(column, title));
  scenario.must(ann, 'card.delete', b ?? '', {});
  const last = scenario.ask(ben, 'card.move', c ?? '', { column_id: column, position: 9 });
  t.equal(last.body?.rank, 3 * RANK_GAP);
  like(t, last.events, [{ type: 'card.moved', user_id: ben.id, data: { id: c, updated_by: ben.id } }]);
  t.equal(scenario.must(ben, 'card.move', a ?? '', { column_id: null, position: 0 }).rank, RANK_GAP);
});

t.test('CARD9 assigning adds members, emits one event for each named user, and each event shows the final card', async (t) => {
  const scenario = Scenario.withBoard();
  const card = scenario.addCard(scenario.addColumn('A'), 'x');
  scenario.must(ann, 'card.assign', card, { user_ids: [ann.id] });
  const { body, events } = scenario.ask(ben, 'card.assign', card, { user_ids: [ben.id, ann.id, ben.id] });
  like(t, body, { assignees: [{ id: ann.id, email: ann.email }, { id: ben.id }], updated_by: ben.id });
  t.strictSame(Object.keys((body?.['assignees'] as object[] | undefined)?.[0] ?? {}), Object.keys(ann));
  like(t, events, [
    { type: 'card.assigned', user_id: ben.id },
    { type: 'card.assigned', user_id: ben.id },
  ]);
  t.equal(events.length, 2);
  for (const { data } of events) t.strictSame(data, body);
});

t.test('CARD9 assigning assigned users changes nothing but emits events; an empty list does nothing', async (t) => {
  const scenario = Scenario.withBoard();
  const card = scenario.addCard(scenario.addColumn('A'), 'x');
  scenario.must(ann, 'card.assign', card, { user_ids: [ben.id] });
  const again = scenario.ask(ben, 'card.assign', card, { user_ids: [ben.id] });
  t.strictSame(again.decision.changes, []);
  t.strictSame(again.eventTypes, ['card.assigned']);
  const none = scenario.ask(ben, 'card.assign', card, { user_ids: [] });
  like(t, none, { error: null, events: [], body: { assignees: [{ id: ben.id }] } });
});

t.test('CARD9 one user who is not on the board refuses the whole assignment and is named', async (t) => {
  const scenario = Scenario.withBoard();
  const card = scenario.addCard(scenario.addColumn('A'), 'x');
  const { decision } = scenario.ask(ann, 'card.assign', card, { user_ids: [ben.id, cleo.id, UNKNOWN_ID, cleo.id] });
  like(t, decision.outcome, { ok: false, error: { code: 'forbidden' }, unknownUsers: [cleo.id, UNKNOWN_ID] });
  t.strictSame(scenario.must(ann, 'card.get', card, {})['assignees'], []);
});

t.test('CARD9 more users than the events of a card of this size allow are refused', async (t) => {
  const { seq, entities } = crowdedBoard({ columns: 1, cards: 1, items: 400 });
  const item = entities.item.map((each) => ({ ...each, content: 'x'.repeat(10_000) }));
  const crowd = Array.from({ length: 10 }, (_, n) => ({ ...cleo, id: `aaaaaaaa-0000-4000-8000-0000000001${10 + n}` }));
  const times = { created_at: '2029-01-01T00:00:00.000Z', updated_at: '2029-01-01T00:00:00.000Z' };
  const guests = crowd.map((user) => ({
    id: user.id,
    role: 'member' as const,
    user,
    is_starred: false,
    assignable_since: 0,
    reminder_minutes: null,
    ...times,
  }));
  const member = [...entities.member, ...guests];
  const scenario = Scenario.loaded({ epoch: '0', seq, entities: { ...entities, item, member } });
  const assign = (count: number): Result => scenario.ask(ann, 'card.assign', idOf('ca', 1), { user_ids: crowd.slice(0, count).map(({ id }) => id) });
  like(t, assign(10).error, { code: 'invalid', detail: /^user_ids: 10 at once are too many/ });
  t.equal(assign(5).events.length, 5);
});

t.test('CARD14 unassigning emits an event, and a user who is not assigned is not found', async (t) => {
  const scenario = Scenario.withBoard();
  const card = scenario.addCard(scenario.addColumn('A'), 'x');
  scenario.must(ann, 'card.assign', card, { user_ids: [ben.id, ann.id] });
  const { json, events } = scenario.ask(ben, 'card.unassign', card, { user_id: ben.id });
  t.equal(json, null);
  like(t, events, [{ type: 'card.unassigned', user_id: ben.id, data: { id: card, assignees: [{ id: ann.id }] } }]);
  t.equal(scenario.ask(ben, 'card.unassign', card, { user_id: ben.id }).error?.code, 'not_found');
});

t.test('CARD14 adding a label that is on the card changes nothing and emits nothing', async (t) => {
  const scenario = Scenario.withBoard();
  const card = scenario.addCard(scenario.addColumn('A'), 'x');
  const label_id = scenario.addLabel('urgent');
  const first = scenario.ask(ben, 'card.addLabel', card, { label_id });
  like(t, first.body, { labels: [{ id: label_id, name: 'urgent', board_id: BOARD_ID }], updated_by: ben.id });
  like(t, first.events, [{ type: 'card.labeled', user_id: ben.id }]);
  t.strictSame(first.events[0]?.data, first.body);
  const again = scenario.ask(ann, 'card.addLabel', card, { label_id });
  like(t, again, { error: null, events: [], decision: { changes: [] } });
  t.strictSame(again.body, first.body);
});

t.test('CARD14 removing a label emits card.unlabeled, and a label that is not on the card or board is not found', async (t) => {
  const scenario = Scenario.withBoard();
  const card = scenario.addCard(scenario.addColumn('A'), 'x');
  const [urgent, later] = [scenario.addLabel('urgent'), scenario.addLabel('later')];
  scenario.must(ann, 'card.addLabel', card, { label_id: urgent });
  const remove = (label_id: string) => scenario.ask(ben, 'card.removeLabel', card, { label_id });
  like(t, remove(later).error, { code: 'not_found', detail: /does not have/ });
  like(t, remove(UNKNOWN_ID).error, { code: 'not_found', detail: 'Label not found' });
  like(t, remove(urgent), { json: null, events: [{ type: 'card.unlabeled', data: { id: card, labels: [] } }] });
  like(t, scenario.ask(ben, 'card.addLabel', card, { label_id: UNKNOWN_ID }).error, { detail: 'Label not found' });
});

t.test('COMMIT7 a refused command leaves the board unchanged, also for the next command', async (t) => {
  const scenario = Scenario.withBoard();
  const card = scenario.addCard(scenario.addColumn('A'), 'x');
  const before = JSON.stringify(scenario.full);
  scenario.ask(ann, 'card.assign', card, { user_ids: [ben.id, UNKNOWN_ID] });
  scenario.ask(ann, 'card.move', card, { column_id: UNKNOWN_ID, position: 0 });
  t.equal(JSON.stringify(scenario.full), before);
});
