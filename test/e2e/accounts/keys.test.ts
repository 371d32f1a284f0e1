/** API keys over HTTP. */
import { readFile } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { operations } from '../../../src/api/operations/table.js';
import { MAX_KEYS_PER_USER } from '../../../src/domain/account/apiKey.js';
import type { Api } from '../../support/http/api.js';
import { newKey, type MadeKey } from '../../support/http/keys.js';
import { statusOf } from '../../support/http/sessions.js';
import { newUser, type TestUser } from '../../support/http/users.js';
import { range } from '../../support/realtime/realtimeBoard.js';
import { startTestApp, WITH_THREADS } from '../../support/service/app.js';
import { changeUser } from '../../support/service/operator.js';
import { DIRECTORY_FILE } from '../../../src/store/folder/dataFolder.js';

const { api, config } = await startTestApp(t, WITH_THREADS);
const NOWHERE = '99999999-9999-4999-8999-999999999999';

const makeBoard = async ({ token }: { token: string }, title = 'Team'): Promise<string> =>
  (await api.request<{ id: string }>('POST', '/boards', { token, json: { title } })).body.id;

const get = (token: string, path: string): ReturnType<Api['request']> => api.request('GET', path, { token });

async function superuser(): Promise<TestUser> {
  const user = await newUser(api);
  await changeUser(config.dataDir, user.id, { is_superuser: true });
  return user;
}

async function listKeys({ token }: TestUser): Promise<Array<Omit<MadeKey, 'key'> & { last_used: string | null }>> {
  const { body } = await api.request<Array<MadeKey & { last_used: string | null }>>('GET', '/auth/keys', { token });
  return body;
}

t.test('KEY1 a key is made, listed without its secret, and revoked', async (t) => {
  const ann = await newUser(api);
  const board = await makeBoard(ann);
  const expires_at = '2100-01-01T01:00:00+01:00';
  const json = { name: ' nightly ', scopes: ['write', 'read', 'write'], board_ids: [board.toUpperCase(), board], expires_at };
  const { key, ...made } = await newKey(api, ann, json);
  const shown = { name: 'nightly', scopes: ['read', 'write'], board_ids: [board], expires_at: '2100-01-01T00:00:00.000Z', last_used: null };
  t.match(made, shown);
  t.equal(made.prefix, key.slice(0, 8));
  const plain = await newKey(api, ann);
  t.match(plain, { board_ids: null, expires_at: null });
  t.strictSame(
    await listKeys(ann),
    [made, { ...plain, key: undefined }].map((each) => JSON.parse(JSON.stringify(each)) as unknown),
  );
  t.notOk(JSON.stringify(await listKeys(ann)).includes(key.slice(8)));
  const ben = await newUser(api);
  const revoke = (user: TestUser, id: string): Promise<{ status: number }> => api.request('DELETE', `/auth/keys/${id}`, { token: user.token });
  t.equal((await revoke(ben, made.id)).status, 404, 'not his');
  t.equal(await statusOf(api, key), 200);
  t.equal((await revoke(ann, made.id)).status, 204);
  t.equal((await revoke(ann, made.id)).status, 404);
  t.equal(await statusOf(api, key), 401);
  t.equal(await statusOf(api, plain.key), 200);
});

t.test('KEY1 what does not fit is refused', async (t) => {
  const ann = await newUser(api);
  const foreign = await makeBoard(await newUser(api));
  const own = await makeBoard(ann);
  const refusals: ReadonlyArray<readonly [number, object]> = [
    [422, { scopes: [] }],
    [422, { scopes: ['all'] }],
    [422, { scopes: undefined }],
    [422, { name: ' ' }],
    [422, { name: undefined }],
    [422, { board_ids: [] }],
    [422, { board_ids: ['x'] }],
    [422, { board_ids: range(1, 101).map(() => own) }],
    [422, { expires_at: 'tomorrow' }],
    [422, { expires_at: '2100-01-01T00:00:00' }],
    [422, { expires_at: '9999-12-31T23:59:59-01:00' }],
    [422, { expires_at: new Date(Date.now() - 1_000).toISOString() }],
    [422, { scopes: ['read', 'admin'], board_ids: [own] }],
    [403, { scopes: ['admin'] }],
    [403, { board_ids: [foreign] }],
    [403, { board_ids: [own, NOWHERE] }],
  ];
  for (const [status, fields] of refusals) {
    const json = { name: 'x', scopes: ['read'], ...fields };
    t.equal((await api.request('POST', '/auth/keys', { token: ann.token, json })).status, status, JSON.stringify(fields).slice(0, 80));
  }
  t.strictSame(await listKeys(ann), []);
});

