import t from 'tap';
import { nextReminder, remind, reminderChanges, type Reminded } from '../../src/domain/board/timers/reminders.js';
import type { BatchStep } from '../../src/domain/commands/commands.js';
import type { Card } from '../../src/domain/model.js';
import { newCard } from '../store/temporaryShard.js';
import { ann, ben, BOARD_ID, cleo, Scenario, type Result } from './scenario.js';

const HOUR_MS = 3_600_000;
const DUE = Date.parse('2030-06-02T12:00:00.000Z');
const DUE_AT = new Date(DUE).toISOString();

function timersOf({ decision }: Result): readonly (number | null)[] {
  return decision.timers.map(({ due }) => due);
}

function boardWith(own: Readonly<Record<string, number>> = {}, watchers: readonly string[] = []): Reminded {
  return { id: BOARD_ID, own: new Map(Object.entries(own)), watchersOf: () => watchers };
}

function toldBy({ notices }: ReturnType<typeof remind>): readonly string[] {
  return notices.map(({ user_id }) => user_id);
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

t.test('REMIND1 a dated card that a batch creates and takes off the board again has no timer', (t) => {
  for (const op of ['card.delete', 'card.archive'] as const) {
    const scenario = Scenario.withBoard();
    const column_id = scenario.addColumn('To do');
    const [gone, kept] = ['b0a2db0a-2d00-4000-8000-ba0000000001', 'b0a2db0a-2d00-4000-8000-ba0000000002'];
    const create = (id: string): BatchStep => {
      const input = { column_id, title: 'A card', description: null, position: null, due_at: DUE_AT, reminder_minutes: 0 };
      return { op: 'card.create', target: BOARD_ID, input, status: 201, id };
    };
    const operations = [create(kept), create(gone), { op, target: gone, input: {}, status: 200, id: null }] as const;
    t.strictSame(scenario.ask(ann, 'board.batch', BOARD_ID, { operations }).decision.timers, [{ target: kept, kind: 'reminder', due: DUE }], op);
  }
  t.end();
});

t.test('REMIND1 the assignees of a card get one notice each, if the timer is that of its date', (t) => {
  const card: Card = { ...newCard('aaaaaaaaaaaa'), due_at: DUE_AT, reminder_minutes: 60, assignee_ids: [ann.id, ben.id] };
  const at = DUE - HOUR_MS;
  const notice = { kind: 'due', board_id: BOARD_ID, card_id: card.id, title: card.title, due_at: DUE_AT, actor_id: null, is_late: false };
  t.match(remind(card, boardWith(), at, at), {
    notices: [
      { ...notice, user_id: ann.id },
      { ...notice, user_id: ben.id },
    ],
    next: null,
  });
  t.strictSame(remind(card, boardWith(), at - 1, at).notices, [], 'the date was moved by a program that knows no timers');
  t.strictSame(remind(null, boardWith(), at, at).notices, []);
  t.match(remind(card, boardWith(), at, at + 24 * HOUR_MS).notices, [{ is_late: true }, { is_late: true }]);
  t.strictSame(toldBy(remind(card, boardWith({}, [ben.id, cleo.id]), at, at)), [ann.id, ben.id, cleo.id], 'who watches the card too, each once');
  t.strictSame(toldBy(remind(card, boardWith({ [ann.id]: 30 }), at, at)), [ann.id, ben.id], 'what the card says counts for all');
  t.end();
});

t.test('REMIND1 a card that does not say when reminds each of its people at their own time, with one timer', (t) => {
  const card: Card = { ...newCard('aaaaaaaaaaaa'), due_at: DUE_AT, assignee_ids: [ann.id, ben.id, cleo.id] };
  const board = boardWith({ [ann.id]: 48 * 60, [cleo.id]: 0 });
  const [day, two] = [DUE - 24 * HOUR_MS, DUE - 48 * HOUR_MS];
  const fire = (due: number, now = due, on = board) => {
    const reminded = remind(card, on, due, now);
    return [toldBy(reminded), reminded.next];
  };
  t.strictSame(nextReminder(card, board.own, 0), two);
  t.strictSame(fire(two), [[ann.id], day]);
  t.strictSame(fire(day), [[ben.id], DUE]);
  t.strictSame(fire(DUE), [[cleo.id], null]);
  t.strictSame(fire(two, day + 1), [[ann.id, ben.id], DUE], 'what became due meanwhile');
  t.match(remind(card, board, two, day + 1).notices, [{ is_late: true }, { is_late: false }]);
  t.strictSame(fire(day, day, boardWith({ [ben.id]: -1 })), [[ann.id, cleo.id], null], 'who wants none gets none');
  t.strictSame(fire(two, two, boardWith()), [[], day], 'a time that nobody wants any more');
  t.end();
});

t.test('REMIND1 a member who wants another time has the timers of the board set anew, and its cards follow', (t) => {
  const scenario = Scenario.withBoard();
  const todo = scenario.addColumn('To do');
  const card = scenario.addCard(todo, 'A card');
  const refresh = (reminder_minutes?: number | null): Result =>
    scenario.askAs('system', 'member.refresh', BOARD_ID, { user: ben, ...(reminder_minutes === undefined ? {} : { reminder_minutes }) });
  const planned = refresh(48 * 60);
  t.match(planned.decision.timers, [{ kind: 'replan', target: '' }]);
  t.strictSame(planned.decision.events, [], 'nobody is told');
  t.strictSame([refresh(48 * 60).decision.changes, refresh().decision.changes], [[], []], 'the same, or from an older program');
  const dated = scenario.ask(ben, 'card.update', card, { due_at: DUE_AT });
  t.strictSame(timersOf(dated), [DUE - 48 * HOUR_MS], 'the first of the times');
  t.notMatch(JSON.stringify(scenario.ask(ann, 'board.get', BOARD_ID, {}).body), /2880/, 'and nobody sees what another wants');
  t.match(refresh(null).decision.timers, [{ kind: 'replan' }]);
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
