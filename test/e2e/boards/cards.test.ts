import t from 'tap';
import { randomUUID } from 'node:crypto';
import { emitted, type ScenarioBoard, type Scene } from '../../support/board/boardScenario.js';
import type { CardJson } from '../../support/board/boardSnapshot.js';
import { enterWorld } from '../../support/board/boardWorld.js';
import { populate } from '../../support/board/populatedBoard.js';

const world = await enterWorld();
const { owner, member, helper, stranger } = world;

async function order(board: ScenarioBoard): Promise<string[][]> {
  return (await board.look()).board.columns.map(({ cards }) => cards.map(({ title }) => title));
}

t.test('COLUMN1 a new card goes last or to the given position', async (t) => {
  const { board, todo } = await populate(world);
  const request = `POST /boards/${board.id}/columns/${todo.id}/cards`;
  const scene = { as: member, request, status: 201, events: [emitted('card.created', member)] };
  const created = { column_id: todo.id, board_id: board.id, created_by: member.id, description: null };
  await board.play(t, { ...scene, json: { title: ' Last ' }, answer: { ...created, title: 'Last' } });
  await board.play(t, { ...scene, json: { title: 'First', position: 0 } });
  await board.play(t, { ...scene, json: { title: 'Third', description: null, position: 2 } });
  await board.play(t, {
    ...scene,
    json: { title: 'Far', description: '', position: 1e15 },
    answer: { description: '' },
  });
  t.strictSame(await order(board), [['First', 'Full', 'Third', 'Plain', 'Last', 'Far'], []]);
  const forged = {
    column_id: randomUUID(),
    board_id: stranger.id,
    rank: 1,
    created_by: stranger.id,
    assignees: [stranger.id],
  };
  const { body } = await board.play<CardJson>(t, {
    ...scene,
    json: { title: 'x', ...forged },
    answer: { ...created, assignees: [] },
  });
  t.not(body.rank, 1);
});

t.test('BOARD6 an update changes the given fields, null clears the description, and an update without fields emits nothing', async (t) => {
  const { board, card } = await populate(world);
  const scene = { as: member, request: `PATCH /cards/${card.id}`, status: 200 };
  const events = [emitted('card.updated', member)];
  await board.play(t, {
    ...scene,
    json: { title: ' New ' },
    answer: { title: 'New', description: 'of things' },
    events,
  });
  await board.play(t, { ...scene, json: { description: null }, answer: { title: 'New', description: null }, events });
  await board.play(t, {
    ...scene,
    json: { description: 'Back' },
    answer: { title: 'New', description: 'Back' },
    events,
  });
  const forged = { rank: 1, column_id: randomUUID(), position: 9, created_by: stranger.id, labels: [], assignees: [] };
  const { after } = await board.play(t, { ...scene, json: { title: 'Forged', ...forged }, events });
  t.match(after?.resources.get(card.id), {
    rank: card.rank,
    column_id: card.column_id,
    created_by: owner.id,
    labels: [{}],
  });
  await board.play(t, { ...scene, json: {} });
  await board.play(t, { ...scene, json: forged });
});

t.test('CARD5 deleting a card emits its last state and removes its contents', async (t) => {
  const { board, card, checklist, item, attachment } = await populate(world);
  const events = [emitted('card.deleted', member, card.id)];
  await board.play(t, { as: member, request: `DELETE /cards/${card.id}`, status: 204, events });
  await board.refuse(t, [
    { as: member, request: `GET /cards/${card.id}`, status: 404 },
    { as: member, request: `DELETE /cards/${card.id}`, status: 404 },
    { as: member, request: `DELETE /checklists/${checklist.id}`, status: 404 },
    { as: member, request: `DELETE /items/${item.id}`, status: 404 },
    { as: member, request: `GET /attachments/${attachment.id}`, status: 404 },
  ]);
});

t.test('CARD7 a move within the column follows the position', async (t) => {
  const { board, card, todo } = await populate(world);
  await board.do(owner, `POST /boards/${board.id}/columns/${todo.id}/cards`, { title: 'Third' });
  const scene = {
    as: member,
    request: `POST /cards/${card.id}/move`,
    status: 200,
    events: [emitted('card.moved', member)],
  };
  const orders: Array<[object, string[]]> = [
    [{ position: 1 }, ['Plain', 'Full', 'Third']],
    [{ position: 2, column_id: todo.id }, ['Plain', 'Third', 'Full']],
    [{ position: 0, column_id: null }, ['Full', 'Plain', 'Third']],
    [{ column_id: todo.id }, ['Plain', 'Third', 'Full']],
    [{ position: 1000 }, ['Plain', 'Third', 'Full']],
  ];
  for (const [json, expected] of orders) {
    await board.play(t, { ...scene, json, answer: { column_id: todo.id } });
    t.strictSame((await order(board))[0], expected, JSON.stringify(json));
  }
});

t.test('CARD7 a move to another column goes to the given position there, or last', async (t) => {
  const { board, card, plainCard, done } = await populate(world);
  await board.do(owner, `POST /boards/${board.id}/columns/${done.id}/cards`, { title: 'Old' });
  const events = [emitted('card.moved', member)];
  const answer = { column_id: done.id, updated_by: member.id };
  const scene = { as: member, status: 200, events, answer };
  await board.play(t, { ...scene, request: `POST /cards/${card.id}/move`, json: { column_id: done.id, position: 0 } });
  await board.play(t, { ...scene, request: `POST /cards/${plainCard.id}/move`, json: { column_id: done.id } });
  t.strictSame(await order(board), [[], ['Full', 'Old', 'Plain']]);
});

