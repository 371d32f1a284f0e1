import t from 'tap';
import { randomUUID } from 'node:crypto';
import type { Scene } from '../../support/board/boardScenario.js';
import { startWorld } from '../../support/board/boardWorld.js';
import { WITH_THREADS } from '../../support/service/app.js';
import { fileForm, furnish, type FurnishedBoard } from '../../support/board/furnishedBoard.js';
import type { TestUser } from '../../support/http/users.js';

type Role = 'member' | 'owner' | 'self_or_owner';

interface Endpoint {
  readonly request: string;
  readonly role: Role;
  readonly status: 200 | 201 | 204;
  /** The values of the path's parameters, in order: the first leads to the board. */
  readonly ids: (furnished: FurnishedBoard) => readonly string[];
  /** A body with which it succeeds; absent where it takes none. */
  readonly json?: (furnished: FurnishedBoard) => object;
  readonly file?: true;
}

const ofBoard = ({ board }: FurnishedBoard): string[] => [board.id];
const ofColumn = ({ todo }: FurnishedBoard): string[] => [todo.id];
const ofCard = ({ card }: FurnishedBoard): string[] => [card.id];
const ofLabel = ({ label }: FurnishedBoard): string[] => [label.id];
const ofChecklist = ({ checklist }: FurnishedBoard): string[] => [checklist.id];
const ofItem = ({ item }: FurnishedBoard): string[] => [item.id];
const ofAttachment = ({ attachment }: FurnishedBoard): string[] => [attachment.id];
const ofRule = ({ rule }: FurnishedBoard): string[] => [rule.id];
const ofBoardAndHelper = ({ board }: FurnishedBoard): string[] => [board.id, board.world.helper.id];
const helperIds = ({ board }: FurnishedBoard): object => ({ user_ids: [board.world.helper.id] });

