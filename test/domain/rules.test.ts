import t from 'tap';
import type { RuleFields } from '../../src/domain/model.js';
import { like } from './like.js';
import { ann, ben, BOARD_ID, cleo, idleRule, UNKNOWN_ID, Scenario } from './scenario.js';

t.test('RULE6 a rule is created and listed in the order of creation', async (t) => {
  const scenario = Scenario.withBoard();
  const { body, events } = scenario.ask(ann, 'rule.create', BOARD_ID, idleRule);
  t.strictSame(body, {
    id: body?.id,
    board_id: BOARD_ID,
    ...idleRule,
    created_at: body?.created_at,
    updated_at: body?.created_at,
  });
  t.match(events, [{ type: 'rule.created', user_id: ann.id, data: body }]);
  scenario.must(ann, 'rule.create', BOARD_ID, { ...idleRule, name: 'another' });
  like(t, scenario.must(ben, 'rule.list', BOARD_ID, {}), [{ name: 'rule' }, { name: 'another' }]);
});

t.test('RULE2 a rule must have the references that its trigger and action use', async (t) => {
  const scenario = Scenario.withBoard();
  const refusals: [Partial<RuleFields>, RegExp][] = [
    [{ trigger_type: 'CARD_MOVED' }, /^trigger_column_id: .*CARD_MOVED/],
    [{ trigger_type: 'LABEL_ADDED' }, /^trigger_label_id: .*LABEL_ADDED/],
    [{ action_type: 'MOVE_TO_COLUMN' }, /^action_column_id: .*MOVE_TO_COLUMN/],
    [{ action_user_id: null }, /^action_user_id: .*ASSIGN_MEMBER/],
  ];
  for (const [fields, detail] of refusals) {
    const { error } = scenario.ask(ann, 'rule.create', BOARD_ID, { ...idleRule, ...fields });
    like(t, error, { code: 'invalid', detail });
  }
});

t.test('RULE2 the references of a rule must be on the board, used or not', async (t) => {
  const scenario = Scenario.withBoard();
  const refusals: [Partial<RuleFields>, string][] = [
    [{ trigger_column_id: UNKNOWN_ID }, 'Column not found'],
    [{ action_column_id: BOARD_ID }, 'Column not found'],
    [{ trigger_label_id: ben.id }, 'Label not found'],
  ];
  for (const [fields, detail] of refusals) {
    const { error } = scenario.ask(ann, 'rule.create', BOARD_ID, { ...idleRule, ...fields });
    t.strictSame(error, { code: 'not_found', detail });
  }
  const { decision } = scenario.ask(ann, 'rule.create', BOARD_ID, { ...idleRule, action_user_id: cleo.id });
  like(t, decision.outcome, { ok: false, error: { code: 'forbidden' }, unknownUsers: [cleo.id] });
});

t.test('RULE2 an update is validated as the resulting rule', async (t) => {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('A');
  const { id } = scenario.must(ann, 'rule.create', BOARD_ID, idleRule);
  t.equal(scenario.ask(ann, 'rule.update', id, { trigger_type: 'CARD_MOVED' }).error?.code, 'invalid');
  t.equal(scenario.ask(ann, 'rule.update', id, { action_user_id: null }).error?.code, 'invalid');
  const { body, events } = scenario.ask(ann, 'rule.update', id, {
    trigger_type: 'CARD_MOVED',
    trigger_column_id: column,
    is_enabled: false,
  });
  like(t, body, { name: 'rule', trigger_type: 'CARD_MOVED', trigger_column_id: column, is_enabled: false });
  t.match(events, [{ type: 'rule.updated', user_id: ann.id, data: body }]);
  const untouched = scenario.ask(ann, 'rule.update', id, {});
  t.strictSame(untouched.body, body);
  t.strictSame([untouched.decision.changes, untouched.events], [[], []]);
});

t.test('RULE2 a rule that lost a reference can be renamed, and enabled only with a new one', async (t) => {
  const scenario = Scenario.withBoard();
  const [column, other] = [scenario.addColumn('A'), scenario.addColumn('B')];
  const moving = { ...idleRule, action_type: 'MOVE_TO_COLUMN', action_column_id: column, action_user_id: null } as const;
  const { id } = scenario.must(ann, 'rule.create', BOARD_ID, moving);
  scenario.must(ann, 'column.delete', column, {});
  const renamed = { name: 'renamed', is_enabled: false };
  like(t, scenario.must(ann, 'rule.update', id, renamed), { ...renamed, action_column_id: null });
  for (const refused of [{ is_enabled: true }, { action_type: 'ASSIGN_MEMBER' }, { trigger_label_id: null }] as const) {
    t.equal(scenario.ask(ann, 'rule.update', id, refused).error?.code, 'invalid');
  }
  const repaired = { is_enabled: true, action_column_id: other };
  like(t, scenario.must(ann, 'rule.update', id, repaired), { ...repaired, name: 'renamed' });
});

t.test('RULE6 a deleted rule is gone', async (t) => {
  const scenario = Scenario.withBoard();
  const { id } = scenario.must(ann, 'rule.create', BOARD_ID, idleRule);
  const deleted = scenario.ask(ann, 'rule.delete', id, {});
  like(t, deleted, { json: null, eventTypes: ['rule.deleted'], error: null });
  t.match(deleted.events, [{ data: { id } }]);
  t.strictSame(scenario.must(ann, 'rule.list', BOARD_ID, {}), []);
});

t.test('RULE6 only owners create, change and delete rules', async (t) => {
  const scenario = Scenario.withBoard();
  const { id } = scenario.must(ann, 'rule.create', BOARD_ID, idleRule);
  t.equal(scenario.ask(ben, 'rule.create', BOARD_ID, idleRule).error?.code, 'forbidden');
  t.equal(scenario.ask(ben, 'rule.update', id, { name: 'mine' }).error?.code, 'forbidden');
  t.equal(scenario.ask(ben, 'rule.delete', id, {}).error?.code, 'forbidden');
});

t.test('RULE7 when a column, label or member is removed, rules lose the reference and are disabled', async (t) => {
  const scenario = Scenario.withBoard();
  const [column, label] = [scenario.addColumn('A'), scenario.addLabel('urgent')];
  const create = (fields: Partial<RuleFields>) => scenario.must(ann, 'rule.create', BOARD_ID, { ...idleRule, ...fields });
  create({ trigger_type: 'CARD_MOVED', trigger_column_id: column, action_user_id: ann.id });
  create({ action_type: 'MOVE_TO_COLUMN', action_column_id: column, action_user_id: null });
  create({ trigger_type: 'LABEL_ADDED', trigger_label_id: label, action_user_id: ann.id });
  create({ action_user_id: ben.id });
  create({ action_user_id: ann.id });
  scenario.must(ann, 'column.delete', column, {});
  scenario.must(ann, 'label.delete', label, {});
  scenario.must(ann, 'member.remove', BOARD_ID, { user_id: ben.id });
  like(t, scenario.must(ann, 'rule.list', BOARD_ID, {}), [
    { trigger_column_id: null, is_enabled: false, action_user_id: ann.id },
    { action_column_id: null, is_enabled: false },
    { trigger_label_id: null, is_enabled: false },
    { action_user_id: null, is_enabled: false },
    { action_user_id: ann.id, is_enabled: true },
  ]);
});
