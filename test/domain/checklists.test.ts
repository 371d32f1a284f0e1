import t from 'tap';
import { like } from './like.js';
import { ann, ben, cleo, UNKNOWN_ID, Scenario } from './scenario.js';
import { RANK_GAP } from '../../src/domain/content/defaults.js';

function withCard(): { scenario: Scenario; card: string } {
  const scenario = Scenario.withBoard();
  return { scenario, card: scenario.addCard(scenario.addColumn('A'), 'x') };
}

t.test('COLUMN1 a new checklist goes last in its card', async (t) => {
  const { scenario, card } = withCard();
  const { body, events } = scenario.ask(ben, 'checklist.create', card, { title: 'steps' });
  t.strictSame(body, {
    id: body?.id,
    card_id: card,
    title: 'steps',
    rank: RANK_GAP,
    created_at: body?.created_at,
    updated_at: body?.created_at,
    items: [],
  });
  like(t, events, [{ type: 'checklist.created', user_id: ben.id }]);
  t.strictSame(events[0]?.data, body);
  t.equal(scenario.must(ben, 'checklist.create', card, { title: 'more' }).rank, 2 * RANK_GAP);
  like(t, scenario.must(ben, 'card.get', card, {}), { checklists: [{ title: 'steps' }, { title: 'more' }] });
});

t.test('BOARD6 renaming a checklist emits checklist.updated', async (t) => {
  const { scenario, card } = withCard();
  const checklist = scenario.addChecklist(card, 'steps');
  scenario.addItem(checklist, 'first');
  const { body, events } = scenario.ask(ben, 'checklist.update', checklist, { title: 'stages' });
  like(t, body, { title: 'stages', items: [{ content: 'first' }] });
  like(t, events, [{ type: 'checklist.updated', data: { title: 'stages', items: [{}] } }]);
  like(t, scenario.ask(ben, 'checklist.update', checklist, {}), { events: [], body: { title: 'stages' } });
});

t.test('CARD7 a checklist moves within its card', async (t) => {
  const { scenario, card } = withCard();
  const [a] = ['a', 'b', 'c'].map((title) => scenario.addChecklist(card, title));
  const { events } = scenario.ask(ben, 'checklist.move', a ?? '', { position: 1 });
  like(t, events, [{ type: 'checklist.moved', user_id: ben.id, data: { id: a } }]);
  const titles = scenario.full.columns[0]?.cards[0]?.checklists.map(({ title }) => title);
  t.strictSame(titles, ['b', 'a', 'c']);
});

t.test('CARD5 deleting a checklist removes its items, with one event', async (t) => {
  const { scenario, card } = withCard();
  const checklist = scenario.addChecklist(card, 'steps');
  const item = scenario.addItem(checklist, 'first');
  const { json, events } = scenario.ask(ben, 'checklist.delete', checklist, {});
  t.equal(json, null);
  like(t, events, [{ type: 'checklist.deleted', data: { id: checklist, items: [{ id: item }] } }]);
  t.equal(events.length, 1);
  t.equal(scenario.ask(ben, 'item.update', item, { is_done: true }).error?.code, 'not_found');
});

t.test('COLUMN1 a new item goes last, not done and unassigned', async (t) => {
  const { scenario, card } = withCard();
  const checklist = scenario.addChecklist(card, 'steps');
  scenario.addItem(checklist, 'first');
  const { body, events } = scenario.ask(ben, 'item.create', checklist, { content: 'second' });
  t.strictSame(body, {
    id: body?.id,
    checklist_id: checklist,
    content: 'second',
    is_done: false,
    due_at: null,
    rank: 2 * RANK_GAP,
    created_at: body?.created_at,
    updated_at: body?.created_at,
    assignees: [],
  });
  like(t, events, [{ type: 'checklist_item.created', user_id: ben.id }]);
  t.strictSame(events[0]?.data, body);
});

t.test('BOARD6 editing or completing an item emits checklist_item.updated', async (t) => {
  const { scenario, card } = withCard();
  const item = scenario.addItem(scenario.addChecklist(card, 'steps'), 'first');
  const { body, events } = scenario.ask(ben, 'item.update', item, { is_done: true });
  like(t, body, { content: 'first', is_done: true });
  like(t, events, [{ type: 'checklist_item.updated', user_id: ben.id, data: { is_done: true } }]);
  like(t, scenario.ask(ben, 'item.update', item, {}), { events: [], decision: { changes: [] } });
  like(t, scenario.must(ben, 'card.get', card, {}), { checklists: [{ items: [{ is_done: true }] }] });
});

