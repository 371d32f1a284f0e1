import t from 'tap';
import { emitted, type ScenarioBoard } from '../../support/board/boardScenario.js';
import type { ColumnJson } from '../../support/board/boardSnapshot.js';
import { enterWorld } from '../../support/board/boardWorld.js';
import { populate } from '../../support/board/populatedBoard.js';

const world = await enterWorld();
const { owner, member, stranger } = world;

async function order(board: ScenarioBoard): Promise<string[]> {
  return (await board.look()).board.columns.map(({ title }) => title);
}

t.test('COLUMN1 a new column goes last or to the given position', async (t) => {
  const { board } = await populate(world);
  const request = `POST /boards/${board.id}/columns`;
  const create = async (json: object): Promise<void> => {
    await board.play<ColumnJson>(t, {
      as: member,
      request,
      json,
      status: 201,
      events: [emitted('column.created', member)],
    });
  };
  await create({ title: 'Last' });
  await create({ title: 'First', position: 0 });
  await create({ title: 'Third', position: 2 });
  await create({ title: 'Far', position: Number.MAX_SAFE_INTEGER });
  t.strictSame(await order(board), ['First', 'To do', 'Third', 'Done', 'Last', 'Far']);
});

t.test('BODY9 a new column has defaults, and a client cannot set its board, rank, creator or id', async (t) => {
  const { board } = await populate(world);
  const forged = { board_id: stranger.id, rank: 1, created_by: stranger.id, id: stranger.id, cards: [{ title: 'x' }] };
  const { body } = await board.play<ColumnJson>(t, {
    as: member,
    request: `POST /boards/${board.id}/columns`,
    json: { title: ' Bare ', ...forged },
    status: 201,
    answer: {
      title: 'Bare',
      color: '#6b7280',
      is_done_column: false,
      board_id: board.id,
      cards: [],
      created_by: member.id,
    },
    events: [emitted('column.created', member)],
  });
  t.not(body.id, stranger.id);
  t.not(body.rank, 1);
});

t.test('BOARD6 an update changes the given fields and keeps cards and rank', async (t) => {
  const { board, todo } = await populate(world);
  const scene = { as: member, request: `PATCH /columns/${todo.id}`, status: 200 };
  const events = [emitted('column.updated', member)];
  const { board_id, rank, created_by } = todo;
  const kept = { board_id, rank, created_by, updated_by: member.id };
  await board.play(t, {
    ...scene,
    json: { title: 'Renamed' },
    answer: { ...kept, title: 'Renamed', color: todo.color },
    events,
  });
  await board.play(t, {
    ...scene,
    json: { color: 'Teal' },
    answer: { ...kept, title: 'Renamed', color: 'Teal' },
    events,
  });
  await board.play(t, { ...scene, json: { is_done_column: true }, answer: { ...kept, is_done_column: true }, events });
  const forged = {
    board_id: stranger.id,
    rank: 1,
    created_by: stranger.id,
    updated_by: stranger.id,
    position: 0,
    cards: [],
  };
  const { body } = await board.play<ColumnJson>(t, {
    ...scene,
    json: { title: 'Forged', ...forged },
    answer: kept,
    events,
  });
  t.equal(body.cards.length, 2);
  await board.play(t, { ...scene, json: {} });
  await board.play(t, { ...scene, json: forged });
});

t.test('CARD7 after a move the column is at the given position of the new order', async (t) => {
  const { board, todo } = await populate(world);
  for (const title of ['C', 'D']) await board.do(owner, `POST /boards/${board.id}/columns`, { title });
  const scene = {
    as: member,
    request: `POST /columns/${todo.id}/move`,
    status: 200,
    events: [emitted('column.moved', member)],
  };
  const orders: Array<[number, string[]]> = [
    [2, ['Done', 'C', 'To do', 'D']],
    [99, ['Done', 'C', 'D', 'To do']],
    [0, ['To do', 'Done', 'C', 'D']],
    [1, ['Done', 'To do', 'C', 'D']],
  ];
  for (const [position, expected] of orders) {
    await board.play(t, { ...scene, json: { position } });
    t.strictSame(await order(board), expected, `to ${position}`);
  }
});

t.test('CARD7 a move to the current position keeps the rank and emits an event', async (t) => {
  const { board, done } = await populate(world);
  const scene = { as: member, request: `POST /columns/${done.id}/move`, status: 200, answer: { rank: done.rank } };
  const events = [emitted('column.moved', member)];
  for (const position of [1, 5]) await board.play(t, { ...scene, json: { position }, events });
});

t.test('CARD5 deleting a column removes everything in it, with one event', async (t) => {
  const { board, todo, card, checklist, item, attachment, label } = await populate(world);
  const { after } = await board.play(t, {
    as: member,
    request: `DELETE /columns/${todo.id}`,
    status: 204,
    events: [emitted('column.deleted', member, todo.id)],
  });
  t.strictSame(after?.board.labels[0]?.id, label.id, 'labels belong to the board');
  await board.refuse(t, [
    { as: member, request: `DELETE /columns/${todo.id}`, status: 404 },
    { as: member, request: `GET /cards/${card.id}`, status: 404 },
    { as: member, request: `POST /checklists/${checklist.id}/items`, json: { content: 'x' }, status: 404 },
    { as: member, request: `PATCH /items/${item.id}`, json: { is_done: true }, status: 404 },
    { as: member, request: `GET /attachments/${attachment.id}`, status: 404 },
    { as: member, request: `POST /boards/${board.id}/columns/${todo.id}/cards`, json: { title: 'x' }, status: 404 },
  ]);
});
