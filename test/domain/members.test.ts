import { UNDATED } from '../support/board/undated.js';
import t from 'tap';
import { GIVEN_UP_AFTER_MS, LeavingMembers } from '../../src/domain/board/leavingMembers.js';
import { MAX_UNASSIGNED } from '../../src/domain/commands/members.js';
import { boardKeyOf } from '../../src/domain/ids.js';
import { like } from './like.js';
import { ann, ben, BOARD_ID, cleo, idleRule, UNKNOWN_ID, Scenario } from './scenario.js';

const addCleo = { user_id: cleo.id, user: cleo };

t.test('MEMBER1 an invited user becomes a member, and every member gets the event', async (t) => {
  const scenario = Scenario.withBoard();
  const { body, events, decision } = scenario.ask(ann, 'member.add', BOARD_ID, addCleo);
  t.strictSame(body, { user_id: cleo.id, role: 'member' });
  like(t, events, [{ type: 'board.member_added', user_id: ann.id }]);
  t.strictSame(Object.keys(events[0]?.data ?? {}).sort(), ['board_id', 'created_at', 'role', 'updated_at', 'user', 'user_id']);
  like(t, events[0]?.data, { board_id: BOARD_ID, user_id: cleo.id, role: 'member', user: { ...cleo } });
  t.strictSame(decision.memberships, [{ board_id: BOARD_ID, user_id: cleo.id, change: 'joined' }]);
});

t.test('MEMBER1 inviting an unknown user or an existing member is refused', async (t) => {
  const scenario = Scenario.withBoard();
  const unknown = scenario.ask(ann, 'member.add', BOARD_ID, { user_id: UNKNOWN_ID, user: null });
  t.strictSame(unknown.error, { code: 'not_found', detail: 'User not found' });
  t.equal(scenario.ask(ann, 'member.add', BOARD_ID, { user_id: ben.id, user: ben }).error?.code, 'conflict');
  t.equal(scenario.ask(ben, 'member.add', BOARD_ID, addCleo).error?.code, 'forbidden', 'members may not invite');
});

t.test('ACCESS2 a board checks the right to invite before the request names a user', async (t) => {
  const scenario = Scenario.withBoard();
  like(t, scenario.ask(ann, 'member.begin', BOARD_ID, {}), { error: null, json: null, events: [] });
  like(t, scenario.ask(ben, 'member.begin', BOARD_ID, {}).error, { code: 'forbidden', detail: /owner/ });
  like(t, scenario.ask(cleo, 'member.begin', BOARD_ID, {}).error, { code: 'forbidden', detail: /not a member/ });
  t.equal(scenario.ask(ann, 'member.begin', UNKNOWN_ID, {}).error?.code, 'not_found');
});

t.test('BOARD3 members are listed in order of joining', async (t) => {
  const scenario = Scenario.withBoard();
  scenario.must(ann, 'member.add', BOARD_ID, addCleo);
  like(t, scenario.must(ben, 'member.list', BOARD_ID, {}), [
    { user_id: ann.id, role: 'owner' },
    { user_id: ben.id, role: 'member' },
    { user_id: cleo.id, role: 'member' },
  ]);
});

t.test('MEMBER4 removing a member first removes the assignments, one event each, then the member', async (t) => {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('A');
  const card = scenario.addCard(column, 'x');
  const untouched = scenario.must(ann, 'card.get', scenario.addCard(column, 'y'), {});
  const item = scenario.addItem(scenario.addChecklist(card, 'steps'), 'first');
  scenario.must(ann, 'card.assign', card, { user_ids: [ann.id, ben.id] });
  scenario.must(ann, 'item.assign', item, { user_ids: [ben.id] });

  const { json, events, eventTypes, decision } = scenario.ask(ann, 'member.remove', BOARD_ID, { user_id: ben.id });
  t.equal(json, null);
  t.strictSame(eventTypes, ['card.unassigned', 'checklist_item.unassigned', 'board.member_removed']);
  like(t, events[0]?.data, { id: card, assignees: [{ id: ann.id }] });
  t.strictSame(events[1]?.data['assignees'], []);
  like(t, events[2], { user_id: ann.id, data: { user_id: ben.id, role: 'member', user: { username: 'ben' } } });
  t.strictSame(decision.memberships, [{ board_id: BOARD_ID, user_id: ben.id, change: 'left' }]);
  t.strictSame(decision.removedUsers, [ben.id]);
  const after = scenario.must(ann, 'card.get', untouched.id, {});
  t.equal(after.updated_at, untouched.updated_at);
  t.equal(scenario.ask(ben, 'board.get', BOARD_ID, {}).error?.code, 'forbidden');
});

