/**
 * Who may do what on a board: every operation of the table, for every kind of caller. An operation that is not declared here
 * or among the endpoints fails the test.
 */
import t, { type Test } from 'tap';
import { NOT_ON_A_BOARD } from '../../../src/api/operation/keyAccess.js';
import type { Operation } from '../../../src/api/operation/operation.js';
import { operations } from '../../../src/api/operations/table.js';
import { isRestricted, ROLES, type Role } from '../../../src/domain/model.js';
import { ENDPOINTS, fill, type Endpoint } from '../../support/board/boardEndpoints.js';
import { enterWorld } from '../../support/board/boardWorld.js';
import { fileForm, populate, type PopulatedBoard } from '../../support/board/populatedBoard.js';
import { newKey } from '../../support/http/keys.js';
import { newUser, type TestUser } from '../../support/http/users.js';
import { changeUser } from '../../support/service/operator.js';

const world = await enterWorld();
const { api, owner, member, helper, stranger, config } = world;

/** Operations on a webhook. Its id is not part of a populated board. */
const ON_A_WEBHOOK = /^\/webhooks\/\{webhook_id\}/;

interface Declared {
  readonly endpoint: Endpoint;
  readonly operation: Operation;
}

interface Caller {
  readonly name: string;
  readonly token: string | null;
  /** Of the owner of the credential; null for none. */
  readonly role: Role | null;
  /** The status of what the role would allow; null if nothing else forbids it. */
  readonly refused?: (operation: Operation) => boolean;
}

const onBoards = operations.filter(({ access }) => !NOT_ON_A_BOARD.has(access));

function declared(operation: Operation): Declared | null {
  const request = `${operation.method} ${operation.path}`;
  const endpoint = ENDPOINTS.find((each) => each.request === request);
  return endpoint === undefined ? null : { endpoint, operation };
}

t.test('ACCESS53 every operation on a board has a declared role, and it is that of its handler', async (t) => {
  for (const operation of onBoards) {
    const { access, path, method } = operation;
    if (ON_A_WEBHOOK.test(path)) t.equal(access, 'owner', `${method} ${path}`);
    else t.equal(declared(operation)?.endpoint.role, access, `${method} ${path}`);
  }
  t.ok(onBoards.length > ENDPOINTS.length);
});

/** The people of one board, and credentials of all kinds. */
async function callersOf({ board }: PopulatedBoard): Promise<readonly Caller[]> {
  const [commenter, viewer, superuser] = await Promise.all([newUser(api), newUser(api), newUser(api)]);
  await changeUser(config.dataDir, superuser.id, { is_superuser: true });
  for (const [user, role] of [
    [commenter, 'commenter'],
    [viewer, 'viewer'],
  ] as const) {
    await board.do(owner, `POST /boards/${board.id}/invite`, { user_id: user.id, role });
  }
  const other = await board.do<{ id: string }>(owner, 'POST /boards', { title: 'Another' });
  const isChange = ({ method }: Operation): boolean => method !== 'GET';
  const key = async (user: { readonly token: string }, fields: object): Promise<string> => (await newKey(api, user, fields)).key;
  return [
    { name: 'an owner', token: owner.token, role: 'owner' },
    { name: 'a member', token: member.token, role: 'member' },
    { name: 'a commenter', token: commenter.token, role: 'commenter' },
    { name: 'a viewer', token: viewer.token, role: 'viewer' },
    { name: 'a stranger', token: stranger.token, role: null },
    { name: 'a superuser', token: superuser.token, role: null },
    { name: 'a read-only key', token: await key(owner, { scopes: ['read'] }), role: 'owner', refused: isChange },
    { name: 'a key of another board', token: await key(owner, { board_ids: [other.id] }), role: 'owner', refused: () => true },
    { name: 'a key of a viewer', token: await key(viewer, {}), role: 'viewer' },
    { name: 'nobody', token: null, role: null },
  ];
}

function expected({ endpoint, operation }: Declared, { token, role, refused }: Caller): number {
  if (token === null) return 401;
  const needed = endpoint.role === 'self_or_owner' ? 'owner' : endpoint.role;
  const isAllowed =
    endpoint.only === undefined ||
    token === member.token ||
    (endpoint.only === 'author or owner' && role === 'owner') ||
    (endpoint.only === 'member, or author of its comment or owner' && role !== null && !isRestricted(role));
  const isEnough = role !== null && ROLES.indexOf(role) <= ROLES.indexOf(needed) && isAllowed;
  return isEnough && refused?.(operation) !== true ? endpoint.status : 403;
}

async function check(t: Test, { endpoint, operation }: Declared, caller: Caller, populated: PopulatedBoard): Promise<void> {
  const [method = '', path = ''] = fill(endpoint.request, endpoint.ids(populated)).split(' ');
  const sent = endpoint.file === true ? { body: fileForm() } : { json: endpoint.json?.(populated) };
  const { status } = await api.request(method, path, { ...(caller.token === null ? {} : { token: caller.token }), ...sent });
  t.equal(status, expected({ endpoint, operation }, caller), `${endpoint.request} by ${caller.name}`);
}

