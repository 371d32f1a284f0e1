import t from 'tap';
import { isAfter, isRealDay } from '../../src/domain/board/dates.js';
import { ann, ben, BOARD_ID, idleRule, Scenario } from './scenario.js';

/** A board with a column to do in and a done column; `done` is when its card entered that. */
function withDone(): { scenario: Scenario; todo: string; done: string; card: string } {
  const scenario = Scenario.withBoard();
  const todo = scenario.addColumn('To do');
  const done = scenario.addColumn('Done');
  scenario.must(ann, 'column.update', done, { is_done_column: true });
  return { scenario, todo, done, card: scenario.addCard(todo, 'Write') };
}

function datesOf(scenario: Scenario, card: string): { start_at: unknown; due_at: unknown; completed_at: unknown } {
  const { start_at, due_at, completed_at } = scenario.must(ann, 'card.get', card, {}) as unknown as ReturnType<typeof datesOf>;
  return { start_at, due_at, completed_at };
}

t.test('DATE1 dates are set at the creation and later, each alone, answered as given and cleared by null', async (t) => {
  const { scenario, todo, card } = withDone();
  t.strictSame(datesOf(scenario, card), { start_at: null, due_at: null, completed_at: null });
  const { events } = scenario.ask(ben, 'card.update', card, { due_at: '2030-02-03' });
  t.match(events, [{ type: 'card.updated', data: { due_at: '2030-02-03', start_at: null } }]);
  scenario.must(ben, 'card.update', card, { start_at: '2030-02-03T09:00:00.000Z' });
  t.strictSame(datesOf(scenario, card), { start_at: '2030-02-03T09:00:00.000Z', due_at: '2030-02-03', completed_at: null });
  scenario.must(ben, 'card.update', card, { start_at: null, due_at: null });
  t.strictSame(datesOf(scenario, card), { start_at: null, due_at: null, completed_at: null });

  const input = { column_id: todo, title: 'New', description: null, position: null };
  const created = scenario.ask(ben, 'card.create', BOARD_ID, { ...input, start_at: '2030-01-01', due_at: '2030-01-01' });
  t.match(created.body, { start_at: '2030-01-01', due_at: '2030-01-01', completed_at: null });
});

t.test('DATE1 a start after the due date is refused, at the creation and against what the card has', async (t) => {
  const { scenario, todo, card } = withDone();
  const refused = { code: 'invalid', detail: 'start_at: must not be after due_at' };
  const input = { column_id: todo, title: 'New', description: null, position: null };
  t.strictSame(scenario.ask(ben, 'card.create', BOARD_ID, { ...input, start_at: '2030-01-02', due_at: '2030-01-01' }).error, refused);
  scenario.must(ben, 'card.update', card, { due_at: '2030-01-01' });
  t.strictSame(scenario.ask(ben, 'card.update', card, { start_at: '2030-01-02', title: 'Not this' }).error, refused);
  t.match(scenario.must(ann, 'card.get', card, {}), { title: 'Write', start_at: null });
  t.match(scenario.must(ben, 'card.update', card, { start_at: '2030-01-02', due_at: '2030-01-03' }), { start_at: '2030-01-02' });
});

t.test('DATE1 a card that enters a done column is completed in the same commit, and one that leaves it is no longer', async (t) => {
  const { scenario, todo, done, card } = withDone();
  const entered = scenario.ask(ben, 'card.move', card, { column_id: done, position: null });
  t.equal(entered.events.length, 1);
  const data = entered.events[0]?.data as unknown as { completed_at: string; updated_at: string };
  t.equal(data.completed_at, data.updated_at);
  scenario.must(ben, 'card.move', card, { column_id: null, position: 0 });
  t.equal(datesOf(scenario, card).completed_at, data.completed_at, 'a move within the column changes nothing');
  scenario.must(ben, 'card.move', card, { column_id: todo, position: null });
  t.equal(datesOf(scenario, card).completed_at, null);
  const input = { column_id: done, title: 'New', description: null, position: null };
  t.type(scenario.must(ben, 'card.create', BOARD_ID, input)?.['completed_at'], 'string', 'a new card enters it too');
});