t.test('KEY1 neither the file nor the log has the key', async (t) => {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, new Writable({ write: (line: Buffer, _encoding, done) => done(void lines.push(line.toString())) }));
  const app = await startTestApp(t, {}, log);
  const ann = await newUser(app.api);
  const { key } = await newKey(app.api, ann);
  t.equal(await statusOf(app.api, key), 200);
  t.equal(await statusOf(app.api, `${key.slice(0, -1)}!`), 401);
  await app.close();
  t.ok(lines.length > 0);
  t.notOk(lines.some((line) => line.includes(key.slice(8))));
  const file = await readFile(`${app.config.dataDir}/${DIRECTORY_FILE}`, 'latin1');
  t.ok(file.includes(key.slice(0, 8)), 'its beginning is stored');
  t.notOk(file.includes(key.slice(8)));
});

t.test('KEY5 a batch needs the scope and the board of each of its operations', async (t) => {
  const ann = await newUser(api);
  const [board, other] = [await makeBoard(ann), await makeBoard(ann)];
  const send = (token: string, on: string): ReturnType<Api['request']> => {
    const operations = [{ method: 'POST', path: `/boards/${on}/columns`, body: { title: 'To do' } }];
    return api.request('POST', `/boards/${on}/batch`, { token, json: { operations } });
  };
  const [reading, ofOther, ofBoard] = [
    await newKey(api, ann, { scopes: ['read'] }),
    await newKey(api, ann, { scopes: ['write'], board_ids: [other] }),
    await newKey(api, ann, { scopes: ['write'], board_ids: [board] }),
  ];
  for (const { key } of [reading, ofOther]) t.equal((await send(key, board)).status, 403);
  t.match((await get(ann.token, `/boards/${board}`)).body, { columns: [] }, 'nothing was done');
  t.equal((await send(ofBoard.key, board)).status, 200);
  t.equal((await get(ofOther.key, `/boards/${board}`)).status, 403, 'as for a single request');
});

t.test('KEY3 a user has at most so many keys, and the refusal says so', async (t) => {
  const ann = await newUser(api);
  const make = (): Promise<{ status: number }> => api.request('POST', '/auth/keys', { token: ann.token, json: { name: 'x', scopes: ['read'] } });
  const answers = await Promise.all(range(1, MAX_KEYS_PER_USER + 5).map(make));
  t.equal(answers.filter(({ status }) => status === 201).length, MAX_KEYS_PER_USER, 'also if made at the same time');
  t.match(await make(), { status: 409, body: { detail: 'A user has at most 100 API keys; revoke one first' } });
});

t.test('KEY5 read is for reads, write for changes and reads', async (t) => {
  const ann = await newUser(api);
  const board = await makeBoard(ann);
  const [reads, writes] = [await newKey(api, ann, { scopes: ['read'] }), await newKey(api, ann, { scopes: ['write'] })];
  for (const { key } of [reads, writes]) {
    t.match(await get(key, '/boards'), { status: 200, body: [{ id: board }] });
    t.match(await get(key, `/boards/${board}`), { status: 200 });
    t.equal((await api.request('HEAD', `/boards/${board}`, { token: key })).status, 200);
    t.match(await get(key, '/auth/me'), { status: 200, body: { id: ann.id } });
  }
  const lacking = { status: 403, body: { detail: 'The API key lacks the scope "write"' } };
  const changes: ReadonlyArray<readonly ['POST' | 'PATCH' | 'DELETE', string, object?]> = [
    ['POST', '/boards', { title: 'x' }],
    ['POST', `/boards/${board}/columns`, { title: 'x' }],
    ['POST', `/boards/${NOWHERE}/columns`, { title: 'x' }],
    ['PATCH', `/boards/${board}`, { title: 'x' }],
    ['DELETE', `/boards/${board}`],
  ];
  for (const [method, path, json] of changes) {
    t.match(await api.request(method, path, { token: reads.key, ...(json && { json }) }), lacking, `${method} ${path}`);
  }
  t.equal((await api.request('PATCH', `/boards/${board}`, { token: writes.key, json: { title: 'New' } })).status, 200);
});

