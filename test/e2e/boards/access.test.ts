import t from 'tap';
import { randomUUID } from 'node:crypto';
import type { Scene } from '../../support/board/boardScenario.js';
import { ENDPOINTS, fill, type Endpoint } from '../../support/board/boardEndpoints.js';
import { enterWorld } from '../../support/board/boardWorld.js';
import { fileForm, populate } from '../../support/board/populatedBoard.js';
import type { TestUser } from '../../support/http/users.js';

const world = await enterWorld();
const { api, owner, member, stranger } = world;
/** For refused requests: every scene checks that they leave the board unchanged. */
const shared = await populate(world);

const takesBody = (endpoint: Endpoint): boolean => endpoint.json !== undefined || endpoint.file === true;

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
    return [
      { ...scene, ...rubbish(endpoint) },
      { ...scene, ...good },
    ];
  });
}

/** Of endpoints that a member may use. */
const MEMBERS: ReadonlyArray<Endpoint['role']> = ['viewer', 'commenter', 'member'];

t.test('every documented board endpoint is in this table', async (t) => {
  const document = await fetch(`${api.url}/openapi.json`);
  const { paths } = (await document.json()) as { paths: Record<string, object> };
  const documented = Object.entries(paths)
    .filter(([path]) => /^\/(boards|columns|cards|labels|checklists|items|attachments|automations|comments)\/\{/.test(path))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
  t.strictSame(ENDPOINTS.map(({ request }) => request).sort(), documented.sort());
});

t.test('ACCESS1 without a credential the answer is 401, even if an id is malformed', async (t) => {
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

t.test('ACCESS1 a malformed id is named before anything is looked up', async (t) => {
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

t.test('ACCESS2 a member gets 403 for an operation of owners, for every input', async (t) => {
  await shared.board.refuse(
    t,
    refusals(
      ENDPOINTS.filter(({ role }) => role === 'owner' || role === 'self_or_owner'),
      member,
      /owner/,
    ),
  );
});

t.test('ACCESS1 invalid input is reported last, to callers with access', async (t) => {
  const headers = { 'content-type': 'application/json' };
  const scenes = ENDPOINTS.filter(({ json }) => json !== undefined).flatMap((endpoint): Scene[] => {
    const as = MEMBERS.includes(endpoint.role) ? member : owner;
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
    const kept = await populate(world);
    for (const endpoint of ENDPOINTS.filter(({ role, only }) => (as === owner ? only !== 'author' : MEMBERS.includes(role)))) {
      // The other endpoints still need what is deleted or archived.
      const populated = /^DELETE|^POST .*\/archive$/.test(endpoint.request) ? await populate(world) : kept;
      const [method = '', path = ''] = fill(endpoint.request, endpoint.ids(populated)).split(' ');
      const sent = endpoint.file === true ? { body: fileForm() } : { json: endpoint.json?.(populated) };
      const { status } = await api.request(method, path, { token: as.token, ...sent });
      t.equal(status, endpoint.status, `${endpoint.request} by ${as === owner ? 'an owner' : 'a member'}`);
    }
  }
});

t.test('HTTP1 paths also work under /api, and ids in capitals are equal', async (t) => {
  const { board, card } = shared;
  for (const path of [`/api/cards/${card.id}`, `/cards/${card.id.toUpperCase()}`]) {
    await board.play(t, { as: member, request: `GET ${path}`, status: 200, answer: { id: card.id, title: 'Full' } });
  }
});