/** Every endpoint that leads to a board. */
const ENDPOINTS: readonly Endpoint[] = [
  { request: 'GET /boards/{board_id}', role: 'member', status: 200, ids: ofBoard },
  { request: 'PATCH /boards/{board_id}', role: 'owner', status: 200, ids: ofBoard, json: () => ({ title: 'New' }) },
  { request: 'DELETE /boards/{board_id}', role: 'owner', status: 204, ids: ofBoard },
  { request: 'GET /boards/{board_id}/events', role: 'member', status: 200, ids: ofBoard },
  { request: 'GET /boards/{board_id}/export', role: 'owner', status: 200, ids: ofBoard },
  {
    request: 'POST /boards/{board_id}/invite',
    role: 'owner',
    status: 200,
    ids: ofBoard,
    json: ({ board }) => ({ user_id: board.world.stranger.id }),
  },
  { request: 'GET /boards/{board_id}/members', role: 'member', status: 200, ids: ofBoard },
  { request: 'DELETE /boards/{board_id}/members/{user_id}', role: 'self_or_owner', status: 204, ids: ofBoardAndHelper },
  {
    request: 'PATCH /boards/{board_id}/members/{user_id}',
    role: 'owner',
    status: 200,
    ids: ofBoardAndHelper,
    json: () => ({ role: 'owner' }),
  },
  { request: 'GET /boards/{board_id}/labels', role: 'member', status: 200, ids: ofBoard },
  { request: 'GET /boards/{board_id}/labels/stats', role: 'member', status: 200, ids: ofBoard },
  {
    request: 'POST /boards/{board_id}/labels',
    role: 'member',
    status: 201,
    ids: ofBoard,
    json: () => ({ name: 'New' }),
  },
  { request: 'PATCH /labels/{label_id}', role: 'member', status: 200, ids: ofLabel, json: () => ({ name: 'New' }) },
  { request: 'DELETE /labels/{label_id}', role: 'member', status: 204, ids: ofLabel },

  {
    request: 'POST /boards/{board_id}/columns',
    role: 'member',
    status: 201,
    ids: ofBoard,
    json: () => ({ title: 'New' }),
  },
  { request: 'PATCH /columns/{column_id}', role: 'member', status: 200, ids: ofColumn, json: () => ({ title: 'New' }) },
  { request: 'DELETE /columns/{column_id}', role: 'member', status: 204, ids: ofColumn },
  {
    request: 'POST /columns/{column_id}/move',
    role: 'member',
    status: 200,
    ids: ofColumn,
    json: () => ({ position: 1 }),
  },

  {
    request: 'POST /boards/{board_id}/columns/{column_id}/cards',
    role: 'member',
    status: 201,
    ids: ({ board, todo }) => [board.id, todo.id],
    json: () => ({ title: 'New' }),
  },
  { request: 'GET /cards/{card_id}', role: 'member', status: 200, ids: ofCard },
  { request: 'PATCH /cards/{card_id}', role: 'member', status: 200, ids: ofCard, json: () => ({ title: 'New' }) },
  { request: 'DELETE /cards/{card_id}', role: 'member', status: 204, ids: ofCard },
  { request: 'POST /cards/{card_id}/move', role: 'member', status: 200, ids: ofCard, json: () => ({ position: 1 }) },
  { request: 'PUT /cards/{card_id}/assignees', role: 'member', status: 200, ids: ofCard, json: helperIds },
  {
    request: 'DELETE /cards/{card_id}/assignees/{user_id}',
    role: 'member',
    status: 204,
    ids: ({ board, card }) => [card.id, board.world.helper.id],
  },
  {
    request: 'POST /cards/{card_id}/labels/{label_id}',
    role: 'member',
    status: 200,
    ids: ({ card, unusedLabel }) => [card.id, unusedLabel.id],
  },
  {
    request: 'DELETE /cards/{card_id}/labels/{label_id}',
    role: 'member',
    status: 204,
    ids: ({ card, label }) => [card.id, label.id],
  },

  {
    request: 'POST /cards/{card_id}/checklists',
    role: 'member',
    status: 201,
    ids: ofCard,
    json: () => ({ title: 'New' }),
  },
  {
    request: 'PATCH /checklists/{checklist_id}',
    role: 'member',
    status: 200,
    ids: ofChecklist,
    json: () => ({ title: 'New' }),
  },
  { request: 'DELETE /checklists/{checklist_id}', role: 'member', status: 204, ids: ofChecklist },
  {
    request: 'POST /checklists/{checklist_id}/move',
    role: 'member',
    status: 200,
    ids: ofChecklist,
    json: () => ({ position: 1 }),
  },
  {
    request: 'POST /checklists/{checklist_id}/items',
    role: 'member',
    status: 201,
    ids: ofChecklist,
    json: () => ({ content: 'New' }),
  },
  { request: 'PATCH /items/{item_id}', role: 'member', status: 200, ids: ofItem, json: () => ({ is_done: true }) },
  { request: 'DELETE /items/{item_id}', role: 'member', status: 204, ids: ofItem },
  { request: 'POST /items/{item_id}/move', role: 'member', status: 200, ids: ofItem, json: () => ({ position: 1 }) },
  { request: 'PUT /items/{item_id}/assignees', role: 'member', status: 200, ids: ofItem, json: helperIds },
  {
    request: 'DELETE /items/{item_id}/assignees/{user_id}',
    role: 'member',
    status: 204,
    ids: ({ board, item }) => [item.id, board.world.helper.id],
  },

  { request: 'POST /cards/{card_id}/attachments', role: 'member', status: 201, ids: ofCard, file: true },
  { request: 'GET /attachments/{attachment_id}', role: 'member', status: 200, ids: ofAttachment },
  { request: 'DELETE /attachments/{attachment_id}', role: 'member', status: 204, ids: ofAttachment },

  {
    request: 'POST /boards/{board_id}/automations',
    role: 'owner',
    status: 201,
    ids: ofBoard,
    json: ({ todo }) => ({
      name: 'New',
      trigger_type: 'CARD_CREATED',
      action_type: 'MOVE_TO_COLUMN',
      action_column_id: todo.id,
    }),
  },
  { request: 'GET /boards/{board_id}/automations', role: 'member', status: 200, ids: ofBoard },
  { request: 'PATCH /automations/{rule_id}', role: 'owner', status: 200, ids: ofRule, json: () => ({ name: 'New' }) },
  { request: 'DELETE /automations/{rule_id}', role: 'owner', status: 204, ids: ofRule },
];

const world = await startWorld(t, WITH_THREADS);
const { api, owner, member, stranger } = world;
/** For refused requests: every scene checks that they leave the board unchanged. */
const shared = await furnish(world);

const takesBody = (endpoint: Endpoint): boolean => endpoint.json !== undefined || endpoint.file === true;

function fill(request: string, ids: readonly string[]): string {
  let next = 0;
  return request.replace(/\{\w+\}/g, () => ids[next++] ?? '');
}