t.test('ACCESS53 every caller gets from every operation what their role, key and credential allow', async (t) => {
  const table = onBoards.flatMap((operation) => declared(operation) ?? []);
  const shared = await populate(world);
  const callers = await callersOf(shared);
  for (const caller of callers) {
    // What is deleted, or given to somebody, is missing for the next: a board of its own, with the same people.
    const isKept = (each: Declared): boolean => expected(each, caller) >= 400 || each.operation.method === 'GET' || each.endpoint.isAside === true;
    for (const each of table.filter(isKept)) await check(t, each, caller, shared);
    t.equal((await api.request('GET', `/boards/${shared.board.id}`, { token: owner.token })).status, 200, 'the board is there');
  }
});

t.test('ACCESS53 a webhook is for owners', async (t) => {
  const populated = await populate(world);
  const { board } = populated;
  const json = { url: 'https://example.org/hook', is_enabled: false };
  const hook = await board.do<{ id: string }>(owner, `POST /boards/${board.id}/webhooks`, json);
  for (const caller of await callersOf(populated)) {
    if (caller.role === 'owner') continue;
    for (const { method, path } of onBoards.filter((each) => ON_A_WEBHOOK.test(each.path))) {
      const sent = caller.token === null ? {} : { token: caller.token };
      const { status } = await api.request(method, path.replace('{webhook_id}', hook.id), sent);
      t.equal(status, caller.token === null ? 401 : 403, `${method} ${path} by ${caller.name}`);
    }
  }
});

/** What a member may take back of what they did; each is refused to who is no member any more. */
async function madeBy(user: TestUser, { board, todo, plainCard, card, unusedLabel }: PopulatedBoard): Promise<Array<[string, object?]>> {
  await board.do(user, `PATCH /cards/${plainCard.id}`, { description: 'one' });
  await board.do(user, `PATCH /cards/${plainCard.id}`, { description: 'two' });
  const { activity } = await board.do<{ activity: ReadonlyArray<{ seq: number }> }>(user, `GET /boards/${board.id}/activity?limit=1`);
  await board.do(user, `DELETE /labels/${unusedLabel.id}`);
  await board.do(user, `POST /cards/${card.id}/archive`);
  const { id: column } = await board.do<{ id: string }>(user, `POST /boards/${board.id}/columns`, { title: 'Old' });
  await board.do(user, `POST /columns/${column}/archive`);
  return [
    [`POST /boards/${board.id}/undo`, {}],
    [`POST /boards/${board.id}/undo`, { seq: activity[0]?.seq }],
    [`POST /boards/${board.id}/trash/${unusedLabel.id}/restore`, {}],
    [`POST /cards/${card.id}/restore`, { column_id: todo.id }],
    [`POST /columns/${column}/restore`, {}],
    [`POST /cards/${plainCard.id}/versions/2/restore`],
    [`GET /cards/${plainCard.id}/versions`],
    [`GET /boards/${board.id}/trash`],
  ];
}

t.test('ACCESS53 after a demotion, a removal or a deletion a user takes nothing back, and an owner does', async (t) => {
  const ends = [
    ['viewer', 403],
    ['commenter', 403],
    ['removed', 403],
    ['deleted', 401],
  ] as const;
  const superuser = await newUser(api);
  await changeUser(config.dataDir, superuser.id, { is_superuser: true });
  for (const [end, status] of ends) {
    const populated = await populate(world);
    const { board } = populated;
    const user = await newUser(api);
    const ofUser = `/boards/${board.id}/members/${user.id}`;
    await board.do(owner, `POST /boards/${board.id}/invite`, { user_id: user.id });
    const requests = await madeBy(user, populated);
    if (end === 'removed') await board.do(owner, `DELETE ${ofUser}`);
    else if (end === 'deleted') await api.request('DELETE', `/admin/users/${user.id}`, { token: superuser.token });
    else await board.do(owner, `PATCH ${ofUser}`, { role: end });
    for (const [request, json] of requests) {
      const [method = '', path = ''] = request.split(' ');
      t.equal((await api.request(method, path, { token: user.token, json })).status, status, `${request} by ${end}`);
    }
    for (const [request, json] of requests.slice(2)) t.ok(await board.do(owner, request, json), `${request} by an owner`);
  }
});

t.test('ACCESS53 viewers and commenters leave a board, and remove nobody else', async (t) => {
  const { board } = await populate(world);
  for (const role of ['commenter', 'viewer']) {
    const user = await newUser(api);
    const { user_id } = await board.do<{ user_id: string }>(owner, `POST /boards/${board.id}/invite`, { user_id: user.id, role });
    const remove = (id: string): Promise<{ status: number }> => api.request('DELETE', `/boards/${board.id}/members/${id}`, { token: user.token });
    t.equal((await remove(helper.id)).status, 403);
    t.equal((await remove(user_id)).status, 204);
    t.equal((await api.request('GET', `/boards/${board.id}`, { token: user.token })).status, 403);
  }
});