t.test('DATE1 what a user says of the completion holds until the next such move', async (t) => {
  const { scenario, todo, done, card } = withDone();
  const other = scenario.addColumn('Shelved');
  scenario.must(ben, 'card.update', card, { completed_at: '2029-05-06' });
  scenario.must(ben, 'card.move', card, { column_id: other, position: null });
  t.equal(datesOf(scenario, card).completed_at, '2029-05-06', 'between other columns it stays');
  scenario.must(ben, 'card.move', card, { column_id: done, position: null });
  t.not(datesOf(scenario, card).completed_at, '2029-05-06');
  scenario.must(ben, 'card.update', card, { completed_at: null });
  t.equal(datesOf(scenario, card).completed_at, null);
  scenario.must(ben, 'card.move', card, { column_id: todo, position: null });
  scenario.must(ann, 'column.update', todo, { is_done_column: true });
  t.equal(datesOf(scenario, card).completed_at, null, 'a column that becomes a done column changes no card');
});

t.test('DATE1 a card that returns from the archive or the trash has left the done column that is gone', async (t) => {
  for (const leave of ['card.archive', 'card.delete'] as const) {
    for (const remove of ['column.archive', 'column.delete'] as const) {
      const { scenario, todo, done, card } = withDone();
      const shipped = scenario.addColumn('Shipped');
      scenario.must(ann, 'column.update', shipped, { is_done_column: true });
      const [moved, finished] = [card, scenario.addCard(done, 'Finish')];
      const byHand = scenario.addCard(todo, 'By hand');
      scenario.must(ben, 'card.move', moved, { column_id: done, position: null });
      scenario.must(ben, 'card.update', finished, { completed_at: '2029-05-06' });
      scenario.must(ben, 'card.update', byHand, { completed_at: '2029-05-06' });
      const other = scenario.addColumn('Other');
      scenario.must(ben, 'card.move', byHand, { column_id: other, position: null });
      for (const id of [moved, finished, byHand]) scenario.must(ann, leave, id, {});
      for (const id of [done, other]) scenario.must(ann, remove, id, {});
      const comeBack = (id: string, column_id: string): unknown => {
        if (leave === 'card.archive') scenario.must(ann, 'card.restore', id, { column_id, position: null });
        else scenario.must(ann, 'trash.restore', BOARD_ID, { entry_id: id, column_id });
        return datesOf(scenario, id).completed_at;
      };
      t.equal(comeBack(moved, todo), null, `${leave}, ${remove}: to do again`);
      t.equal(comeBack(finished, shipped), '2029-05-06', 'from one done column to another');
      t.equal(comeBack(byHand, todo), '2029-05-06', 'no column has completed it');
    }
  }
});

t.test('DATE1 a card that is restored without its done column goes to the last one, and is to do there', async (t) => {
  const { scenario, todo, done, card } = withDone();
  scenario.must(ben, 'card.move', card, { column_id: done, position: null });
  scenario.must(ann, 'card.archive', card, {});
  scenario.must(ann, 'column.delete', done, {});
  t.match(scenario.must(ann, 'card.restore', card, { column_id: null, position: null }), { column_id: todo, completed_at: null });
});

