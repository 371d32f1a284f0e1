import t from 'tap';
import { HANDLERS } from '../../src/domain/commands/table.js';
import { MAX_UNASSIGNED } from '../../src/domain/commands/members.js';
import { UNDATED } from '../support/board/undated.js';
import { like } from './like.js';
import { ann, ben, BOARD_ID, cleo, Scenario } from './scenario.js';

const RULE = {
  name: 'Assign Ben',
  trigger_type: 'CARD_CREATED',
  trigger_column_id: null,
  trigger_label_id: null,
  action_type: 'ASSIGN_MEMBER',
  action_column_id: null,
  action_user_id: ben.id,
  is_enabled: true,
} as const;

const ROLES_CAME_WITH = 16;

t.test('MEMBER5 a member who becomes a viewer is taken off cards, items and rules, in the same commit', async (t) => {
  const scenario = Scenario.withBoard();
  const card = scenario.addCard(scenario.addColumn('A'), 'A card');
  const item = scenario.addItem(scenario.addChecklist(card, 'steps'), 'first');
  scenario.must(ann, 'card.assign', card, { user_ids: [ann.id, ben.id] });
  scenario.must(ann, 'item.assign', item, { user_ids: [ben.id] });
  scenario.must(ann, 'rule.create', BOARD_ID, RULE);
  const { body, eventTypes } = scenario.ask(ann, 'member.restrict', BOARD_ID, { user_id: ben.id, role: 'viewer' });
  like(t, body, { user_id: ben.id, role: 'viewer' });
  t.strictSame(eventTypes, ['card.unassigned', 'checklist_item.unassigned', 'board.updated']);
  like(t, scenario.must(ann, 'card.get', card, {}), { assignees: [{ id: ann.id }], checklists: [{ items: [{ assignees: [] }] }] });
  like(t, scenario.must(ann, 'rule.list', BOARD_ID, {}), [{ action_user_id: null, is_enabled: false }]);

  for (const role of ['viewer', 'commenter'] as const) {
    scenario.must(ann, 'member.restrict', BOARD_ID, { user_id: ben.id, role });
    like(t, scenario.ask(ann, 'card.assign', card, { user_ids: [ben.id] }).error, { code: 'forbidden', detail: /cannot be assigned/ });
    like(t, scenario.ask(ann, 'card.assign', card, { user_ids: [ben.id, cleo.id] }).error, { code: 'forbidden', detail: /not a member/ });
    t.equal(scenario.ask(ann, 'item.assign', item, { user_ids: [ben.id] }).error?.code, 'forbidden');
    t.equal(scenario.ask(ann, 'rule.create', BOARD_ID, RULE).error?.code, 'forbidden');
    like(t, scenario.ask(ben, 'card.update', card, { title: 'Mine' }).error, { code: 'forbidden', detail: new RegExp(role) });
    scenario.must(ben, 'card.get', card, {});
  }
  scenario.must(ann, 'member.setRole', BOARD_ID, { user_id: ben.id, role: 'member' });
  scenario.must(ben, 'card.assign', card, { user_ids: [ben.id] });
});

t.test('MEMBER5 the last owner becomes neither a viewer nor a commenter', async (t) => {
  const scenario = Scenario.withBoard();
  for (const role of ['viewer', 'commenter'] as const) {
    t.equal(scenario.ask(ann, 'member.restrict', BOARD_ID, { user_id: ann.id, role }).error?.code, 'conflict');
  }
  scenario.must(ann, 'member.setRole', BOARD_ID, { user_id: ben.id, role: 'owner' });
  scenario.must(ann, 'member.restrict', BOARD_ID, { user_id: ann.id, role: 'viewer' });
  t.equal(scenario.ask(ann, 'member.setRole', BOARD_ID, { user_id: ann.id, role: 'owner' }).error?.code, 'forbidden');
});

t.test('MEMBER5 many assignments are removed step by step before a member becomes a viewer, who may be a member again', async (t) => {
  const card = { title: 'x', description: null, ...UNDATED, labels: [], assignee_ids: [ben.id], checklists: [], comments: [], attachments: [] };
  const scenario = Scenario.withoutBoard();
  scenario.must(ann, 'board.import', BOARD_ID, {
    ...{ title: 'Busy', description: null, importer: ann, labels: [], rules: [] },
    members: [{ user: ben, role: 'member' }],
    columns: [{ title: 'To do', color: '#fff', is_done_column: false, cards: Array.from({ length: MAX_UNASSIGNED + 1 }, () => card) }],
  });
  const [first = ''] = scenario.full.columns[0]?.cards.map(({ id }) => id) ?? [];
  const restrict = { user_id: ben.id, role: 'viewer' } as const;
  t.equal(scenario.ask(ann, 'member.restrict', BOARD_ID, restrict).error?.code, 'limit');
  scenario.must(ann, 'member.unassign', BOARD_ID, { user_id: ben.id });
  t.equal(scenario.ask(ann, 'card.assign', first, { user_ids: [ben.id] }).error?.code, 'conflict', 'not in between');
  scenario.must(ann, 'member.restrict', BOARD_ID, restrict);
  scenario.must(ann, 'member.setRole', BOARD_ID, { user_id: ben.id, role: 'member' });
});

t.test('CLUSTER54 nobody becomes a viewer or a commenter while a program runs that would take them for members', async (t) => {
  const scenario = Scenario.withBoard();
  scenario.schema = ROLES_CAME_WITH - 1;
  const asks = [
    scenario.ask(ann, 'member.restrict', BOARD_ID, { user_id: ben.id, role: 'viewer' }),
    scenario.ask(ann, 'member.addAs', BOARD_ID, { user_id: cleo.id, user: cleo, role: 'commenter' }),
    scenario.ask(ann, 'member.beginRestricted', BOARD_ID, { role: 'viewer' }),
  ];
  for (const { error } of asks) like(t, error, { code: 'unavailable', detail: /older version/ });
  scenario.must(ann, 'member.addAs', BOARD_ID, { user_id: cleo.id, user: cleo, role: 'owner' });
  scenario.schema = ROLES_CAME_WITH;
  scenario.must(ann, 'member.restrict', BOARD_ID, { user_id: ben.id, role: 'viewer' });
});

t.test('ACCESS2 what a viewer may ask changes nothing that others see', async (t) => {
  const own = ['board.star', 'board.unstar'];
  for (const [op, { access, effect }] of Object.entries(HANDLERS)) {
    if (access === 'viewer' && !own.includes(op) && !op.startsWith('watch.')) t.equal(effect, 'read', op);
  }
});
