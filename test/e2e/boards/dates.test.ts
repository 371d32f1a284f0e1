import t from 'tap';
import { emitted, type Scene } from '../../support/board/boardScenario.js';
import { enterWorld } from '../../support/board/boardWorld.js';
import { populate } from '../../support/board/populatedBoard.js';

const world = await enterWorld();
const { member, owner } = world;

t.test('DATE1 a date is a day or a moment; moments are answered in UTC', async (t) => {
  const { board, card, item } = await populate(world);
  const scene = { as: member, request: `PATCH /cards/${card.id}`, status: 200, events: [emitted('card.updated', member)] };
  await board.play(t, { ...scene, json: { due_at: '2027-01-02' }, answer: { due_at: '2027-01-02', start_at: null, completed_at: null } });
  await board.play(t, { ...scene, json: { due_at: '2027-01-02T15:00:00+02:00' }, answer: { due_at: '2027-01-02T13:00:00.000Z' } });
  await board.play(t, { ...scene, json: { due_at: null }, answer: { due_at: null } });
  const events = [emitted('checklist_item.updated', member)];
  await board.play(t, {
    as: member,
    request: `PATCH /items/${item.id}`,
    status: 200,
    events,
    json: { due_at: '2027-01-02' },
    answer: { due_at: '2027-01-02' },
  });
});

t.test('DATE1 what is no date is refused by the name of its field', async (t) => {
  const { board, card, item } = await populate(world);
  const wrong = ['2027-02-30', '2027-1-2', '2027-01-02T15:00:00', 'tomorrow', '', 20270102, '12027-01-01', '2027-01-02T25:00:00Z'];
  const detail = /due_at.*must be/s;
  await board.refuse(
    t,
    wrong.flatMap((due_at): Scene[] => [
      { as: member, request: `PATCH /cards/${card.id}`, status: 422, json: { due_at }, detail },
      { as: member, request: `PATCH /items/${item.id}`, status: 422, json: { due_at }, detail },
    ]),
  );
  await board.refuse(t, [
    {
      as: member,
      request: `PATCH /cards/${card.id}`,
      status: 422,
      json: { start_at: '2027-01-03', due_at: '2027-01-02' },
      detail: /start_at: must not be after due_at/,
    },
  ]);
});

t.test('DATE1 a card that is moved to a done column is completed, and its dates survive an export and an import', async (t) => {
  const { board, todo, done, card } = await populate(world);
  const events = [emitted('column.updated', member)];
  await board.play(t, { as: member, request: `PATCH /columns/${done.id}`, status: 200, json: { is_done_column: true }, events });
  const updated = [emitted('card.updated', member)];
  const json = { start_at: '2027-01-01', due_at: '2027-01-02T13:00:00.000Z' };
  await board.play(t, { as: member, request: `PATCH /cards/${card.id}`, status: 200, json, events: updated });
  const moved = [emitted('card.moved', member)];
  const move = { as: member, request: `POST /cards/${card.id}/move`, status: 200, events: moved };
  const { body } = await board.play<{ completed_at: string | null }>(t, { ...move, json: { column_id: done.id } });
  t.type(body.completed_at, 'string');

  const { api } = world;
  const exported = await api.request<object>('GET', `/boards/${board.id}/export`, { token: owner.token });
  const imported = await api.request<{ board: { id: string } }>('POST', '/boards/import', { token: owner.token, json: exported.body });
  t.equal(imported.status, 201);
  const copy = await api.request<{ columns: Array<{ cards: object[] }> }>('GET', `/boards/${imported.body.board.id}`, { token: owner.token });
  t.match(copy.body.columns[1]?.cards[0], { ...json, completed_at: body.completed_at });

  await board.play(t, { ...move, json: { column_id: todo.id }, answer: { completed_at: null } });
});