t.test('KEY5 the scope admin is needed besides, and stops with the demotion', async (t) => {
  const root = await superuser();
  const [plain, admin, adminReads, adminAlone] = [
    await newKey(api, root, { scopes: ['write'] }),
    await newKey(api, root, { scopes: ['write', 'admin'] }),
    await newKey(api, root, { scopes: ['read', 'admin'] }),
    await newKey(api, root, { scopes: ['admin'] }),
  ];
  const lacking = (scope: string): object => ({ status: 403, body: { detail: `The API key lacks the scope "${scope}"` } });
  t.match(await get(plain.key, '/admin/users'), lacking('admin'));
  t.match(await get(plain.key, '/metrics'), lacking('admin'));
  t.match(await get(adminAlone.key, '/admin/users'), lacking('read'));
  t.equal((await get(admin.key, '/admin/users')).status, 200);
  t.equal((await get(adminReads.key, '/admin/users')).status, 200);
  const ben = await newUser(api);
  const promote = (token: string): Promise<object> => api.request('POST', `/admin/users/${ben.id}/promote`, { token });
  t.match(await promote(adminReads.key), lacking('write'));
  t.match(await promote(admin.key), { status: 200 });
  t.match(await api.request('POST', '/invitations', { token: plain.key, json: {} }), { status: 403 }, 'as an ordinary user');
  t.match(await api.request('POST', '/invitations', { token: admin.key, json: {} }), { status: 201 });
  await changeUser(config.dataDir, root.id, { is_superuser: false });
  t.match(await get(admin.key, '/admin/users'), { status: 403, body: { detail: 'This is for superusers' } });
  t.equal((await get(admin.key, '/boards')).status, 200, 'the rest goes on');
});

t.test('KEY4 a key is refused under /auth, by every operation that needs a login', async (t) => {
  const root = await superuser();
  const { key, id } = await newKey(api, root, { scopes: ['read', 'write', 'admin'] });
  const own = operations.filter(({ path, access }) => path.startsWith('/auth/') && access !== 'public');
  t.ok(own.length >= 10, `${own.length} operations`);
  for (const { method, path, name } of own) {
    if (name === 'auth.me') continue;
    const answer = await api.request(method, path.replace(/\{\w+\}/, id), {
      token: key,
      ...(method === 'GET' || method === 'DELETE' ? {} : { json: {} }),
    });
    t.match(answer, { status: 403, body: { detail: 'An API key cannot be used for this' } }, `${method} ${path}`);
  }
  t.equal(await statusOf(api, key), 200);
});

async function keyForOneBoard() {
  const ann = await newUser(api);
  const [first, second, third] = [await makeBoard(ann, 'one'), await makeBoard(ann, 'two'), await makeBoard(ann, 'three')];
  const { key } = await newKey(api, ann, { board_ids: [second] });
  return { ann, first, second, third, key };
}

const NOT_MEMBER = { status: 403, body: { detail: 'You are not a member of this board' } };

t.test('KEY8 a key for some boards sees and changes these alone', async (t) => {
  const { ann, first, second, third, key } = await keyForOneBoard();
  t.match(await get(key, '/boards'), { status: 200, body: { length: 1, 0: { id: second } } });
  t.match(await get(key, '/boards?limit=1&offset=1'), { body: { length: 0 } });
  const both = await newKey(api, ann, { board_ids: [third, first] });
  t.match(await get(both.key, '/boards?limit=1'), { headers: {}, body: { length: 1, 0: { id: first } } });
  t.match(await get(both.key, '/boards?limit=1&offset=1'), { body: { length: 1, 0: { id: third } } });
  const column = async (board: string): Promise<string> =>
    (await api.request<{ id: string }>('POST', `/boards/${board}/columns`, { token: ann.token, json: { title: 'x' } })).body.id;
  const [foreign, own] = [await column(first), await column(second)];
  const requests: ReadonlyArray<readonly ['GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT', (board: string, column: string) => string, object?]> = [
    ['GET', (board) => `/boards/${board}`],
    ['GET', (board) => `/boards/${board}/events`],
    ['GET', (board) => `/boards/${board}/members`],
    ['GET', (board) => `/boards/${board}/export`],
    ['GET', (board) => `/ws/boards/${board}/presence`],
    ['POST', (_board, id) => `/columns/${id}/move`, { position: 0 }],
    ['PATCH', (_board, id) => `/columns/${id}`, { title: 'y' }],
    ['DELETE', (_board, id) => `/columns/${id}`],
  ];
  for (const [method, path, json] of requests) {
    const send = (target: string): Promise<{ status: number }> => api.request(method, target, { token: key, ...(json && { json }) });
    t.match(await send(path(first, foreign)), NOT_MEMBER, `${method} ${path('…', '…')}`);
    t.match(await send(path(NOWHERE, NOWHERE)), NOT_MEMBER, 'whether it exists or not');
    t.ok((await send(path(second, own))).status < 300, `${method} on its own board`);
  }
});

