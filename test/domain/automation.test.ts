import t from 'tap';
import type { RuleFields } from '../../src/domain/model.js';
import { RANK_LIMIT } from '../../src/domain/board/order/rank.js';
import { crowdedBoard, idOf } from './fullBoard.js';
import { like } from './like.js';
import { ann, ben, BOARD_ID, Scenario } from './scenario.js';

interface Stage {
  scenario: Scenario;
  todo: string;
  doing: string;
  done: string;
  card: string;
  label: string;
}

/** A card in the first of three columns, a label not on it, and these rules. */
function stage(rules: (at: Omit<Stage, 'scenario' | 'card'>) => Partial<RuleFields>[]): Stage {
  const scenario = Scenario.withBoard();
  const [todo, doing, done] = [scenario.addColumn('Todo'), scenario.addColumn('Doing'), scenario.addColumn('Done')];
  const label = scenario.addLabel('urgent');
  const card = scenario.addCard(todo, 'card');
  const references = { trigger_column_id: null, trigger_label_id: null, action_column_id: null, action_user_id: null };
  for (const rule of rules({ todo, doing, done, label })) {
    const defaults = { name: 'rule', trigger_type: 'CARD_MOVED', action_type: 'ASSIGN_MEMBER' } as const;
    scenario.must(ann, 'rule.create', BOARD_ID, { ...defaults, ...references, is_enabled: true, ...rule });
  }
  return { scenario, todo, doing, done, card, label };
}

t.test('AUTO2 rules for created cards never run', async (t) => {
  const { scenario, todo } = stage(() => [{ trigger_type: 'CARD_CREATED', action_user_id: ben.id }]);
  const input = { column_id: todo, title: 'new', description: null, position: null };
  const { body, eventTypes } = scenario.ask(ann, 'card.create', BOARD_ID, input);
  t.strictSame(eventTypes, ['card.created']);
  t.strictSame(body?.['assignees'], []);
});

t.test('AUTO2 a move into the column of the rule triggers it, without a user and in the same commit', async (t) => {
  const { scenario, card, doing } = stage(({ doing }) => [{ trigger_column_id: doing, action_user_id: ben.id }]);
  const { body, events } = scenario.ask(ann, 'card.move', card, { column_id: doing, position: null });
  like(t, events, [
    { type: 'card.moved', user_id: ann.id, data: { id: card, column_id: doing, assignees: [] } },
    { type: 'card.assigned', user_id: null, data: { id: card, assignees: [{ id: ben.id }], updated_by: null } },
  ]);
  t.strictSame(events[0]?.data['assignees'], [], 'the first event shows the card before the rule');
  like(t, body, { assignees: [{ id: ben.id }] }, 'the answer shows it after');
});

t.test('AUTO2 a move elsewhere, or within the column, does not trigger the rule', async (t) => {
  const rule = ({ todo }: { todo: string }) => [{ trigger_column_id: todo, action_user_id: ben.id }];
  const { scenario, card, todo, doing } = stage(rule);
  const types = (column_id: string | null, position: number) => scenario.ask(ann, 'card.move', card, { column_id, position }).eventTypes;
  t.strictSame(types(null, 0), ['card.moved']);
  t.strictSame(types(todo, 0), ['card.moved']);
  t.strictSame(types(doing, 0), ['card.moved']);
  t.strictSame(types(todo, 0), ['card.moved', 'card.assigned'], 'coming back from another column does');
});

t.test('AUTO2 adding a label triggers a rule only if the label is new on the card', async (t) => {
  const { scenario, card, label, done } = stage(({ label, done }) => [
    { trigger_type: 'LABEL_ADDED', trigger_label_id: label, action_type: 'MOVE_TO_COLUMN', action_column_id: done },
  ]);
  const other = scenario.addLabel('other');
  t.strictSame(scenario.ask(ann, 'card.addLabel', card, { label_id: other }).eventTypes, ['card.labeled']);
  const { body, events } = scenario.ask(ann, 'card.addLabel', card, { label_id: label });
  like(t, events, [
    { type: 'card.labeled', user_id: ann.id },
    { type: 'card.moved', user_id: null, data: { column_id: done, updated_by: null } },
  ]);
  t.equal(body?.['column_id'], done);
  t.strictSame(scenario.ask(ann, 'card.addLabel', card, { label_id: label }).eventTypes, []);
});

