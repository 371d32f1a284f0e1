import t from 'tap';
import { recordBoard } from '../../support/realtime/boardRecorder.js';
import { emitted } from '../../support/board/boardScenario.js';
import type { CardJson, ColumnJson, RuleJson } from '../../support/board/boardSnapshot.js';
import { enterWorld } from '../../support/board/boardWorld.js';
import { populate, type PopulatedBoard } from '../../support/board/populatedBoard.js';

const world = await enterWorld();
const { owner, member, helper } = world;

type RuleFields = Partial<Omit<RuleJson, 'id' | 'board_id' | 'created_at' | 'updated_at'>>;

function addRule({ board }: PopulatedBoard, fields: RuleFields): Promise<RuleJson> {
  return board.do<RuleJson>(owner, `POST /boards/${board.id}/automations`, { name: 'Rule', ...fields });
}

function addColumn({ board }: PopulatedBoard, title: string): Promise<ColumnJson> {
  return board.do<ColumnJson>(owner, `POST /boards/${board.id}/columns`, { title });
}

const movedTo = ({ id }: ColumnJson): RuleFields => ({ trigger_type: 'CARD_MOVED', trigger_column_id: id });
const moveTo = ({ id }: ColumnJson): RuleFields => ({ action_type: 'MOVE_TO_COLUMN', action_column_id: id });
const assignMember: RuleFields = { action_type: 'ASSIGN_MEMBER', action_user_id: member.id };

t.test('AUTO2 rules for created cards never run', async (t) => {
  const populated = await populate(world);
  const { board, todo, done } = populated;
  await addRule(populated, { trigger_type: 'CARD_CREATED', trigger_column_id: todo.id, ...moveTo(done) });
  await addRule(populated, { trigger_type: 'CARD_CREATED', ...assignMember });
  await addRule(populated, { ...movedTo(todo), ...assignMember });
  await board.play(t, {
    as: member,
    request: `POST /boards/${board.id}/columns/${todo.id}/cards`,
    json: { title: 'New' },
    status: 201,
    answer: { column_id: todo.id, assignees: [] },
    events: [emitted('card.created', member)],
  });
});

t.test('AUTO2 a move into the column of the rule triggers it; a move elsewhere, or within the column, does not', async (t) => {
  const populated = await populate(world);
  const { board, todo, done, plainCard } = populated;
  const other = await addColumn(populated, 'Other');
  await addRule(populated, { ...movedTo(done), ...assignMember });
  const scene = { as: helper, request: `POST /cards/${plainCard.id}/move`, status: 200 };
  const moved = emitted('card.moved', helper);
  await board.play(t, { ...scene, json: { column_id: other.id }, answer: { assignees: [] }, events: [moved] });
  await board.play(t, {
    ...scene,
    json: { column_id: done.id },
    answer: { column_id: done.id, assignees: [{ id: member.id }], updated_by: null },
    events: [{ ...moved, passing: { column_id: done.id, assignees: [] } }, emitted('card.assigned', null)],
  });
  await board.do(owner, `DELETE /cards/${plainCard.id}/assignees/${member.id}`);
  await board.play(t, {
    ...scene,
    json: { column_id: done.id, position: 0 },
    answer: { assignees: [] },
    events: [moved],
  });
  await board.play(t, { ...scene, json: { column_id: todo.id }, answer: { assignees: [] }, events: [moved] });
});

t.test('AUTO2 adding a label triggers a rule only if the label is new on the card', async (t) => {
  const populated = await populate(world);
  const { board, plainCard, label, unusedLabel } = populated;
  await addRule(populated, { trigger_type: 'LABEL_ADDED', trigger_label_id: label.id, ...assignMember });
  const request = `POST /cards/${plainCard.id}/labels/${label.id}`;
  const labeled = emitted('card.labeled', helper);
  const other = `POST /cards/${plainCard.id}/labels/${unusedLabel.id}`;
  await board.play(t, { as: helper, request: other, status: 200, answer: { assignees: [] }, events: [labeled] });
  await board.play(t, {
    as: helper,
    request,
    status: 200,
    answer: { labels: [{}, { id: label.id }], assignees: [{ id: member.id }] },
    events: [{ ...labeled, passing: { assignees: [] } }, emitted('card.assigned', null)],
  });
  await board.do(owner, `DELETE /cards/${plainCard.id}/assignees/${member.id}`);
  await board.play(t, { as: helper, request, status: 200, answer: { assignees: [] } });
});

