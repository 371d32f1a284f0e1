import t from 'tap';
import { like } from './like.js';
import { ann, ben, BOARD_ID, cleo, UNKNOWN_ID, Scenario } from './scenario.js';

t.test('BOARD1 creating a board makes its creator the owner, emits no event and leaves a membership change', async (t) => {
  const scenario = Scenario.withoutBoard();
  const { body, events, decision } = scenario.ask(ann, 'board.create', BOARD_ID, {
    title: 'Plans',
    description: 'of mice and men',
    creator: ann,
  });
  like(t, body, { id: BOARD_ID, title: 'Plans', description: 'of mice and men', labels: [] });
  like(t, body, { created_by: ann.id, updated_by: ann.id });
  like(t, body?.['members'], [{ board_id: BOARD_ID, user_id: ann.id, role: 'owner', user: { username: 'ann' } }]);
  t.notOk(body !== null && 'columns' in body, 'columns are only in the full board');
  t.strictSame(events, []);
  t.strictSame(decision.memberships, [{ board_id: BOARD_ID, user_id: ann.id, change: 'joined' }]);
  t.strictSame(
    decision.changes.map(({ kind }) => kind),
    ['board', 'member'],
  );
});

t.test('a board key that is taken is refused, so that another can be drawn', async (t) => {
  const scenario = Scenario.withBoard();
  const input = { title: 'Again', description: null, creator: cleo };
  t.equal(scenario.ask(cleo, 'board.create', BOARD_ID, input).error?.code, 'conflict');
});

t.test('BOARD3 the full board has columns with cards, labels, members and its number', async (t) => {
  const scenario = Scenario.withBoard();
  scenario.addCard(scenario.addColumn('Doing'), 'Write');
  scenario.addLabel('urgent');
  const { body, decision } = scenario.ask(ben, 'board.get', BOARD_ID, {});
  like(t, body, { id: BOARD_ID, columns: [{ title: 'Doing', cards: [{ title: 'Write' }] }] });
  like(t, body, { labels: [{ name: 'urgent' }], members: [{ user_id: ann.id }, { user_id: ben.id }] });
  like(t, decision.outcome, { ok: true, position: String(scenario.state.seq) });
  t.strictSame(decision.changes, []);
});

t.test('BOARD3 a caller that knows the latest number gets no body', async (t) => {
  const scenario = Scenario.withBoard();
  const { seq } = scenario.state;
  t.strictSame(scenario.ask(ben, 'board.get', BOARD_ID, { known: ['0', String(seq)] }).decision.outcome, {
    ok: true,
    json: null,
    position: String(seq),
  });
  like(t, scenario.ask(ben, 'board.get', BOARD_ID, { known: [String(seq - 1), `x-${seq}`] }).body, { id: BOARD_ID });
});

t.test("BOARD51 a summary has the caller's role and no columns", async (t) => {
  const scenario = Scenario.withBoard();
  const summary = scenario.must(ben, 'board.summary', BOARD_ID, {});
  like(t, summary, { id: BOARD_ID, role: 'member', labels: [], members: [{ role: 'owner' }, { role: 'member' }] });
  t.notOk('columns' in summary);
  t.equal(scenario.must(ann, 'board.summary', BOARD_ID, {})['role'], 'owner');
});

t.test('BOARD6 an update changes the given fields, sets updated_at and emits board.updated', async (t) => {
  const scenario = Scenario.withBoard();
  const before = scenario.full;
  const { body, events } = scenario.ask(ann, 'board.update', BOARD_ID, { description: 'new' });
  like(t, body, { title: 'Plans', description: 'new', updated_by: ann.id, created_at: before.created_at });
  t.not(body?.updated_at, before.updated_at);
  like(t, events, [{ type: 'board.updated', user_id: ann.id, version: '1.0', timestamp: body?.updated_at }]);
  t.strictSame(events[0]?.data, body);
  t.equal(scenario.must(ann, 'board.update', BOARD_ID, { description: null })['description'], null);
});

t.test('BOARD6 an update without fields changes nothing and emits nothing', async (t) => {
  const scenario = Scenario.withBoard();
  const before = scenario.full.updated_at;
  const { body, events, decision } = scenario.ask(ann, 'board.update', BOARD_ID, {});
  t.equal(body?.updated_at, before);
  t.strictSame([events, decision.changes], [[], []]);
});

t.test('BOARD6 an undefined field counts as absent', async (t) => {
  const scenario = Scenario.withBoard();
  const input = { title: undefined, description: 'new' } as unknown as { description: string };
  like(t, scenario.must(ann, 'board.update', BOARD_ID, input), { title: 'Plans', description: 'new' });
});

t.test('BOARD6 an update to equal values is an update', async (t) => {
  const scenario = Scenario.withBoard();
  t.strictSame(scenario.ask(ann, 'board.update', BOARD_ID, { title: 'Plans' }).eventTypes, ['board.updated']);
});

t.test('BOARD8 deleting a board emits its id and ends every membership', async (t) => {
  const scenario = Scenario.withBoard();
  const { json, events, decision } = scenario.ask(ann, 'board.delete', BOARD_ID, {});
  t.equal(json, null);
  like(t, events, [{ type: 'board.deleted', user_id: ann.id }]);
  t.strictSame(events[0]?.data, { id: BOARD_ID });
  t.strictSame(decision.changes, [{ kind: 'board', remove: BOARD_ID }]);
  t.equal(decision.boardDeleted, true);
  t.strictSame(decision.memberships, [
    { board_id: BOARD_ID, user_id: ann.id, change: 'left' },
    { board_id: BOARD_ID, user_id: ben.id, change: 'left' },
  ]);
});

t.test('BOARD8 every command to a missing board answers "not found"', async (t) => {
  const scenario = Scenario.withoutBoard();
  t.strictSame(scenario.ask(ann, 'board.get', BOARD_ID, {}).error, { code: 'not_found', detail: 'Board not found' });
  t.strictSame(scenario.ask(ann, 'card.get', UNKNOWN_ID, {}).error, { code: 'not_found', detail: 'Card not found' });
});

t.test('ACCESS2 only members can read events, which the board itself does not hold', async (t) => {
  const scenario = Scenario.withBoard();
  t.strictSame(scenario.ask(ben, 'board.events', BOARD_ID, { since: { epoch: '0', seq: 0 } }).decision.outcome, { ok: true, json: null });
  t.equal(scenario.ask(cleo, 'board.events', BOARD_ID, { since: { epoch: '0', seq: 0 } }).error?.code, 'forbidden');
});