t.test('AUTO2 a rule moves a card to the end of its column, and does nothing if the card is in it', async (t) => {
  const { scenario, card, doing, done } = stage(({ doing, done }) => [
    { trigger_column_id: doing, action_type: 'MOVE_TO_COLUMN', action_column_id: done },
    { trigger_column_id: done, action_type: 'MOVE_TO_COLUMN', action_column_id: done },
  ]);
  scenario.addCard(done, 'older');
  scenario.must(ann, 'card.move', card, { column_id: doing, position: 0 });
  t.strictSame(
    scenario.full.columns[2]?.cards.map(({ title }) => title),
    ['older', 'card'],
  );
  const other = scenario.addCard(doing, 'other');
  const { eventTypes } = scenario.ask(ann, 'card.move', other, { column_id: done, position: 0 });
  t.strictSame(eventTypes, ['card.moved']);
});

t.test('AUTO2 a rule that assigns an assigned user does nothing', async (t) => {
  const { scenario, card, doing } = stage(({ doing }) => [{ trigger_column_id: doing, action_user_id: ben.id }]);
  scenario.must(ann, 'card.assign', card, { user_ids: [ben.id] });
  const { eventTypes } = scenario.ask(ann, 'card.move', card, { column_id: doing, position: 0 });
  t.strictSame(eventTypes, ['card.moved']);
});

t.test('AUTO7 the actions of a rule trigger no other rule', async (t) => {
  const { scenario, card, doing, done } = stage(({ doing, done }) => [
    { trigger_column_id: doing, action_type: 'MOVE_TO_COLUMN', action_column_id: done },
    { trigger_column_id: done, action_user_id: ben.id },
  ]);
  const { body, eventTypes } = scenario.ask(ann, 'card.move', card, { column_id: doing, position: 0 });
  t.strictSame(eventTypes, ['card.moved', 'card.moved']);
  like(t, body, { column_id: done, assignees: [] });
});

t.test('AUTO7 rules run in the order of creation, and all see the trigger', async (t) => {
  const { scenario, card, doing, done } = stage(({ doing, done }) => [
    { trigger_column_id: doing, action_type: 'MOVE_TO_COLUMN', action_column_id: done },
    { trigger_column_id: doing, action_user_id: ben.id },
  ]);
  const { body, events } = scenario.ask(ann, 'card.move', card, { column_id: doing, position: 0 });
  like(t, events, [
    { type: 'card.moved', user_id: ann.id, data: { column_id: doing } },
    { type: 'card.moved', user_id: null, data: { column_id: done } },
    { type: 'card.assigned', user_id: null, data: { column_id: done, assignees: [{ id: ben.id }] } },
  ]);
  like(t, body, { column_id: done, assignees: [{ id: ben.id }] });
});

t.test('AUTO2 disabled rules do not run', async (t) => {
  const disabled = ({ doing }: { doing: string }) => [{ trigger_column_id: doing, action_user_id: ben.id, is_enabled: false }];
  const { scenario, card, doing } = stage(disabled);
  const { eventTypes } = scenario.ask(ann, 'card.move', card, { column_id: doing, position: 0 });
  t.strictSame(eventTypes, ['card.moved']);
});

t.test('AUTO7 the events of siblings that make room for the move of a rule have no user', async (t) => {
  const crowded = crowdedBoard({ columns: 3, cards: 1, items: 0 });
  const [card] = crowded.entities.card;
  if (card === undefined) throw new Error('the board must have a card');
  const last = { ...card, id: idOf('ca', 2), column_id: idOf('c0', 3), rank: RANK_LIMIT };
  const entities = { ...crowded.entities, card: [card, last] };
  const scenario = Scenario.loaded({ ...crowded, entities });
  const { events } = scenario.ask(ann, 'card.addLabel', card.id, { label_id: idOf('1a', 1) });
  like(t, events, [
    { type: 'card.labeled', user_id: ann.id, data: { id: card.id } },
    { type: 'card.moved', user_id: null, data: { id: last.id, updated_by: ann.id } },
    { type: 'card.moved', user_id: null, data: { id: card.id, updated_by: null } },
  ]);
});
