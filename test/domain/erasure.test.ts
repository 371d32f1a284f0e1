import t from 'tap';
import { deletedUser } from '../../src/domain/account/user.js';
import { like } from './like.js';
import { ann, ben, BOARD_ID, cleo, Scenario, type Result } from './scenario.js';

const shownAs = deletedUser(ben.id);

t.test('DEL3 a deleted user leaves a board with every assignment, and no event shows them', async (t) => {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('A');
  const card = scenario.addCard(column, 'x');
  const item = scenario.addItem(scenario.addChecklist(card, 'steps'), 'first');
  scenario.must(ben, 'card.update', card, { title: 'by Ben' });
  scenario.must(ann, 'card.assign', card, { user_ids: [ann.id, ben.id] });
  scenario.must(ann, 'item.assign', item, { user_ids: [ben.id] });
  scenario.must(ann, 'rule.create', BOARD_ID, {
    name: 'to Ben',
    trigger_type: 'CARD_CREATED',
    trigger_column_id: null,
    trigger_label_id: null,
    action_type: 'ASSIGN_MEMBER',
    action_column_id: null,
    action_user_id: ben.id,
    is_enabled: true,
  });
  const seq = scenario.board?.seq;

  const { body, events, eventTypes, decision } = scenario.askAs('system', 'member.erase', BOARD_ID, { user_id: ben.id, heir: null });
  like(t, body, { state: 'gone', seq });
  t.strictSame(eventTypes, ['card.unassigned', 'checklist_item.unassigned', 'board.member_removed']);
  like(t, events.at(-1)?.data, { user_id: ben.id, user: { ...shownAs } });
  for (const { email } of [ben]) t.notMatch(JSON.stringify(events), email);
  t.strictSame(decision.removedUsers, [ben.id]);
  like(t, scenario.must(ann, 'card.get', card, {}), { assignees: [{ id: ann.id }], title: 'by Ben' });
  like(t, scenario.must(ann, 'rule.list', BOARD_ID, {}), [{ action_user_id: null, is_enabled: false }]);

  const again = scenario.askAs('system', 'member.erase', BOARD_ID, { user_id: ben.id, heir: null });
  like(t, again.body, { state: 'gone' });
  t.strictSame(again.events, [], 'done twice, it does nothing more');
  t.equal(scenario.ask(ann, 'member.erase', BOARD_ID, { user_id: ben.id, heir: null }).error?.code, 'forbidden', 'no user may do it');
});

t.test('DEL3 many assignments go step by step', async (t) => {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('A');
  for (let n = 0; n < 150; n += 1) scenario.must(ann, 'card.assign', scenario.addCard(column, `card ${n}`), { user_ids: [ben.id] });
  const first = scenario.askAs('system', 'member.erase', BOARD_ID, { user_id: ben.id, heir: null });
  like(t, first.body, { state: 'more' });
  t.equal(first.events.length, 100);
  t.notMatch(JSON.stringify(first.events), ben.email);
  const second = scenario.askAs('system', 'member.erase', BOARD_ID, { user_id: ben.id, heir: null });
  like(t, second.body, { state: 'gone' });
  t.equal(second.events.length, 51);
});

t.test('DEL3 while a deleted user is taken off a board, no assignment is added', async (t) => {
  const scenario = Scenario.withBoard();
  const [column, done] = [scenario.addColumn('A'), scenario.addColumn('Done')];
  const cards = Array.from({ length: 110 }, (_, n) => scenario.addCard(column, `card ${n}`));
  for (const card of cards) scenario.must(ann, 'card.assign', card, { user_ids: [ben.id] });
  const item = scenario.addItem(scenario.addChecklist(cards[0] ?? '', 'steps'), 'first');
  scenario.must(ann, 'rule.create', BOARD_ID, {
    name: 'to Ben',
    trigger_type: 'CARD_MOVED',
    trigger_column_id: done,
    trigger_label_id: null,
    action_type: 'ASSIGN_MEMBER',
    action_column_id: null,
    action_user_id: ben.id,
    is_enabled: true,
  });
  like(t, scenario.askAs('system', 'member.erase', BOARD_ID, { user_id: ben.id, heir: null }).body, { state: 'more' });
  t.equal(scenario.ask(ann, 'card.assign', cards[0] ?? '', { user_ids: [ben.id] }).error?.code, 'forbidden');
  t.equal(scenario.ask(ann, 'item.assign', item, { user_ids: [ben.id] }).error?.code, 'forbidden');
  scenario.must(ann, 'card.move', cards[0] ?? '', { column_id: done, position: 0 });
  t.notMatch(JSON.stringify(scenario.must(ann, 'card.get', cards[0] ?? '', {})), ben.id, 'nor by a rule');
  like(t, scenario.askAs('system', 'member.erase', BOARD_ID, { user_id: ben.id, heir: null }).body, { state: 'gone' });
});

