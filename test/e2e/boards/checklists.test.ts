import t from 'tap';
import { randomUUID } from 'node:crypto';
import { emitted, type Scene } from '../../support/board/boardScenario.js';
import type { ChecklistJson, ItemJson } from '../../support/board/boardSnapshot.js';
import { enterWorld } from '../../support/board/boardWorld.js';
import { populate } from '../../support/board/populatedBoard.js';

const world = await enterWorld();
const { owner, member, helper, stranger } = world;

t.test('COLUMN1 a new checklist goes last in its card', async (t) => {
  const { board, card, checklist, otherChecklist } = await populate(world);
  const { body } = await board.play<ChecklistJson>(t, {
    as: member,
    request: `POST /cards/${card.id}/checklists`,
    json: { title: ' Third ', rank: 1, card_id: randomUUID(), position: 0, items: [{ content: 'x' }] },
    status: 201,
    answer: { title: 'Third', card_id: card.id, items: [] },
    events: [emitted('checklist.created', member)],
  });
  const { checklists } = await board.card(card.id);
  t.strictSame(
    checklists.map(({ id }) => id),
    [checklist.id, otherChecklist.id, body.id],
  );
});

t.test('BOARD6 renaming a checklist emits checklist.updated', async (t) => {
  const { board, checklist } = await populate(world);
  const scene = { as: member, request: `PATCH /checklists/${checklist.id}`, status: 200 };
  const json = { title: 'Renamed', rank: 1, card_id: randomUUID(), items: [] };
  const answer = { title: 'Renamed', rank: checklist.rank, card_id: checklist.card_id, items: [{}, {}] };
  await board.play(t, { ...scene, json, answer, events: [emitted('checklist.updated', member)] });
  await board.play(t, { ...scene, json: {} });
});

t.test('CARD7 a checklist moves within its card', async (t) => {
  const { board, card, checklist, otherChecklist } = await populate(world);
  const scene = { as: member, request: `POST /checklists/${checklist.id}/move`, status: 200 };
  for (const [position, first] of [
    [1, otherChecklist],
    [0, checklist],
    [7, otherChecklist],
  ] as const) {
    await board.play(t, {
      ...scene,
      json: { position, card_id: randomUUID() },
      events: [emitted('checklist.moved', member)],
    });
    t.equal((await board.card(card.id)).checklists[0]?.id, first.id, `to ${position}`);
  }
});

t.test('CARD5 deleting a checklist removes its items, with one event', async (t) => {
  const { board, checklist, item } = await populate(world);
  const request = `DELETE /checklists/${checklist.id}`;
  await board.play(t, { as: member, request, status: 204, events: [emitted('checklist.deleted', member, checklist.id)] });
  await board.refuse(t, [
    { as: member, request, status: 404 },
    { as: member, request: `POST /checklists/${checklist.id}/items`, json: { content: 'x' }, status: 404 },
    { as: member, request: `PATCH /items/${item.id}`, json: { content: 'x' }, status: 404 },
  ]);
});

t.test('COLUMN1 a new item goes last, not done and unassigned', async (t) => {
  const { board, card, checklist, item, lastItem } = await populate(world);
  const { body } = await board.play<ItemJson>(t, {
    as: member,
    request: `POST /checklists/${checklist.id}/items`,
    json: { content: 'Third', rank: 1, is_done: true, checklist_id: randomUUID(), assignees: [member.id] },
    status: 201,
    answer: { content: 'Third', is_done: false, checklist_id: checklist.id, assignees: [] },
    events: [emitted('checklist_item.created', member)],
  });
  const items = (await board.card(card.id)).checklists[0]?.items ?? [];
  t.strictSame(
    items.map(({ id }) => id),
    [item.id, lastItem.id, body.id],
  );
});

