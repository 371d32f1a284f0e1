import t from 'tap';
import { like } from './like.js';
import { ann, ben, BOARD_ID, Scenario } from './scenario.js';
import { RANK_GAP } from '../../src/domain/content/defaults.js';

const titles = (scenario: Scenario): string[] => scenario.full.columns.map(({ title }) => title);

t.test('COLUMN1 a new column goes last or to the given position', async (t) => {
  const scenario = Scenario.withBoard();
  scenario.addColumn('B');
  scenario.addColumn('D');
  scenario.addColumn('A', 0);
  scenario.addColumn('C', 2);
  scenario.addColumn('E', 99);
  t.strictSame(titles(scenario), ['A', 'B', 'C', 'D', 'E']);
});

t.test('COLUMN1 column.created carries the column that the creator gets', async (t) => {
  const scenario = Scenario.withBoard();
  const { body, events } = scenario.ask(ben, 'column.create', BOARD_ID, {
    title: 'Done',
    color: '#0f0',
    is_done_column: true,
    position: null,
  });
  t.strictSame(body, {
    id: body?.id,
    board_id: BOARD_ID,
    title: 'Done',
    rank: RANK_GAP,
    color: '#0f0',
    is_done_column: true,
    created_by: ben.id,
    updated_by: ben.id,
    created_at: body?.created_at,
    updated_at: body?.created_at,
    archived_at: null,
    cards: [],
  });
  like(t, events, [{ type: 'column.created', user_id: ben.id }]);
  t.strictSame(events[0]?.data, body);
});

t.test('BOARD6 an update changes the given fields and keeps cards and rank', async (t) => {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('A');
  scenario.addCard(column, 'card');
  const { body, events } = scenario.ask(ben, 'column.update', column, { title: 'B', is_done_column: true });
  like(t, body, { title: 'B', is_done_column: true, color: '#fff', rank: RANK_GAP, updated_by: ben.id });
  like(t, body, { created_by: ann.id, cards: [{ title: 'card' }] });
  like(t, events, [{ type: 'column.updated', data: { id: column, cards: [{ title: 'card' }] } }]);
  like(t, scenario.ask(ben, 'column.update', column, {}), { events: [], body: { title: 'B' } });
});

t.test('CARD7 after a move the column is at the given position of the new order', async (t) => {
  const scenario = Scenario.withBoard();
  const [a] = ['A', 'B', 'C', 'D'].map((title) => scenario.addColumn(title));
  const to = (position: number): string[] => {
    scenario.must(ben, 'column.move', a ?? '', { position });
    return titles(scenario);
  };
  t.strictSame(to(2), ['B', 'C', 'A', 'D']);
  t.strictSame(to(0), ['A', 'B', 'C', 'D']);
  t.strictSame(to(3), ['B', 'C', 'D', 'A']);
  t.strictSame(to(1), ['B', 'A', 'C', 'D']);
  t.strictSame(to(1e308), ['B', 'C', 'D', 'A']);
});

t.test('CARD7 a move to the current position keeps the rank and emits an event', async (t) => {
  const scenario = Scenario.withBoard();
  const [, b, c] = ['A', 'B', 'C', 'D'].map((title) => scenario.addColumn(title));
  scenario.must(ann, 'column.delete', b ?? '', {});
  const { body, events } = scenario.ask(ben, 'column.move', c ?? '', { position: 1 });
  like(t, body, { rank: 3 * RANK_GAP, updated_by: ben.id }, 'not the middle between its neighbours');
  like(t, events, [{ type: 'column.moved', user_id: ben.id, data: { id: c, rank: 3 * RANK_GAP } }]);
});

t.test('CARD5 deleting a column removes everything in it, with one event', async (t) => {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('A');
  const card = scenario.addCard(column, 'card');
  const checklist = scenario.addChecklist(card, 'steps');
  const item = scenario.addItem(checklist, 'first');
  const file = { id: 'b0a2db0a-2d00-4000-8000-00000000f11e', name: 'a.txt', mime_type: 'text/plain', size: 3 };
  scenario.must(ann, 'attachment.create', card, file);
  const { json, events, decision } = scenario.ask(ben, 'column.delete', column, {});
  t.equal(json, null);
  like(t, events, [{ type: 'column.deleted', data: { id: column, cards: [{ checklists: [{ items: [{}] }] }] } }]);
  const removals = decision.changes.filter(({ kind }) => kind !== 'trashed');
  t.strictSame(removals, [
    { kind: 'column', remove: column },
    { kind: 'card', remove: card },
    { kind: 'checklist', remove: checklist },
    { kind: 'item', remove: item },
    { kind: 'attachment', remove: file.id },
  ]);
  t.equal(scenario.ask(ben, 'item.update', item, {}).error?.code, 'not_found');
  t.strictSame(scenario.full.columns, []);
});