t.test('CARD7 an item moves within its checklist and to another one of the board', async (t) => {
  const { scenario, card } = withCard();
  const other = scenario.addCard(scenario.addColumn('B'), 'y');
  const [from, to] = [scenario.addChecklist(card, 'steps'), scenario.addChecklist(other, 'stages')];
  const [a] = ['a', 'b'].map((content) => scenario.addItem(from, content));
  scenario.addItem(to, 'x');
  const contents = (): unknown[][] =>
    [card, other].map((id) => {
      const { checklists } = scenario.must(ben, 'card.get', id, {}) as unknown as Checklists;
      return checklists.flatMap(({ items }) => items.map(({ content }) => content));
    });
  const within = scenario.ask(ben, 'item.move', a ?? '', { checklist_id: null, position: 1 });
  like(t, within.events, [{ type: 'checklist_item.moved', user_id: ben.id, data: { id: a, checklist_id: from } }]);
  t.strictSame(contents(), [['b', 'a'], ['x']]);
  const across = scenario.ask(ben, 'item.move', a ?? '', { checklist_id: to, position: 0 });
  like(t, across.body, { id: a, checklist_id: to });
  t.strictSame(contents(), [['b'], ['a', 'x']]);
});

interface Checklists {
  checklists: { items: { content: string }[] }[];
}

t.test('CARD7 an item cannot move to a checklist that is not on the board', async (t) => {
  const { scenario, card } = withCard();
  const item = scenario.addItem(scenario.addChecklist(card, 'steps'), 'first');
  for (const checklist_id of [UNKNOWN_ID, card]) {
    const { error } = scenario.ask(ben, 'item.move', item, { checklist_id, position: 0 });
    t.strictSame(error, { code: 'not_found', detail: 'Checklist not found' });
  }
});

t.test('CARD5 deleting an item emits its last state', async (t) => {
  const { scenario, card } = withCard();
  const item = scenario.addItem(scenario.addChecklist(card, 'steps'), 'first');
  const { json, events } = scenario.ask(ben, 'item.delete', item, {});
  t.equal(json, null);
  like(t, events, [{ type: 'checklist_item.deleted', data: { id: item, content: 'first' } }]);
});

t.test('CARD9 items are assigned by the rules of cards', async (t) => {
  const { scenario, card } = withCard();
  const item = scenario.addItem(scenario.addChecklist(card, 'steps'), 'first');
  const { body, events, eventTypes } = scenario.ask(ben, 'item.assign', item, { user_ids: [ben.id, ann.id, ben.id] });
  like(t, body, { assignees: [{ id: ben.id }, { id: ann.id }] });
  t.strictSame(eventTypes, ['checklist_item.assigned', 'checklist_item.assigned']);
  for (const { data } of events) t.strictSame(data, body);
  const again = scenario.ask(ben, 'item.assign', item, { user_ids: [ann.id] });
  like(t, again, { eventTypes: ['checklist_item.assigned'], decision: { changes: [] } });
  like(t, scenario.ask(ben, 'item.assign', item, { user_ids: [] }), { error: null, events: [] });
  const strangers = scenario.ask(ben, 'item.assign', item, { user_ids: [cleo.id] }).decision.outcome;
  like(t, strangers, { ok: false, error: { code: 'forbidden' }, unknownUsers: [cleo.id] });
});

t.test('CARD14 unassigning emits an event, and a user who is not assigned is not found', async (t) => {
  const { scenario, card } = withCard();
  const item = scenario.addItem(scenario.addChecklist(card, 'steps'), 'first');
  scenario.must(ann, 'item.assign', item, { user_ids: [ben.id] });
  const { json, events } = scenario.ask(ben, 'item.unassign', item, { user_id: ben.id });
  t.equal(json, null);
  like(t, events, [{ type: 'checklist_item.unassigned', user_id: ben.id, data: { id: item, assignees: [] } }]);
  t.equal(scenario.ask(ben, 'item.unassign', item, { user_id: ben.id }).error?.code, 'not_found');
});