t.test('BOARD6 editing or completing an item emits checklist_item.updated', async (t) => {
  const { board, item } = await populate(world);
  const scene = { as: member, request: `PATCH /items/${item.id}`, status: 200 };
  const events = [emitted('checklist_item.updated', member)];
  await board.play(t, { ...scene, json: { is_done: true }, answer: { is_done: true, content: 'First' }, events });
  const json = { content: 'Edited', rank: 1, checklist_id: randomUUID(), assignees: [] };
  const answer = { is_done: true, content: 'Edited', rank: item.rank, assignees: [{ id: helper.id }] };
  await board.play(t, { ...scene, json, answer, events });
  await board.play(t, { ...scene, json: { is_done: false }, answer: { is_done: false }, events });
  await board.play(t, { ...scene, json: {} });
});

t.test('CARD7 an item moves within its checklist and to another one of the board', async (t) => {
  const { board, card, plainCard, checklist, otherChecklist, item } = await populate(world);
  const distant = await board.do<ChecklistJson>(owner, `POST /cards/${plainCard.id}/checklists`, {
    title: 'Elsewhere',
  });
  const scene = {
    as: member,
    request: `POST /items/${item.id}/move`,
    status: 200,
    events: [emitted('checklist_item.moved', member)],
  };
  const contents = async (): Promise<string[][]> => (await board.card(card.id)).checklists.map(({ items }) => items.map(({ content }) => content));
  await board.play(t, { ...scene, json: { position: 1 }, answer: { checklist_id: checklist.id } });
  t.strictSame(await contents(), [['Second', 'First'], []]);
  await board.play(t, { ...scene, json: { position: 0, checklist_id: null }, answer: { checklist_id: checklist.id } });
  t.strictSame(await contents(), [['First', 'Second'], []]);
  await board.play(t, {
    ...scene,
    json: { position: 3, checklist_id: otherChecklist.id },
    answer: { checklist_id: otherChecklist.id },
  });
  t.strictSame(await contents(), [['Second'], ['First']]);
  await board.play(t, {
    ...scene,
    json: { position: 0, checklist_id: distant.id },
    answer: { checklist_id: distant.id },
  });
  t.strictSame(await contents(), [['Second'], []]);
});

t.test('CARD7 an item cannot move to a checklist that is not on the board, nor without a position', async (t) => {
  const [{ board, item, card, otherChecklist }, foreign] = [await populate(world), await populate(world)];
  const scene = { as: member, request: `POST /items/${item.id}/move` };
  const unknown = [randomUUID(), foreign.checklist.id, card.id, item.id];
  const bad = [{}, { checklist_id: otherChecklist.id }, { position: null }, { position: 0, checklist_id: 'x' }];
  await board.refuse(t, [
    ...unknown.map((id): Scene => ({
      ...scene,
      json: { position: 0, checklist_id: id },
      status: 404,
      detail: /Checklist not/,
    })),
    ...bad.map((json): Scene => ({ ...scene, json, status: 422 })),
  ]);
});

t.test('CARD5 deleting an item emits its last state', async (t) => {
  const { board, item } = await populate(world);
  const request = `DELETE /items/${item.id}`;
  await board.play(t, { as: member, request, status: 204, events: [emitted('checklist_item.deleted', member, item.id)] });
  await board.refuse(t, [{ as: member, request, status: 404 }]);
});

t.test('CARD9 items are assigned by the rules of cards', async (t) => {
  const { board, item } = await populate(world);
  const scene = { as: member, request: `PUT /items/${item.id}/assignees`, status: 200 };
  const assigned = emitted('checklist_item.assigned', member);
  const answer = { assignees: [{ id: helper.id }, { id: owner.id }] };
  await board.play(t, {
    ...scene,
    json: { user_ids: [owner.id, helper.id, owner.id] },
    answer,
    events: [assigned, assigned],
  });
  await board.play(t, { ...scene, json: { user_ids: [] }, answer });
});

t.test('CARD14 unassigning emits an event, and a user who is not assigned is not found', async (t) => {
  const { board, item } = await populate(world);
  const request = `DELETE /items/${item.id}/assignees/${helper.id}`;
  await board.play(t, {
    as: member,
    request,
    status: 204,
    events: [emitted('checklist_item.unassigned', member, item.id)],
  });
  const others = [helper.id, stranger.id, randomUUID()];
  await board.refuse(
    t,
    others.map((id): Scene => ({ as: member, request: `DELETE /items/${item.id}/assignees/${id}`, status: 404 })),
  );
});