t.test('KEY8 every operation on a board refuses a key for another board', async (t) => {
  const { first, key } = await keyForOneBoard();
  const onBoards = operations.filter(({ access }) => !['public', 'user', 'superuser', 'metrics'].includes(access));
  t.ok(onBoards.length > 30);
  for (const { method, path } of onBoards) {
    const target = path.replace('{number}', '1').replace(/\{\w+\}/g, first);
    t.match(await api.request(method, target, { token: key }), NOT_MEMBER, `${method} ${path}`);
  }
});

t.test('KEY8 with a shared directory a key for some boards finds the users of these', async (t) => {
  const app = await startTestApp(t, { USER_DIRECTORY: 'shared' });
  const [ann, ben, cat] = [await newUser(app.api), await newUser(app.api), await newUser(app.api)];
  const boardWith = async (user: TestUser): Promise<string> => {
    const { body } = await app.api.request<{ id: string }>('POST', '/boards', { token: ann.token, json: { title: 'x' } });
    await app.api.request('POST', `/boards/${body.id}/invite`, { token: ann.token, json: { user_id: user.id } });
    return body.id;
  };
  await boardWith(ben);
  const { key } = await newKey(app.api, ann, { board_ids: [await boardWith(cat)] });
  const find = async (token: string): Promise<string[]> =>
    (await app.api.request<Array<{ id: string }>>('GET', '/users', { token })).body.map(({ id }) => id).sort();
  t.strictSame(await find(ann.token), [ann.id, ben.id, cat.id].sort());
  t.strictSame(await find(key), [ann.id, cat.id].sort());
  const statuses = await Promise.all([ann, ben, cat].map(({ id }) => app.api.request('GET', `/users/${id}`, { token: key })));
  t.strictSame(
    statuses.map(({ status }) => status),
    [200, 404, 200],
  );
});

t.test('KEY8 a key for some boards lists the cards of these boards alone', async (t) => {
  const { ann, first, second, key } = await keyForOneBoard();
  const { token } = ann;
  for (const board of [first, second]) {
    const create = async (path: string): Promise<string> =>
      (await api.request<{ id: string }>('POST', path, { token, json: { title: 'Mine' } })).body.id;
    const card = await create(`/boards/${board}/columns/${await create(`/boards/${board}/columns`)}/cards`);
    await api.request('PUT', `/cards/${card}/assignees`, { token, json: { user_ids: [ann.id] } });
  }
  const boardsOf = async (credential: string): Promise<string[]> =>
    (await api.request<{ cards: Array<{ board_id: string }> }>('GET', '/me/cards', { token: credential })).body.cards.map(({ board_id }) => board_id);
  t.strictSame((await boardsOf(token)).sort(), [first, second].sort());
  t.strictSame(await boardsOf(key), [second]);

  for (const board of [first, second]) await api.request('PUT', `/boards/${board}/watch`, { token });
  const watchedBy = async (credential: string): Promise<string[]> =>
    (await api.request<{ watching: Array<{ id: string }> }>('GET', '/me/watching', { token: credential })).body.watching.map(({ id }) => id);
  t.strictSame((await watchedBy(token)).sort(), [first, second].sort());
  t.strictSame(await watchedBy(key), [second]);
});

