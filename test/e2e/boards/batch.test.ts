import { randomUUID } from 'node:crypto';
import t from 'tap';
import { emitted } from '../../support/board/boardScenario.js';
import { startWorld } from '../../support/board/boardWorld.js';
import { populate } from '../../support/board/populatedBoard.js';
import { WITH_THREADS } from '../../support/service/app.js';

const world = await startWorld(t, WITH_THREADS);
const { api, owner, member, stranger } = world;

interface BatchJson {
  readonly answers: ReadonlyArray<{ readonly status: number; readonly body: { readonly id: string; readonly title?: string } | null }>;
}

interface Step {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

const post = (path: string, body: unknown): Step => ({ method: 'POST', path, body });

t.test('BATCH1 a column with cards, a label, a checklist and a rule are made in one request', async (t) => {
  const { board } = await populate(world);
  const operations = [
    post(`/boards/${board.id}/columns`, { title: 'New', position: 0 }),
    post(`/boards/${board.id}/columns/$0.id/cards`, { title: '$0.id' }),
    post(`/api/boards/${board.id}/labels`, { name: 'fresh' }),
    post('/cards/$1.id/labels/$2.id', undefined),
    post('/cards/$1.id/checklists', { title: 'Steps' }),
    post('/checklists/$4.id/items', { content: 'One' }),
    post('/cards/$3.id/move', { column_id: '$0.id', position: 0 }),
    { method: 'PUT', path: '/cards/$1.id/assignees', body: { user_ids: [member.id] } },
    post(`/boards/${board.id}/automations`, {
      name: 'R',
      trigger_type: 'label_added',
      trigger_label_id: '$2.id',
      action_type: 'MOVE_TO_COLUMN',
      action_column_id: '$0.id',
    }),
  ];
  const { status, body } = await api.request<BatchJson>('POST', `/boards/${board.id}/batch`, { token: owner.token, json: { operations } });
  t.equal(status, 200, 'the batch', { body });
  t.strictSame(
    body.answers.map((answer) => answer.status),
    [201, 201, 201, 200, 201, 201, 200, 200, 201],
  );
  const [column] = (await board.look()).board.columns;
  t.equal(column?.id, body.answers[0]?.body?.id);
  t.match(column?.cards, [
    {
      id: body.answers[1]?.body?.id,
      title: '$0.id',
      labels: [{ name: 'fresh' }],
      assignees: [{ id: member.id }],
      checklists: [{ items: [{ content: 'One' }] }],
    },
  ]);
});

t.test('BATCH1 each operation has its events, in order; a refused batch has none and changes nothing', async (t) => {
  const { board, card, plainCard, done } = await populate(world);
  const rename: Step = { method: 'PATCH', path: `/cards/${card.id}`, body: { title: 'Renamed' } };
  const move = post(`/cards/${plainCard.id}/move`, { column_id: done.id });
  await board.play(t, {
    as: member,
    request: `POST /boards/${board.id}/batch`,
    json: { operations: [rename, move] },
    status: 200,
    events: [emitted('card.updated', member, card.id), emitted('card.moved', member, plainCard.id)],
  });
  const scene = { as: member, request: `POST /boards/${board.id}/batch` };
  const refused = (operations: unknown, status: number, detail: RegExp): typeof scene & { json: object; status: number; detail: RegExp } => {
    return { ...scene, json: { operations }, status, detail };
  };
  const other = await populate(world);
  await board.refuse(t, [
    refused([rename, { method: 'DELETE', path: `/cards/${randomUUID()}` }], 404, /^1: Card not found/),
    refused([rename, { method: 'PATCH', path: `/cards/${other.card.id}`, body: { title: 'x' } }], 404, /^1: Card not found/),
    refused([rename, post(`/boards/${other.board.id}/columns`, { title: 'x' })], 404, /^1: /),
    refused([rename, { method: 'PATCH', path: `/cards/${card.id}`, body: { title: '' } }], 422, /^1: title: must be 1 to 255 characters/),
    refused([rename, { method: 'PUT', path: `/cards/${card.id}/assignees`, body: { user_ids: [stranger.id] } }], 403, /^1: User is not a member/),
    refused([rename, { method: 'PUT', path: `/cards/${card.id}/assignees`, body: { user_ids: [randomUUID()] } }], 404, /^1: User not found/),
    refused([rename, post(`/boards/${board.id}/automations`, { name: 'R' })], 403, /^1: Only an owner/),
    refused([rename, { method: 'DELETE', path: `/boards/${board.id}` }], 404, /^1: a batch cannot hold DELETE/),
    refused([rename, post(`/boards/${board.id}/invite`, { user_id: stranger.id })], 404, /^1: a batch cannot hold/),
    refused([rename, post(`/boards/${board.id}/batch`, { operations: [] })], 404, /^1: a batch cannot hold/),
    refused([post('/cards/$0.id/move', { position: 0 })], 422, /^0: path: \$0\.id is no earlier answer/),
    refused([{ method: 'DELETE', path: `/cards/${card.id}` }, post('/cards/$0.id/move', { position: 0 })], 422, /^1: path: \$0\.id/),
    refused([rename, post(`/cards/${card.id}/move`, { column_id: '$7.id' })], 422, /^1: body: \$7\.id/),
    refused([post('/cards/7/move', { position: 0 })], 422, /^0: path: card_id must be a UUID/),
    refused([post('/cards/00000000-0000-0000-0000-000000000000/move', { position: 0 })], 404, /^0: Card not found/),
    refused([], 422, /operations: must have at least one entry/),
    refused(
      Array.from({ length: 101 }, () => rename),
      422,
      /operations: must have at most 100 entries/,
    ),
    refused([{ method: 'GET', path: `/cards/${card.id}` }], 422, /method: must be one of POST, PUT, PATCH, DELETE/),
    refused('all', 422, /operations: must be a list/),
  ]);
});

t.test('BATCH1 with a key a batch happens once, also one that the document thread reads, and its ids follow from the key', async (t) => {
  const { board, todo } = await populate(world);
  const key = randomUUID();
  const description = 'x'.repeat(9_000);
  const cards = `/boards/${board.id}/columns/${todo.id}/cards`;
  const json = { operations: Array.from({ length: 10 }, (_, n) => post(cards, { title: `${n}`, description })) };
  const send = () => api.request<BatchJson>('POST', `/boards/${board.id}/batch`, { token: owner.token, json, headers: { 'idempotency-key': key } });
  const [first, second] = [await send(), await send()];
  t.strictSame([first.status, second.status], [200, 200], 'both', { body: first.body });
  t.strictSame(second.body, first.body);
  t.equal(second.headers.get('idempotency-replayed'), 'true');
  const ids = first.body.answers.map(({ body }) => body?.id);
  t.equal(new Set(ids).size, 10);
  const titles = (await board.look()).board.columns[0]?.cards.map(({ title }) => title);
  t.strictSame(titles, ['Full', 'Plain', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
  // Another user's batch would make the same ids.
  const answer = await api.request('POST', `/boards/${board.id}/batch`, { token: member.token, json, headers: { 'idempotency-key': key } });
  t.match([answer.status, answer.body], [422, { detail: /^0: Idempotency-Key: something else on this board has the id/ }]);
});

t.test('BATCH1 each operation of a batch needs its own rights: who only comments sends comments', async (t) => {
  const { board, plainCard: card } = await populate(world);
  await board.do(owner, `PATCH /boards/${board.id}/members/${member.id}`, { role: 'commenter' });
  const request = `POST /boards/${board.id}/batch`;
  const add = (body: string): Step => post(`/cards/${card.id}/comments`, { body });
  const { answers } = await board.do<BatchJson>(member, request, { operations: [add('One'), add('Two')] });
  t.match(answers, [{ status: 201 }, { status: 201 }]);
  const operations = [add('Three'), { method: 'PATCH', path: `/cards/${card.id}`, body: { title: 'No' } }];
  await board.refuse(t, [{ as: member, request, json: { operations }, status: 403, detail: /^1: / }]);
  t.match(await board.do<object>(owner, `GET /cards/${card.id}`), { comment_count: 2 }, 'all or none');
});