t.test('MEMBER5 a member can leave but not remove others', async (t) => {
  const scenario = Scenario.withBoard();
  scenario.must(ann, 'member.add', BOARD_ID, addCleo);
  t.equal(scenario.ask(ben, 'member.remove', BOARD_ID, { user_id: cleo.id }).error?.code, 'forbidden');
  t.strictSame(scenario.ask(ben, 'member.remove', BOARD_ID, { user_id: ben.id }).eventTypes, ['board.member_removed']);
});

t.test('MEMBER5 a user who is not a member can be neither removed nor given a role', async (t) => {
  const scenario = Scenario.withBoard();
  const notFound = { code: 'not_found', detail: 'Member not found' };
  t.strictSame(scenario.ask(ann, 'member.remove', BOARD_ID, { user_id: cleo.id }).error, notFound);
  t.strictSame(scenario.ask(ann, 'member.setRole', BOARD_ID, { user_id: cleo.id, role: 'owner' }).error, notFound);
});

t.test('MEMBER5 the last owner cannot leave; with a second owner the first can', async (t) => {
  const scenario = Scenario.withBoard();
  t.equal(scenario.ask(ann, 'member.remove', BOARD_ID, { user_id: ann.id }).error?.code, 'conflict');
  const demotion = { user_id: ann.id, role: 'member' } as const;
  t.equal(scenario.ask(ann, 'member.setRole', BOARD_ID, demotion).error?.code, 'conflict');
  scenario.must(ann, 'member.setRole', BOARD_ID, { user_id: ben.id, role: 'owner' });
  t.equal(scenario.ask(ann, 'member.setRole', BOARD_ID, demotion).error, null);
  t.equal(scenario.ask(ann, 'member.remove', BOARD_ID, { user_id: ann.id }).error, null);
});

t.test('MEMBER5 a new role emits board.updated, and the answer is the member', async (t) => {
  const scenario = Scenario.withBoard();
  const input = { user_id: ben.id, role: 'owner' } as const;
  const { body, events, decision } = scenario.ask(ann, 'member.setRole', BOARD_ID, input);
  like(t, body, { board_id: BOARD_ID, user_id: ben.id, role: 'owner', user: { username: 'ben' } });
  like(t, events, [{ type: 'board.updated', user_id: ann.id }]);
  like(t, events[0]?.data['members'], [{ user_id: ann.id }, { user_id: ben.id, role: 'owner' }]);
  t.strictSame(decision.memberships, [], 'the directory stores no roles');
  t.strictSame(decision.removedUsers, []);
});

t.test('MEMBER9 a changed profile replaces the copy once, with its user in the event', async (t) => {
  const scenario = Scenario.withBoard();
  const refresh = (user: typeof ben) => scenario.askAs('system', 'member.refresh', BOARD_ID, { user });
  const renamed = { ...ben, firstname: 'Benjamin' };
  const first = refresh(renamed);
  like(t, first.events, [{ type: 'board.updated', user_id: ben.id }]);
  like(t, first.events[0]?.data['members'], [{}, { user: { firstname: 'Benjamin' } }]);
  t.strictSame(first.decision.memberships, []);
  t.strictSame(refresh({ ...renamed }).events, [], 'delivered again, it changes nothing');
  like(t, refresh(cleo).decision, { outcome: { ok: true }, changes: [], events: [] }, 'nor for a user who left');
});

t.test('MEMBER9 the event of a change by an administrator has no user', async (t) => {
  const scenario = Scenario.withBoard();
  for (const changed of [{ is_superuser: true }, { is_superuser: true, is_active: false, firstname: 'Benjamin' }]) {
    const { events } = scenario.askAs('system', 'member.refresh', BOARD_ID, { user: { ...ben, ...changed } });
    like(t, events, [{ type: 'board.updated', user_id: null }]);
  }
});

t.test('MEMBER9 a changed profile is shown in every card and item at once', async (t) => {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('A');
  const [first, second] = [scenario.addCard(column, 'x'), scenario.addCard(column, 'y')];
  const item = scenario.addItem(scenario.addChecklist(second, 'steps'), 'first');
  scenario.must(ann, 'card.assign', first, { user_ids: [ben.id] });
  scenario.must(ann, 'item.assign', item, { user_ids: [ben.id] });
  scenario.askAs('system', 'member.refresh', BOARD_ID, { user: { ...ben, lastname: 'Nevis' } });
  like(t, scenario.full.columns[0]?.cards, [
    { assignees: [{ lastname: 'Nevis' }] },
    { checklists: [{ items: [{ assignees: [{ lastname: 'Nevis' }] }] }] },
  ]);
});