t.test('AUTO2 a rule moves a card to the end of its column, and does nothing if the card is in it', async (t) => {
  const populated = await populate(world);
  const { board, done, todo, plainCard, label } = populated;
  await board.do(owner, `POST /boards/${board.id}/columns/${done.id}/cards`, { title: 'Old' });
  await addRule(populated, { trigger_type: 'LABEL_ADDED', trigger_label_id: label.id, ...moveTo(done) });
  const request = `POST /cards/${plainCard.id}/labels/${label.id}`;
  const labeled = emitted('card.labeled', helper);
  const { after } = await board.play<CardJson>(t, {
    as: helper,
    request,
    status: 200,
    answer: { column_id: done.id, updated_by: null },
    events: [{ ...labeled, passing: { column_id: todo.id, labels: [{ id: label.id }] } }, emitted('card.moved', null)],
  });
  t.strictSame(
    after?.board.columns[1]?.cards.map(({ title }) => title),
    ['Old', 'Plain'],
  );
  await board.do(owner, `DELETE /cards/${plainCard.id}/labels/${label.id}`);
  await board.play(t, { as: helper, request, status: 200, answer: { column_id: done.id }, events: [labeled] });
});

t.test('AUTO2 a rule that assigns an assigned user does nothing', async (t) => {
  const populated = await populate(world);
  const { board, done, card } = populated;
  await addRule(populated, { ...movedTo(done), action_type: 'ASSIGN_MEMBER', action_user_id: helper.id });
  const scene = { as: member, request: `POST /cards/${card.id}/move`, json: { column_id: done.id }, status: 200 };
  await board.play(t, { ...scene, answer: { assignees: [{ id: helper.id }] }, events: [emitted('card.moved', member)] });
});

t.test('AUTO7 the actions of a rule trigger no other rule', async (t) => {
  const populated = await populate(world);
  const { board, done, plainCard } = populated;
  const archive = await addColumn(populated, 'Archive');
  await addRule(populated, { ...movedTo(done), ...moveTo(archive) });
  await addRule(populated, { ...movedTo(archive), ...assignMember });
  await addRule(populated, { ...movedTo(archive), ...moveTo(done) });
  await board.play(t, {
    as: member,
    request: `POST /cards/${plainCard.id}/move`,
    json: { column_id: done.id },
    status: 200,
    answer: { column_id: archive.id, assignees: [] },
    events: [{ ...emitted('card.moved', member), passing: { column_id: done.id } }, emitted('card.moved', null)],
  });
});

t.test('AUTO7 rules run in order of creation, in the commit of their trigger', async (t) => {
  const populated = await populate(world);
  const { board, done, plainCard } = populated;
  const archive = await addColumn(populated, 'Archive');
  await addRule(populated, { ...movedTo(done), ...moveTo(archive) });
  await addRule(populated, { ...movedTo(done), ...assignMember });
  const recording = recordBoard(world, board.id);
  const { events } = await board.play(t, {
    as: helper,
    request: `POST /cards/${plainCard.id}/move`,
    json: { column_id: done.id },
    status: 200,
    answer: { column_id: archive.id, assignees: [{ id: member.id }] },
    events: [
      { ...emitted('card.moved', helper), passing: { column_id: done.id, assignees: [] } },
      { ...emitted('card.moved', null), passing: { column_id: archive.id, assignees: [] } },
      emitted('card.assigned', null),
    ],
  });
  recording.stop();
  t.equal(recording.messages.length, 1, 'they are published together');
  t.equal(new Set(events.map(({ timestamp }) => timestamp)).size, 1);
});

t.test('AUTO2 disabled rules do not run', async (t) => {
  const populated = await populate(world);
  const { board, done, plainCard } = populated;
  const rule = await addRule(populated, { ...movedTo(done), ...assignMember });
  await board.do(owner, `PATCH /automations/${rule.id}`, { is_enabled: false });
  const scene = { as: helper, request: `POST /cards/${plainCard.id}/move`, json: { column_id: done.id }, status: 200 };
  await board.play(t, { ...scene, answer: { assignees: [] }, events: [emitted('card.moved', helper)] });
});
