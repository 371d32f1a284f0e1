import t from 'tap';
import { randomUUID } from 'node:crypto';
import { emitted, type Scene } from '../../support/board/boardScenario.js';
import type { RuleJson } from '../../support/board/boardSnapshot.js';
import { enterWorld } from '../../support/board/boardWorld.js';
import { populate, type PopulatedBoard } from '../../support/board/populatedBoard.js';

const world = await enterWorld();
const { owner, member, helper, stranger } = world;

function movedRule({ done }: PopulatedBoard): object {
  return {
    name: 'Rule',
    trigger_type: 'CARD_MOVED',
    trigger_column_id: done.id,
    action_type: 'ASSIGN_MEMBER',
    action_user_id: member.id,
  };
}

t.test('RULE6 a rule is created and listed in the order of creation', async (t) => {
  const populated = await populate(world);
  const { board, rule, done } = populated;
  const { after } = await board.play<RuleJson>(t, {
    as: owner,
    request: `POST /boards/${board.id}/automations`,
    json: {
      ...movedRule(populated),
      name: ' Rule ',
      trigger_type: 'card_moved',
      action_type: 'Assign_Member',
      board_id: randomUUID(),
    },
    status: 201,
    answer: {
      name: 'Rule',
      board_id: board.id,
      trigger_type: 'CARD_MOVED',
      trigger_column_id: done.id,
      trigger_label_id: null,
      action_type: 'ASSIGN_MEMBER',
      action_column_id: null,
      action_user_id: member.id,
      is_enabled: true,
    },
    events: [emitted('rule.created', owner)],
  });
  t.equal(after?.rules.length, 2);
  t.equal(after?.rules[0]?.id, rule.id);
  const { body: seen } = await board.play(t, {
    as: member,
    request: `GET /boards/${board.id}/automations`,
    status: 200,
  });
  t.strictSame(seen, after?.rules, 'members may read them');
});

t.test('RULE2 a rule must have the references that its trigger and action use', async (t) => {
  const populated = await populate(world);
  const { board, done, label } = populated;
  const scene = { as: owner, request: `POST /boards/${board.id}/automations`, status: 422 };
  const good = movedRule(populated);
  const toColumn = { name: 'x', action_type: 'MOVE_TO_COLUMN', action_column_id: done.id };
  const bad: Array<[object, RegExp]> = [
    [{ ...good, trigger_column_id: null }, /^trigger_column_id/],
    [{ ...good, trigger_type: 'LABEL_ADDED' }, /^trigger_label_id/],
    [{ ...good, action_user_id: undefined }, /^action_user_id/],
    [{ ...good, action_type: 'MOVE_TO_COLUMN', action_column_id: null }, /^action_column_id/],
    [{ ...good, trigger_type: 'CARD_DELETED' }, /^trigger_type/],
    [{ ...good, action_type: 'DELETE' }, /^action_type/],
    [{ ...good, trigger_type: null }, /^trigger_type/],
    [{ ...good, name: ' ' }, /^name/],
    [{ ...good, is_enabled: 'yes' }, /^is_enabled/],
    [{ ...good, trigger_label_id: 'x' }, /^trigger_label_id/],
    [toColumn, /^trigger_type/],
    [{}, /^name/],
  ];
  await board.refuse(
    t,
    bad.map(([json, detail]): Scene => ({ ...scene, json, detail })),
  );
  const allowed = [
    { ...toColumn, trigger_type: 'CARD_CREATED' },
    { ...toColumn, trigger_type: 'label_added', trigger_label_id: label.id },
  ];
  for (const json of allowed) await board.play(t, { ...scene, json, status: 201, events: [emitted('rule.created', owner)] });
});

t.test('RULE2 the references of a rule must be on the board', async (t) => {
  const [populated, foreign] = [await populate(world), await populate(world)];
  const { board, done, rule } = populated;
  const good = movedRule(populated);
  const bad: Array<[object, number, RegExp]> = [
    [{ trigger_column_id: randomUUID() }, 404, /Column/],
    [{ trigger_column_id: foreign.done.id }, 404, /Column/],
    [{ trigger_column_id: board.id }, 404, /Column/],
    [{ action_type: 'MOVE_TO_COLUMN', action_column_id: foreign.todo.id }, 404, /Column/],
    [{ trigger_type: 'LABEL_ADDED', trigger_label_id: foreign.label.id }, 404, /Label/],
    [{ trigger_type: 'LABEL_ADDED', trigger_label_id: done.id }, 404, /Label/],
    [{ action_user_id: stranger.id }, 403, /member/],
    [{ action_user_id: randomUUID() }, 404, /User/],
  ];
  const scenes = bad.flatMap(([json, status, detail]): Scene[] => [
    { as: owner, request: `POST /boards/${board.id}/automations`, json: { ...good, ...json }, status, detail },
    { as: owner, request: `PATCH /automations/${rule.id}`, json, status, detail },
  ]);
  await board.refuse(t, scenes);
});