t.test('DATE1 a card that an older program archived or deleted is restored as before', async (t) => {
  const { scenario, todo, done, card } = withDone();
  const other = scenario.addCard(done, 'Finish');
  scenario.must(ben, 'card.move', card, { column_id: done, position: null });
  scenario.must(ann, 'card.archive', card, {});
  scenario.must(ann, 'card.delete', other, {});
  const [archived, trashed] = [scenario.state.get('archived', card), scenario.state.get('trashed', other)];
  if (archived === undefined || trashed === undefined) throw new Error('both are away');
  const { was_done: _archived, ...archivedContent } = archived.content;
  const { was_done: _trashed, ...trashedContent } = trashed.content;
  scenario.applyRows([
    { kind: 'archived', put: { ...archived, content: archivedContent } },
    { kind: 'trashed', put: { ...trashed, content: trashedContent } },
  ]);
  scenario.must(ann, 'card.restore', card, { column_id: todo, position: null });
  scenario.must(ann, 'trash.restore', BOARD_ID, { entry_id: other, column_id: todo });
  t.strictSame([datesOf(scenario, card).completed_at, datesOf(scenario, other).completed_at], [null, null], 'the column says it');
});

t.test('DATE1 a rule that moves a card to a done column completes it', async (t) => {
  const { scenario, done, card } = withDone();
  const ready = scenario.addColumn('Ready');
  const rule = { ...idleRule, trigger_type: 'CARD_MOVED' as const, trigger_column_id: ready };
  scenario.must(ann, 'rule.create', BOARD_ID, { ...rule, action_type: 'MOVE_TO_COLUMN', action_column_id: done, action_user_id: null });
  const { body, eventTypes } = scenario.ask(ben, 'card.move', card, { column_id: ready, position: null });
  t.strictSame(eventTypes, ['card.moved', 'card.moved']);
  t.match(body, { column_id: done, completed_at: String });
});

t.test('DATE1 an item has a date of its own', async (t) => {
  const { scenario, card } = withDone();
  const list = scenario.must(ann, 'checklist.create', card, { title: 'Steps' })?.id ?? '';
  const item = scenario.must(ann, 'item.create', list, { content: 'One', due_at: '2030-01-01' });
  t.match(item, { due_at: '2030-01-01' });
  t.match(scenario.must(ann, 'item.create', list, { content: 'Two' }), { due_at: null });
  t.match(scenario.must(ann, 'item.update', item?.id ?? '', { due_at: null }), { content: 'One', due_at: null });
});

t.test('days are those of the calendar, and are compared with moments in the reader’s favour', async (t) => {
  for (const day of ['2028-02-29', '0001-01-01', '9999-12-31']) t.ok(isRealDay(day), day);
  for (const text of ['2027-02-29', '2027-13-01', '2027-00-10', '2027-1-1', '2027-01-01T', '', '02027-01-01']) t.notOk(isRealDay(text), text);
  t.notOk(isAfter('2027-01-02', '2027-01-02'));
  t.ok(isAfter('2027-01-03', '2027-01-02'));
  t.ok(isAfter('2027-01-02T00:00:00.001Z', '2027-01-02T00:00:00.000Z'));
  // Kiribati's second of January begins at ten in the morning of the first.
  t.notOk(isAfter('2027-01-02', '2027-01-01T10:00:00.000Z'));
  t.ok(isAfter('2027-01-02', '2027-01-01T09:59:59.999Z'));
  // Twelve hours west of Greenwich it ends at noon of the third.
  t.notOk(isAfter('2027-01-03T12:00:00.000Z', '2027-01-02'));
  t.ok(isAfter('2027-01-03T12:00:00.001Z', '2027-01-02'));
});

t.test('while a program with an older schema runs, no date is stored, and moves go on', async (t) => {
  const { scenario, todo, done } = withDone();
  scenario.schema = 13;
  const card = scenario.addCard(todo, 'Old');
  t.match(scenario.ask(ben, 'card.update', card, { due_at: '2030-01-01' }).error, { code: 'unavailable' });
  t.match(scenario.must(ben, 'card.move', card, { column_id: done, position: null }), { column_id: done, completed_at: null });
  scenario.schema = 14;
  t.match(scenario.must(ben, 'card.update', card, { due_at: '2030-01-01' }), { due_at: '2030-01-01' });
});