t.test('CARD7 a move must name a valid column or position', async (t) => {
  const { board, card, done } = await populate(world);
  const scene = { as: member, request: `POST /cards/${card.id}/move` };
  const bad = [{}, { column_id: null }, { column_id: null, position: null }, { position: null }, { to: 1 }];
  const badPlace = [{ column_id: done.id, position: null }, { column_id: done.id, position: -1 }, { column_id: 'x' }, { column_id: 3 }];
  await board.refuse(
    t,
    [...bad, ...badPlace].map((json): Scene => ({ ...scene, json, status: 422 })),
  );
});

t.test('CARD9 assigning adds members, emits one event for each named user, and each event shows the final card', async (t) => {
  const { board, plainCard } = await populate(world);
  const request = `PUT /cards/${plainCard.id}/assignees`;
  const [one, both] = [[emitted('card.assigned', member)], [emitted('card.assigned', member), emitted('card.assigned', member)]];
  const scene = { as: member, request, status: 200 };
  const first = { user_ids: [member.id, owner.id] };
  await board.play(t, {
    ...scene,
    json: first,
    answer: { assignees: [member.user, owner.user].map(onlyId) },
    events: both,
  });
  const added = { assignees: [member.user, owner.user, helper.user].map(onlyId) };
  await board.play(t, { ...scene, json: { user_ids: [owner.id, helper.id] }, answer: added, events: both });
  const again = { user_ids: [helper.id, helper.id.toUpperCase(), helper.id] };
  await board.play(t, { ...scene, json: again, answer: added, events: one });
  await board.play(t, { ...scene, json: { user_ids: [] }, answer: added });
});

t.test('CARD9 one user who is not on the board refuses the whole assignment', async (t) => {
  const { board, plainCard, item } = await populate(world);
  const requests = [`PUT /cards/${plainCard.id}/assignees`, `PUT /items/${item.id}/assignees`];
  const scenes = requests.flatMap((request): Scene[] => [
    { as: member, request, json: { user_ids: [member.id, stranger.id] }, status: 403, detail: /member/ },
    { as: member, request, json: { user_ids: [member.id, randomUUID()] }, status: 404, detail: /User/ },
    { as: member, request, json: { user_ids: [stranger.id, randomUUID()] }, status: 404, detail: /User/ },
    { as: member, request, json: { user_ids: [board.id] }, status: 404, detail: /User/ },
    { as: member, request, json: {}, status: 422, detail: /^user_ids/ },
    ...[null, member.id, [member.id, 'x'], [null], [[]]].map((user_ids): Scene => {
      return { as: member, request, json: { user_ids }, status: 422, detail: /^user_ids/ };
    }),
  ]);
  await board.refuse(t, scenes);
});

t.test('CARD9 assigning ten thousand named users is validated like assigning one', async (t) => {
  const { board, plainCard, item } = await populate(world);
  const many = Array.from({ length: 10_000 }, () => randomUUID());
  const requests = [`PUT /cards/${plainCard.id}/assignees`, `PUT /items/${item.id}/assignees`];
  const scenes = requests.map((request): Scene => ({
    as: member,
    request,
    json: { user_ids: many },
    status: 404,
    detail: /User/,
  }));
  await board.refuse(t, scenes);
  await board.play(t, {
    as: member,
    request: `PUT /cards/${plainCard.id}/assignees`,
    json: { user_ids: many.map(() => helper.id) },
    status: 200,
    answer: { assignees: [{ id: helper.id }] },
    events: [emitted('card.assigned', member)],
  });
});

t.test('CARD14 unassigning emits an event, and a user who is not assigned is not found', async (t) => {
  const { board, card } = await populate(world);
  const request = `DELETE /cards/${card.id}/assignees/${helper.id}`;
  const { after } = await board.play(t, {
    as: member,
    request,
    status: 204,
    events: [emitted('card.unassigned', member, card.id)],
  });
  t.match(after?.resources.get(card.id), { assignees: [] });
  const others = [helper.id, member.id, stranger.id, randomUUID()];
  const scenes = others.map((id): Scene => ({
    as: member,
    request: `DELETE /cards/${card.id}/assignees/${id}`,
    status: 404,
  }));
  await board.refuse(t, scenes);
});

t.test('CARD14 adding a label that is on the card changes nothing and emits nothing', async (t) => {
  const { board, card, label, unusedLabel } = await populate(world);
  const request = `POST /cards/${card.id}/labels/${unusedLabel.id}`;
  const answer = { labels: [{ id: label.id }, { id: unusedLabel.id }] };
  await board.play(t, { as: member, request, status: 200, answer, events: [emitted('card.labeled', member)] });
  await board.play(t, { as: member, request, status: 200, answer });
  await board.play(t, { as: member, request: `POST /cards/${card.id}/labels/${label.id}`, status: 200, answer });
  const unknown: Scene = {
    as: member,
    request: `POST /cards/${card.id}/labels/${randomUUID()}`,
    status: 404,
    detail: /Label/,
  };
  await board.refuse(t, [unknown]);
});

t.test('CARD14 removing a label emits card.unlabeled, and a label that is not on the card or board is not found', async (t) => {
  const { board, card, label, unusedLabel } = await populate(world);
  const request = `DELETE /cards/${card.id}/labels/${label.id}`;
  await board.play(t, { as: member, request, status: 204, events: [emitted('card.unlabeled', member, card.id)] });
  const others = [label.id, unusedLabel.id, randomUUID()];
  await board.refuse(
    t,
    others.map((id): Scene => ({ as: member, request: `DELETE /cards/${card.id}/labels/${id}`, status: 404 })),
  );
});

function onlyId({ id }: { id: string }): { id: string } {
  return { id };
}