t.test('RULE2 an update is validated as the resulting rule', async (t) => {
  const { board, rule, todo, label } = await populate(world);
  const unchanged = { as: owner, request: `PATCH /automations/${rule.id}`, status: 200 };
  const scene = { ...unchanged, events: [emitted('rule.updated', owner, rule.id)] };
  await board.play(t, { ...scene, json: { name: 'Renamed' }, answer: { ...rule, name: 'Renamed', updated_at: /./ } });
  await board.play(t, { ...scene, json: { is_enabled: true }, answer: { name: 'Renamed', is_enabled: true } });
  const toLabel = { trigger_type: 'label_added', trigger_label_id: label.id, trigger_column_id: null };
  await board.play(t, { ...scene, json: toLabel, answer: { trigger_type: 'LABEL_ADDED', trigger_column_id: null } });
  const toColumn = { action_type: 'MOVE_TO_COLUMN', action_column_id: todo.id, board_id: randomUUID() };
  await board.play(t, { ...scene, json: toColumn, answer: { board_id: board.id, action_user_id: helper.id } });
  const bad = [{ trigger_label_id: null }, { action_column_id: null }, { trigger_type: 'CARD_MOVED' }, { name: null }, { is_enabled: null }];
  await board.refuse(
    t,
    bad.map((json): Scene => ({ ...unchanged, json, status: 422 })),
  );
  const { before, after } = await board.play(t, { ...unchanged, json: {} });
  t.strictSame(after?.rules, before.rules, 'an empty update changes nothing');
});

t.test('RULE6 a deleted rule is gone', async (t) => {
  const { board, rule } = await populate(world);
  const { after } = await board.play(t, {
    as: owner,
    request: `DELETE /automations/${rule.id}`,
    status: 204,
    events: [emitted('rule.deleted', owner, rule.id)],
  });
  t.strictSame(after?.rules, []);
  await board.refuse(t, [
    { as: owner, request: `DELETE /automations/${rule.id}`, status: 404 },
    { as: owner, request: `PATCH /automations/${rule.id}`, json: {}, status: 404 },
  ]);
});

t.test('ACTIVITY1 a rule is in the activity with what it says, and its deletion is undone', async (t) => {
  const { board, rule, done } = await populate(world);
  await board.do(owner, `PATCH /automations/${rule.id}`, { name: 'Renamed' });
  await board.do(owner, `DELETE /automations/${rule.id}`);
  const { activity } = await board.do<{ activity: unknown[] }>(member, `GET /boards/${board.id}/activity?limit=2`);
  t.match(activity, [
    { kind: 'rule.deleted', name: 'Renamed', user: { id: owner.id }, before: { name: 'Renamed', trigger_column_id: done.id } },
    { kind: 'rule.updated', name: 'Renamed', before: { name: rule.name }, after: { name: 'Renamed' } },
  ]);
  const request = `POST /boards/${board.id}/undo`;
  const { after } = await board.play(t, { as: owner, request, json: {}, status: 200, events: [emitted('rule.created', owner, rule.id)] });
  t.match(after?.rules, [{ ...rule, name: 'Renamed', updated_at: /./ }]);
});

t.test('RULE7 when a column or label is removed, rules lose the reference and are disabled', async (t) => {
  const { board, rule, done, todo, label } = await populate(world);
  await board.do(owner, `PATCH /automations/${rule.id}`, { is_enabled: true });
  const labelRule = await board.do<RuleJson>(owner, `POST /boards/${board.id}/automations`, {
    name: 'Label',
    trigger_type: 'LABEL_ADDED',
    trigger_label_id: label.id,
    action_type: 'MOVE_TO_COLUMN',
    action_column_id: todo.id,
  });
  const rules = async (): Promise<RuleJson[]> => board.do<RuleJson[]>(owner, `GET /boards/${board.id}/automations`);
  await board.do(member, `DELETE /columns/${done.id}`);
  const lost = { trigger_column_id: null, action_user_id: helper.id, is_enabled: false };
  t.match(await rules(), [lost, { id: labelRule.id, is_enabled: true }]);
  await board.do(member, `DELETE /labels/${label.id}`);
  t.match(await rules(), [lost, { trigger_label_id: null, action_column_id: todo.id, is_enabled: false }]);
  const enable: Scene = {
    as: owner,
    request: `PATCH /automations/${rule.id}`,
    json: { is_enabled: true },
    status: 422,
  };
  await board.refuse(t, [enable]);
});
