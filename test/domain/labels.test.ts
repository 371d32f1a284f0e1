import t from 'tap';
import { like } from './like.js';
import { ann, ben, BOARD_ID, Scenario } from './scenario.js';

t.test('LABEL2 a created label emits an event and is listed in order of creation', async (t) => {
  const scenario = Scenario.withBoard();
  const { body, events } = scenario.ask(ben, 'label.create', BOARD_ID, { name: 'urgent', color: '#f00' });
  t.strictSame(body, {
    id: body?.id,
    board_id: BOARD_ID,
    name: 'urgent',
    color: '#f00',
    created_at: body?.created_at,
    updated_at: body?.created_at,
  });
  like(t, events, [{ type: 'label.created', user_id: ben.id }]);
  t.strictSame(events[0]?.data, body);
  scenario.addLabel('almost');
  like(t, scenario.must(ben, 'label.list', BOARD_ID, {}), [{ name: 'urgent' }, { name: 'almost' }]);
});

t.test('LABEL2 an updated label shows its new name and colour on every card at once', async (t) => {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('A');
  const [with1, without] = [scenario.addCard(column, 'x'), scenario.addCard(column, 'y')];
  const label_id = scenario.addLabel('urgent');
  scenario.must(ann, 'card.addLabel', with1, { label_id });
  const { body, events } = scenario.ask(ben, 'label.update', label_id, { color: 'blue' });
  like(t, body, { name: 'urgent', color: 'blue' });
  like(t, events, [{ type: 'label.updated', user_id: ben.id, data: { id: label_id, color: 'blue' } }]);
  t.equal(events.length, 1);
  like(t, scenario.must(ben, 'card.get', with1, {}), { labels: [{ color: 'blue' }] });
  t.strictSame(scenario.must(ben, 'card.get', without, {})['labels'], []);
  like(t, scenario.ask(ben, 'label.update', label_id, {}), { events: [], decision: { changes: [] } });
});

t.test('LABEL2 deleting a label removes it from its cards without further events and leaves their updated_at unchanged', async (t) => {
  const scenario = Scenario.withBoard();
  const card = scenario.addCard(scenario.addColumn('A'), 'x');
  const [urgent, later] = [scenario.addLabel('urgent'), scenario.addLabel('later')];
  scenario.must(ann, 'card.addLabel', card, { label_id: urgent });
  const labelled = scenario.must(ann, 'card.addLabel', card, { label_id: later });
  const { json, events } = scenario.ask(ben, 'label.delete', urgent, {});
  t.equal(json, null);
  like(t, events, [{ type: 'label.deleted', user_id: ben.id, data: { id: urgent, name: 'urgent' } }]);
  t.equal(events.length, 1);
  const after = scenario.must(ben, 'card.get', card, {});
  like(t, after, { labels: [{ id: later }], updated_at: labelled.updated_at, updated_by: ann.id });
  t.equal((after['labels'] as unknown[]).length, 1);
});

t.test('LABEL2 statistics count the cards of each label, by name ignoring case', async (t) => {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('A');
  const [beta, alpha, gamma] = ['beta', 'Alpha', 'GAMMA'].map((name) => scenario.addLabel(name));
  for (const title of ['x', 'y']) {
    const card = scenario.addCard(column, title);
    scenario.must(ann, 'card.addLabel', card, { label_id: beta ?? '' });
    if (title === 'y') scenario.must(ann, 'card.addLabel', card, { label_id: gamma ?? '' });
  }
  t.strictSame(scenario.must(ben, 'label.stats', BOARD_ID, {}), [
    { label_id: alpha, name: 'Alpha', color: 'red', card_count: 0 },
    { label_id: beta, name: 'beta', color: 'red', card_count: 2 },
    { label_id: gamma, name: 'GAMMA', color: 'red', card_count: 1 },
  ]);
});

t.test('LABEL2 labels of one name are separated by id', async (t) => {
  const scenario = Scenario.withBoard();
  const ids = [scenario.addLabel('same'), scenario.addLabel('SAME')];
  like(
    t,
    scenario.must(ben, 'label.stats', BOARD_ID, {}),
    ids.sort().map((label_id) => ({ label_id })),
  );
});