function parameterNames(request: string): string[] {
  return [...request.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/** Invalid for every endpoint: type, syntax and content are all wrong. */
function rubbish(endpoint: Endpoint): object {
  return takesBody(endpoint) ? { body: '{"title": 1, ', headers: { 'content-type': 'text/plain' } } : {};
}

/** With an invalid body, and with one that another user may send. */
function refusals(endpoints: readonly Endpoint[], as: TestUser, detail: RegExp): Scene[] {
  return endpoints.flatMap((endpoint) => {
    const scene = { as, request: fill(endpoint.request, endpoint.ids(shared)), status: 403, detail };
    const good = endpoint.json === undefined ? {} : { json: endpoint.json(shared) };
    return [{ ...scene, ...rubbish(endpoint) }, { ...scene, ...good }];
  });
}

t.test('ACCESS50 every documented board endpoint is in this table', async (t) => {
  const document = await fetch(`${api.url}/openapi.json`);
  const { paths } = (await document.json()) as { paths: Record<string, object> };
  const documented = Object.entries(paths)
    .filter(([path]) => /^\/(boards|columns|cards|labels|checklists|items|attachments|automations)\/\{/.test(path))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
  t.strictSame(ENDPOINTS.map(({ request }) => request).sort(), documented.sort());
});

t.test('ACCESS51 without a credential the answer is 401, even if an id is malformed', async (t) => {
  const scenes = ENDPOINTS.flatMap((endpoint) => {
    const names = parameterNames(endpoint.request);
    const idLists = [names.map(() => 'x'), names.map(() => randomUUID()), endpoint.ids(shared)];
    return idLists.map((ids) => ({
      ...rubbish(endpoint),
      as: null,
      request: fill(endpoint.request, ids),
      status: 401,
    }));
  });
  await shared.board.refuse(t, scenes);
});

t.test('ACCESS52 a malformed id is named before anything is looked up', async (t) => {
  const malformed = ['x', `${randomUUID()}0`, randomUUID().replaceAll('-', ''), '%00', randomUUID().replace(/^./, 'g')];
  const scenes = ENDPOINTS.flatMap((endpoint) =>
    parameterNames(endpoint.request).flatMap((name, index) => {
      const others = parameterNames(endpoint.request).map((): string => randomUUID());
      return malformed.map((bad) => {
        const request = fill(endpoint.request, others.with(index, bad));
        return { ...rubbish(endpoint), as: stranger, request, status: 422, detail: new RegExp(`^${name}: `) };
      });
    }),
  );
  await shared.board.refuse(t, scenes);
});

t.test('ACCESS1 "not found" comes before "not allowed"', async (t) => {
  const sibling = `${shared.board.id.slice(0, 14)}${randomUUID().slice(14)}`;
  const scenes = ENDPOINTS.flatMap((endpoint) =>
    [randomUUID(), sibling, owner.id].map((unknown) => {
      const request = fill(endpoint.request, [unknown, ...endpoint.ids(shared).slice(1)]);
      return { ...rubbish(endpoint), as: stranger, request, status: 404, detail: /not found/ };
    }),
  );
  await shared.board.refuse(t, scenes);
});

t.test('ACCESS2 a caller who is not a member gets 403 for every input', async (t) => {
  await shared.board.refuse(t, refusals(ENDPOINTS, stranger, /not a member/));
});

t.test('ACCESS3 a member gets 403 for an operation of owners, for every input', async (t) => {
  await shared.board.refuse(t, refusals(ENDPOINTS.filter(({ role }) => role !== 'member'), member, /owner/));
});

t.test('ACCESS4 invalid input is reported last, to callers with access', async (t) => {
  const headers = { 'content-type': 'application/json' };
  const scenes = ENDPOINTS.filter(({ json }) => json !== undefined).flatMap((endpoint): Scene[] => {
    const as = endpoint.role === 'member' ? member : owner;
    const request = fill(endpoint.request, endpoint.ids(shared));
    return [
      { ...rubbish(endpoint), as, request, status: 415 },
      { as, request, body: '{"title": ', headers, status: 400 },
      { as, request, body: '', headers, status: 400 },
      ...[[], null, 'text', 3, true].map((json) => ({ as, request, json, status: 422, detail: /^body: / })),
    ];
  });
  await shared.board.refuse(t, scenes);
});

t.test('ACCESS53 members succeed with member operations, and owners with all', async (t) => {
  for (const as of [member, owner]) {
    const kept = await furnish(world);
    for (const endpoint of ENDPOINTS.filter(({ role }) => role === 'member' || as === owner)) {
      // The other endpoints still need what is deleted.
      const furnished = endpoint.request.startsWith('DELETE') ? await furnish(world) : kept;
      const [method = '', path = ''] = fill(endpoint.request, endpoint.ids(furnished)).split(' ');
      const sent = endpoint.file === true ? { body: fileForm() } : { json: endpoint.json?.(furnished) };
      const { status } = await api.request(method, path, { token: as.token, ...sent });
      t.equal(status, endpoint.status, `${endpoint.request} by ${as === owner ? 'an owner' : 'a member'}`);
    }
  }
});

t.test('ACCESS54 paths also work under /api, and ids in capitals are equal', async (t) => {
  const { board, card } = shared;
  for (const path of [`/api/cards/${card.id}`, `/cards/${card.id.toUpperCase()}`]) {
    await board.play(t, { as: member, request: `GET ${path}`, status: 200, answer: { id: card.id, title: 'Full' } });
  }
});