t.test('KEY8 a key for some boards creates none, and is refused where its boards are not heeded', async (t) => {
  const { ann, first, second, key } = await keyForOneBoard();
  const refused = { status: 403, body: { detail: 'The API key is for some boards only' } };
  t.match(await api.request('POST', '/boards', { token: key, json: { title: 'x' } }), refused);
  t.match(await api.request('POST', '/boards/import', { token: key, json: {} }), refused);
  t.match(await api.request('POST', '/invitations/accept', { token: key, json: { token: 'x' } }), refused);
  t.match(await get(key, '/invitations'), refused);
  const heeded = new Set(['auth.me', 'users.get', 'users.search', 'invitation.create', 'board.list', 'card.mine', 'watch.mine', 'presence.get']);
  for (const { method, path, name, access } of operations) {
    if (!['user', 'superuser', 'metrics'].includes(access) || path.startsWith('/auth/') || heeded.has(name)) continue;
    const answer = await api.request(method, path.replace(/\{\w+\}/g, NOWHERE), { token: key });
    t.equal(answer.status, 403, `${method} ${path}`);
  }
  const invite = (board_id?: string): Promise<object> => api.request('POST', '/invitations', { token: key, json: { ...(board_id && { board_id }) } });
  t.match(await invite(first), NOT_MEMBER);
  t.match(await invite(), NOT_MEMBER);
  t.match(await invite(second), { status: 403, body: { detail: /superusers/ } }, 'its own board: the usual rule');
  t.equal((await api.request('POST', '/boards', { token: ann.token, json: { title: 'x' } })).status, 201);
});

t.test('KEY10 deactivation stops all keys at once; a new password and the end of sessions stop none', async (t) => {
  const ann = await newUser(api);
  const { key } = await newKey(api, ann);
  t.equal(await statusOf(api, key), 200);
  const json = { current_password: ann.password, new_password: 'another one, also long' };
  t.equal((await api.request('POST', '/auth/change-password', { token: ann.token, json })).status, 200);
  t.equal((await api.request('DELETE', '/auth/sessions', { token: ann.token })).status, 204);
  t.equal(await statusOf(api, key), 200);
  await changeUser(config.dataDir, ann.id, { is_active: false });
  t.equal(await statusOf(api, key), 401);
  await changeUser(config.dataDir, ann.id, { is_active: true });
  t.equal(await statusOf(api, key), 200, 'and it works again');
});

t.test('KEY5 a key without the right gets no kept answer', async (t) => {
  const ann = await newUser(api);
  const board = await makeBoard(ann);
  const [reads, elsewhere] = [await newKey(api, ann, { scopes: ['read'] }), await newKey(api, ann, { board_ids: [await makeBoard(ann)] })];
  const headers = { 'idempotency-key': 'once' };
  const send = (token: string): Promise<{ status: number; body: unknown }> =>
    api.request('POST', `/boards/${board}/columns`, { token, json: { title: 'x' }, headers });
  const first = await send(ann.token);
  t.equal(first.status, 201);
  t.match(await send(reads.key), { status: 403 });
  t.match(await send(elsewhere.key), { status: 403 });
  const writes = await newKey(api, ann);
  t.strictSame((await send(writes.key)).body, first.body, 'with the right it is the same user');
});

t.test('SESS22 the answer with a key is not kept, and a repeated revocation is answered alike', async (t) => {
  const ann = await newUser(api);
  const headers = { 'idempotency-key': 'once' };
  const make = (): Promise<{ body: MadeKey }> =>
    api.request('POST', '/auth/keys', { token: ann.token, json: { name: 'x', scopes: ['read'] }, headers }) as Promise<{ body: MadeKey }>;
  const [first, second] = [(await make()).body, (await make()).body];
  t.not(first.key, second.key);
  const revoke = (): Promise<{ status: number; headers: Headers }> =>
    api.request('DELETE', `/auth/keys/${first.id}`, { token: ann.token, headers }) as Promise<{ status: number; headers: Headers }>;
  t.equal((await revoke()).status, 204);
  t.equal((await revoke()).status, 204);
  t.strictSame(
    (await listKeys(ann)).map(({ id }) => id),
    [second.id],
  );
});

t.test('KEY10 keys outlive a restart of the service', async (t: Test) => {
  const app = await startTestApp(t);
  const ann = await newUser(app.api);
  const { key } = await newKey(app.api, ann);
  await app.close();
  const again = await startTestApp(t, { DATA_DIR: app.config.dataDir });
  t.equal(await statusOf(again.api, key), 200);
});
