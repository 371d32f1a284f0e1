import t from 'tap';
import { reminderChanges, reminderOf, remind } from '../../src/domain/board/timers/reminders.js';
import type { Card } from '../../src/domain/model.js';
import { newCard } from '../store/temporaryShard.js';
import { ann, ben, BOARD_ID, cleo, Scenario, type Result } from './scenario.js';

const HOUR_MS = 3_600_000;
const DUE = Date.parse('2030-06-02T12:00:00.000Z');
const DUE_AT = new Date(DUE).toISOString();

function timersOf({ decision }: Result): readonly (number | null)[] {
  return decision.timers.map(({ due }) => due);
}

t.test('REMIND1 a card with a date has a timer, which moves with the date and goes when the card is completed', (t) => {
  const scenario = Scenario.withBoard();
  const [todo, done] = [scenario.addColumn('To do'), scenario.addColumn('Done')];
  scenario.must(ann, 'column.update', done, { is_done_column: true });
  const input = { column_id: todo, title: 'A card', description: null, position: null };
  const created = scenario.ask(ben, 'card.create', BOARD_ID, { ...input, due_at: DUE_AT, reminder_minutes: 60 });
  t.strictSame(timersOf(created), [DUE - HOUR_MS]);
  t.match(created.body, { reminder_minutes: 60 });
  const card = created.body?.id ?? '';
  const change = (fields: object): Result => scenario.ask(ben, 'card.update', card, fields);
  t.strictSame(timersOf(change({ title: 'Another title' })), [], 'other changes are none of a timer');
  t.strictSame(timersOf(change({ reminder_minutes: null })), [DUE - 24 * HOUR_MS], 'a day, if nothing else is said');
  t.strictSame(timersOf(change({ due_at: '2030-06-03', reminder_minutes: 0 })), [Date.parse('2030-06-04T00:00:00.000Z')], 'a day ends at midnight');
  t.strictSame(timersOf(change({ reminder_minutes: -1 })), [null]);
  t.strictSame(timersOf(change({ reminder_minutes: 0, due_at: DUE_AT })), [DUE]);
  t.strictSame(timersOf(change({ due_at: null })), [null]);
  t.strictSame(timersOf(change({ due_at: DUE_AT })), [DUE]);
  t.strictSame(timersOf(scenario.ask(ben, 'card.move', card, { column_id: done, position: null })), [null], 'completed');
  t.strictSame(timersOf(scenario.ask(ben, 'card.move', card, { column_id: todo, position: null })), [DUE], 'and no longer');
  t.strictSame(timersOf(change({ due_at: '2029-01-01' })), [null], 'what is long over is no reminder');
  t.end();
});

t.test('REMIND1 a card that comes back from the archive or the trash is due again', (t) => {
  const scenario = Scenario.withBoard();
  const todo = scenario.addColumn('To do');
  const card = scenario.addCard(todo, 'A card');
  scenario.must(ben, 'card.update', card, { due_at: DUE_AT, reminder_minutes: 0 });
  scenario.must(ben, 'card.archive', card, {});
  t.strictSame(timersOf(scenario.ask(ben, 'card.restore', card, { column_id: null, position: null })), [DUE]);
  scenario.must(ben, 'card.delete', card, {});
  t.strictSame(timersOf(scenario.ask(ben, 'trash.restore', BOARD_ID, { entry_id: card, column_id: null })), [DUE]);
  t.end();
});

t.test('REMIND1 the assignees of a card get one notice each, if the timer is that of its date', (t) => {
  const card: Card = { ...newCard('aaaaaaaaaaaa'), due_at: DUE_AT, reminder_minutes: 60, assignee_ids: [ann.id, ben.id] };
  const at = reminderOf(card) ?? 0;
  const notice = { kind: 'due', board_id: BOARD_ID, card_id: card.id, title: card.title, due_at: DUE_AT, actor_id: null, is_late: false };
  const nobody = (): readonly string[] => [];
  t.match(remind(card, BOARD_ID, at, at, nobody), [
    { ...notice, user_id: ann.id },
    { ...notice, user_id: ben.id },
  ]);
  t.strictSame(remind(card, BOARD_ID, at - 1, at, nobody), [], 'the date was moved by a program that knows no timers');
  t.strictSame(remind(null, BOARD_ID, at, at, nobody), []);
  t.match(remind(card, BOARD_ID, at, at + 24 * HOUR_MS, nobody), [{ is_late: true }, { is_late: true }]);
  const watchers = [ben.id, cleo.id];
  const told = remind(card, BOARD_ID, at, at, () => watchers).map(({ user_id }) => user_id);
  t.strictSame(told, [ann.id, ben.id, cleo.id], 'who watches the card too, each once');
  t.end();
});

t.test('REMIND1 of an imported board what is still to come is set', (t) => {
  const card = { ...newCard('aaaaaaaaaaaa'), due_at: DUE_AT, reminder_minutes: 0 };
  const timersAt = (now: number) => reminderChanges(null, [{ kind: 'card', put: card }], now);
  t.strictSame(timersAt(DUE - 1), [{ target: card.id, kind: 'reminder', due: DUE }]);
  t.strictSame(timersAt(DUE), []);
  t.end();
});

t.test('NOTICE1 who is assigned or mentioned by someone else gets a notice, once', (t) => {
  const scenario = Scenario.withBoard();
  const card = scenario.addCard(scenario.addColumn('To do'), 'A card');
  const noticesOf = ({ decision }: Result) => decision.notifications.map(({ kind, user_id, actor_id }) => [kind, user_id, actor_id]);
  t.strictSame(noticesOf(scenario.ask(ann, 'card.assign', card, { user_ids: [ann.id, ben.id] })), [['assigned', ben.id, ann.id]]);
  t.strictSame(noticesOf(scenario.ask(ann, 'card.assign', card, { user_ids: [ben.id] })), [], 'assigned already');
  const item = scenario.addItem(scenario.addChecklist(card, 'Steps'), 'One');
  t.strictSame(noticesOf(scenario.ask(ann, 'item.assign', item, { user_ids: [ben.id] })), [['assigned', ben.id, ann.id]]);
  const comment = scenario.ask(ann, 'comment.create', card, { body: '@ben and @ann' });
  t.strictSame(noticesOf(comment), [['mentioned', ben.id, ann.id]]);
  t.match(comment.decision.notifications, [{ comment_id: comment.body?.id, card_id: card, title: 'A card' }]);
  const edited = scenario.ask(ann, 'comment.update', comment.body?.id ?? '', { body: '@ben, once more' });
  t.strictSame(noticesOf(edited), [], 'an edit tells only those who are new in it');
  const column = scenario.addColumn('Assigned');
  const rule = { trigger_column_id: column, trigger_label_id: null, action_column_id: null, action_user_id: ben.id } as const;
  const named = { name: 'rule', trigger_type: 'CARD_MOVED', action_type: 'ASSIGN_MEMBER', is_enabled: true } as const;
  scenario.must(ann, 'rule.create', BOARD_ID, { ...rule, ...named });
  const other = scenario.addCard(scenario.addColumn('Later'), 'Another');
  t.strictSame(noticesOf(scenario.ask(ann, 'card.move', other, { column_id: column, position: null })), [['assigned', ben.id, null]]);
  t.end();
});