t.test('DEL3 what is archived or in the trash neither names nor assigns a deleted user, also after a restore or an undo', async (t) => {
  const scenario = Scenario.withBoard();
  const [column, kept] = [scenario.addColumn('Gone'), scenario.addColumn('Kept')];
  const card = (title: string, place: string): string => {
    const { id } = scenario.must(ben, 'card.create', BOARD_ID, { column_id: place, title, description: null, position: null });
    const item = scenario.addItem(scenario.addChecklist(id, 'Steps'), 'One');
    scenario.must(ben, 'card.assign', id, { user_ids: [ann.id, ben.id] });
    scenario.must(ben, 'item.assign', item, { user_ids: [ben.id] });
    scenario.must(ben, 'comment.create', id, { body: 'Mine' });
    scenario.must(ann, 'comment.create', id, { body: `@${ben.username}` });
    return id;
  };
  const [archived, archivedToUndo, trashed, trashedToUndo, free] = [
    card('archived', kept),
    card('archived, undone', kept),
    card('deleted', kept),
    card('deleted, undone', kept),
    card('unassigned', kept),
  ];
  const inColumn = card('with its column', column);
  const firstEvent = ({ decision }: Result): number => decision.activity?.first ?? 0;
  scenario.must(ben, 'card.archive', archived, {});
  const archiving = firstEvent(scenario.ask(ben, 'card.archive', archivedToUndo, {}));
  scenario.must(ben, 'card.delete', trashed, {});
  const deleting = firstEvent(scenario.ask(ben, 'card.delete', trashedToUndo, {}));
  const unassigning = firstEvent(scenario.ask(ben, 'card.unassign', free, { user_id: ben.id }));
  scenario.must(ben, 'column.delete', column, {});

  like(t, scenario.askAs('system', 'member.erase', BOARD_ID, { user_id: ben.id, heir: null }).body, { state: 'gone' });
  const shown: unknown[] = [];
  const show = (answer: Result): void => {
    t.equal(answer.error, null);
    shown.push(answer.body, answer.events);
  };
  const page = { before: null, limit: 50 };
  show(scenario.ask(ann, 'card.get', archived, {}));
  show(scenario.ask(ann, 'comment.list', archived, page));
  show(scenario.ask(ann, 'archive.list', BOARD_ID, { ...page, kind: null }));
  show(scenario.ask(ann, 'trash.list', BOARD_ID, page));
  show(scenario.ask(ann, 'card.restore', archived, { column_id: null, position: null }));
  show(scenario.ask(ann, 'board.undo', BOARD_ID, { seq: archiving }));
  show(scenario.ask(ann, 'trash.restore', BOARD_ID, { entry_id: trashed, column_id: null }));
  show(scenario.ask(ann, 'board.undo', BOARD_ID, { seq: deleting }));
  show(scenario.ask(ann, 'trash.restore', BOARD_ID, { entry_id: column, column_id: null }));
  like(t, scenario.ask(ann, 'board.undo', BOARD_ID, { seq: unassigning }).error, { code: 'conflict', detail: 'They are not on the board any more' });
  for (const id of [archived, archivedToUndo, trashed, trashedToUndo, free, inColumn]) {
    show(scenario.ask(ann, 'card.get', id, {}));
    show(scenario.ask(ann, 'comment.list', id, page));
    like(t, scenario.must(ann, 'card.get', id, {}), { assignees: [{ id: ann.id }], checklists: [{ items: [{ assignees: [] }] }] });
    like(t, scenario.must(ann, 'comment.list', id, page), { comments: [{ mentions: [] }, { author: null, author_name: shownAs.username }] });
  }
  const everything = { ...page, after: null, user_id: null, kind: null, card_id: null };
  const { activity } = scenario.must(ann, 'activity.list', BOARD_ID, { ...everything, limit: 200 }) as unknown as { activity: object[] };
  t.ok(activity.some((fact) => 'user_name' in fact && fact.user_name === shownAs.username));
  t.notMatch(JSON.stringify([shown, activity]), /"ben"|ben@/);
});

t.test('DEL2 a board whose last owner is deleted goes to the heir, who may be a member already', async (t) => {
  for (const heir of [cleo, ben]) {
    const scenario = Scenario.withBoard();
    const { body, eventTypes, decision } = scenario.askAs('system', 'member.erase', BOARD_ID, { user_id: ann.id, heir });
    like(t, body, { state: 'gone' });
    t.strictSame(eventTypes, [heir === cleo ? 'board.member_added' : 'board.updated', 'board.member_removed']);
    like(
      t,
      scenario.must(heir, 'member.list', BOARD_ID, {}),
      heir === cleo
        ? [
            { user_id: ben.id, role: 'member' },
            { user_id: cleo.id, role: 'owner' },
          ]
        : [{ user_id: ben.id, role: 'owner' }],
    );
    t.ok(decision.memberships.some(({ user_id, change }) => user_id === ann.id && change === 'left'));
  }
  const shared = Scenario.withBoard();
  shared.must(ann, 'member.setRole', BOARD_ID, { user_id: ben.id, role: 'owner' });
  shared.askAs('system', 'member.erase', BOARD_ID, { user_id: ann.id, heir: cleo });
  like(t, shared.must(ben, 'member.list', BOARD_ID, {}), [{ user_id: ben.id }], 'with another owner nobody is added');
});

t.test('DEL2 a last owner without an heir stays on the board without name and address', async (t) => {
  const scenario = Scenario.withBoard();
  const { body, events, eventTypes } = scenario.askAs('system', 'member.erase', BOARD_ID, { user_id: ann.id, heir: null });
  like(t, body, { state: 'kept' });
  t.strictSame(eventTypes, ['board.updated']);
  t.notMatch(JSON.stringify(events), ann.email);
  like(t, scenario.must(ben, 'member.list', BOARD_ID, {}), [{ role: 'owner', user: deletedUser(ann.id) }, { user_id: ben.id }]);
  t.strictSame(scenario.askAs('system', 'member.erase', BOARD_ID, { user_id: ann.id, heir: null }).events, [], 'and nothing more');
  like(t, scenario.askAs('system', 'member.erase', BOARD_ID, { user_id: ann.id, heir: ben }).body, { state: 'gone' });
  like(t, scenario.must(ben, 'member.list', BOARD_ID, {}), [{ user_id: ben.id, role: 'owner' }]);
});