/** Ben is assigned to every card. */
function withBusyBen(assigned: number): { scenario: Scenario; cards: readonly string[]; done: string } {
  const card = { title: 'x', description: null, ...UNDATED, labels: [], assignee_ids: [ben.id], checklists: [], attachments: [], comments: [] };
  const scenario = Scenario.withoutBoard();
  scenario.must(ann, 'board.import', BOARD_ID, {
    ...{ title: 'Busy', description: null, importer: ann, labels: [], rules: [] },
    members: [{ user: ben, role: 'member' }],
    columns: [{ title: 'To do', color: '#fff', is_done_column: false, cards: Array.from({ length: assigned }, () => card) }],
  });
  const cards = scenario.full.columns[0]?.cards.map(({ id }) => id) ?? [];
  return { scenario, cards, done: scenario.addColumn('Done') };
}

t.test('MEMBER4 while a member is removed step by step, neither members nor rules can assign them', async (t) => {
  const { scenario, cards } = withBusyBen(2 * MAX_UNASSIGNED + 5);
  const [card = '', second = ''] = cards;
  const item = scenario.addItem(scenario.addChecklist(card, 'steps'), 'first');
  const user_id = ben.id;
  let steps = 0;
  for (; scenario.ask(ann, 'member.remove', BOARD_ID, { user_id }).error !== null && steps < 9; steps += 1) {
    scenario.must(ann, 'member.unassign', BOARD_ID, { user_id });
    for (const each of cards.slice(0, 9)) {
      t.equal(scenario.ask(ben, 'card.assign', each, { user_ids: [ann.id, user_id] }).error?.code, 'conflict');
    }
    like(t, scenario.ask(ben, 'item.assign', item, { user_ids: [user_id] }).error, {
      code: 'conflict',
      detail: 'User is being removed from the board and cannot be assigned',
    });
    t.equal(scenario.ask(ben, 'card.assign', card, { user_ids: [user_id, cleo.id] }).error?.code, 'forbidden', 'strangers come first');
    scenario.must(ben, 'card.assign', card, { user_ids: [ann.id] });
  }
  t.equal(steps, 2, 'a hundred in each step');
  scenario.must(ann, 'member.add', BOARD_ID, { user_id, user: ben });
  scenario.must(ann, 'card.assign', second, { user_ids: [user_id] });
});

t.test('MEMBER4 rules skip a member whose removal is under way, until it was given up for a minute', async (t) => {
  const {
    scenario,
    cards: [first = '', second = ''],
    done,
  } = withBusyBen(2);
  scenario.must(ann, 'rule.create', BOARD_ID, { ...idleRule, trigger_type: 'CARD_MOVED', trigger_column_id: done });
  scenario.must(ann, 'member.unassign', BOARD_ID, { user_id: ben.id });
  scenario.must(ann, 'card.move', first, { column_id: done, position: 0 });
  like(t, scenario.must(ann, 'card.get', first, {}), { column_id: done, assignees: [] });
  scenario.wait(GIVEN_UP_AFTER_MS);
  scenario.must(ann, 'card.move', second, { column_id: done, position: 0 });
  like(t, scenario.must(ann, 'card.get', second, {}), { assignees: [{ id: ben.id }] });
  scenario.must(ben, 'card.assign', first, { user_ids: [ben.id] });
  t.equal(scenario.ask(ann, 'member.unassign', BOARD_ID, { user_id: ann.id }).error?.code, 'conflict', 'the last owner stays');
  scenario.must(ann, 'card.assign', first, { user_ids: [ann.id] });
});

t.test('MEMBER4 removals that were given up leave nothing in memory', async (t) => {
  const leaving = new LeavingMembers();
  const key = boardKeyOf(BOARD_ID);
  for (let n = 0; n < 10 * 60; n += 1) leaving.noteStep(key, `user ${n}`, n * 1000);
  t.equal(leaving.size, 60, 'those of the last minute');
  leaving.noteStep(key, ben.id, 0);
  t.ok(leaving.has(key, ben.id, 0), 'also after the clock was set back');
  t.equal(leaving.size, 1);
  leaving.delete(key, ben.id);
  t.notOk(leaving.has(key, ben.id, 0));
});
