import t from 'tap';
import { emitted, type Scene } from '../../support/board/boardScenario.js';
import { enterWorld, send, startWorld } from '../../support/board/boardWorld.js';
import { populate } from '../../support/board/populatedBoard.js';
import { newKey } from '../../support/http/keys.js';
import { Api } from '../../support/http/api.js';
import { startApp } from '../../../src/app.js';

interface Undone {
  readonly seq: number;
  readonly undone: number;
}

const world = await enterWorld();
const { api, owner, member, helper, stranger } = world;

t.test('UNDO1 a move is undone and redone with what its rule did, and every client is told', async (t) => {
  const { board, todo, done, plainCard: card, rule } = await populate(world);
  await board.do(owner, `PATCH /automations/${rule.id}`, { is_enabled: true });
  await board.do(member, `POST /cards/${card.id}/move`, { column_id: done.id });
  const moved = await board.card(card.id);
  t.match(moved, { column_id: done.id, assignees: [{ id: helper.id }] });
  const body = await board.do<Undone>(member, `POST /boards/${board.id}/undo`, {});
  t.match(await board.card(card.id), { column_id: todo.id, rank: card.rank, completed_at: null, assignees: [] });
  const { activity } = await board.do<{ activity: readonly object[] }>(member, `GET /boards/${board.id}/activity?limit=2`);
  t.match(activity, [
    { kind: 'card.moved', undoes: body.undone },
    { kind: 'card.unassigned', undoes: body.undone },
  ]);
  await board.do(member, `POST /boards/${board.id}/undo`, { seq: body.seq });
  t.match(await board.card(card.id), { column_id: done.id, completed_at: moved.completed_at, assignees: [{ id: helper.id }] });
  await board.do(member, `PATCH /cards/${card.id}`, { title: 'Plainer' });
  await board.play<Undone>(t, {
    as: member,
    request: `POST /boards/${board.id}/undo`,
    json: {},
    status: 200,
    answer: {},
    events: [emitted('card.updated', member, card.id)],
  });
  await board.do(owner, `POST /cards/${card.id}/move`, { column_id: todo.id });
  await board.refuse(t, [
    { as: member, request: `POST /boards/${board.id}/undo`, json: {}, status: 409, detail: new RegExp(`^${owner.username} changed "Plain" since`) },
  ]);
});

t.test('UNDO1 a repeated request with a key undoes once, and a deleted card comes back with its id', async (t) => {
  const { board, plainCard: card } = await populate(world);
  await board.do(member, `PATCH /cards/${card.id}`, { title: 'First' });
  await board.do(member, `DELETE /cards/${card.id}`);
  const request = { token: member.token, json: {}, headers: { 'Idempotency-Key': 'undo-once' } };
  const once = await api.request<Undone>('POST', `/boards/${board.id}/undo`, request);
  const again = await api.request<Undone>('POST', `/boards/${board.id}/undo`, request);
  t.strictSame([once.status, again.status, again.body], [200, 200, once.body]);
  t.match(await board.card(card.id), { id: card.id, title: 'First', rank: card.rank, created_at: card.created_at });
});

t.test('UNDO1 rights and bad input', async (t) => {
  const { board, plainCard: card } = await populate(world);
  await board.do(member, `PATCH /cards/${card.id}`, { title: 'By the member' });
  const { activity } = await board.do<{ activity: ReadonlyArray<{ seq: number }> }>(member, `GET /boards/${board.id}/activity?limit=1`);
  const seq = activity[0]?.seq ?? 0;
  const request = `POST /boards/${board.id}/undo`;
  await board.refuse(t, [
    { as: null, request, json: {}, status: 401 },
    { as: stranger, request, json: {}, status: 403, detail: /not a member/ },
    { as: helper, request, json: { seq }, status: 403, detail: /Only an owner/ },
    { as: helper, request, json: {}, status: 404, detail: /nothing to undo/ },
    { as: owner, request, json: { seq: seq + 1_000 }, status: 404, detail: /nothing to undo/ },
    ...['x', 0, -1, 1.5, 1e300, [seq]].map((wrong): Scene => ({ as: member, request, json: { seq: wrong }, status: 422, detail: /seq/ })),
  ]);
  const reading = await newKey(api, member, { scopes: ['read'] });
  t.equal((await api.request('POST', `/boards/${board.id}/undo`, { token: reading.key, json: {} })).status, 403);
  await board.do(owner, `PATCH /boards/${board.id}/members/${member.id}`, { role: 'viewer' });
  await board.refuse(t, [{ as: member, request, json: { seq }, status: 403, detail: /role on this board is viewer/ }]);
  await board.do(owner, request, { seq });
  t.match(await board.card(card.id), { title: 'Plain' });
});

t.test('CRASH1 what was done before a restart is undone after it', async (t) => {
  const own = await startWorld(t);
  const { board, plainCard: card } = await populate(own);
  await board.do(own.member, `PATCH /cards/${card.id}`, { title: 'Changed' });
  await own.app.close();
  const app = await startApp(own.config);
  t.teardown(() => app.close());
  const again = { ...own, app, api: await Api.connect(app.url) };
  await send(again, own.member, `POST /boards/${board.id}/undo`, {});
  t.match(await send(again, own.member, `GET /cards/${card.id}`), { title: 'Plain' });
});
