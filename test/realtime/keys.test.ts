/** Sockets and streams of API keys. */
import t, { type Test } from 'tap';
import { newKey, type MadeKey } from '../support/http/keys.js';
import { newUser, type TestUser } from '../support/http/users.js';
import { TestEventStream } from '../support/realtime/eventStream.js';
import { RealtimeBoard } from '../support/realtime/realtimeBoard.js';
import { TestSharedSocket } from '../support/realtime/sharedSocket.js';
import { TestSocket } from '../support/realtime/socket.js';
import { startTestApp } from '../support/service/app.js';
import { changeUser } from '../support/service/operator.js';

const app = await startTestApp(t);
const { api, url } = app;

const REVOKED = { code: 1008, reason: 'The API key was revoked' };
const NOT_MEMBER = { code: 1008, reason: 'You are not a member of this board' };

interface Clients {
  readonly socket: TestSocket;
  readonly several: TestSharedSocket;
  readonly stream: TestEventStream;
}

async function connectAll(board: RealtimeBoard, user: TestUser, token: string): Promise<Clients> {
  const socket = await board.join(user, { token });
  const several = await TestSharedSocket.enter(url, { token });
  await several.subscribe(board.id);
  const stream = await TestEventStream.open(url, board.id, { token });
  return { socket, several, stream };
}

/** Resolves when all three are closed, with what each was told. */
async function closings({ socket, several, stream }: Clients): Promise<unknown[]> {
  const told = await Promise.all([socket.closed, several.closed]);
  await stream.ended;
  return [...told, stream.events.at(-1)?.data];
}

async function expectOpen(t: Test, board: RealtimeBoard, { socket, several, stream }: Clients): Promise<void> {
  const [from, fromSeveral, fromStream] = [socket.messages.length, several.messages.length, stream.events.length];
  await board.addLabel(`label ${from}`);
  t.match(await socket.find('label.created', from), { type: 'label.created' });
  t.match(await several.find('label.created', fromSeveral), { type: 'label.created' });
  t.match(await stream.event(fromStream), { event: 'label.created' });
}

const revoke = ({ token }: TestUser, { id }: MadeKey): Promise<unknown> => api.request('DELETE', `/auth/keys/${id}`, { token });

t.test('KEY4 a key is a credential of sockets and streams: parameter, header, protocol and auth message', async (t) => {
  const board = await RealtimeBoard.on(app);
  const { key } = await newKey(api, board.member, { scopes: ['read'] });
  const clients = await connectAll(board, board.member, key);
  t.match(await clients.several.find('authenticated'), { expires_at: null }, 'it does not expire');
  await expectOpen(t, board, clients);
  for (const options of [
    { token: null, headers: { authorization: `Bearer ${key}` } },
    { token: null, protocols: [`bearer.${key}`] },
  ] as const) {
    const socket = await TestSharedSocket.openShared(url, options);
    t.match(await socket.find('authenticated'), { expires_at: null });
    await socket.close();
  }
  const socket = await TestSharedSocket.enter(url, { token: board.member.token });
  socket.tell({ type: 'auth', token: key });
  t.match(await socket.find('authenticated', 1), { expires_at: null });
  const unknown = await TestSharedSocket.openShared(url, { token: `${key.slice(0, -4)}AAAA` });
  t.match(await unknown.closed, { code: 1008, reason: 'The API key is unknown or was revoked' });
});

t.test('KEY5 a socket needs read; states and signals need write', async (t) => {
  const board = await RealtimeBoard.on(app);
  await changeUser(app.config.dataDir, board.member.id, { is_superuser: true });
  const member = { ...board.member };
  const [reads, writes, none] = [
    await newKey(api, member, { scopes: ['read'] }),
    await newKey(api, member, { scopes: ['write'] }),
    await newKey(api, member, { scopes: ['admin'] }),
  ];
  const watcher = await TestSharedSocket.enter(url, board.owner);
  await watcher.subscribe(board.id);
  const reader = await TestSharedSocket.enter(url, { token: reads.key });
  t.match(await reader.subscribe(board.id), { type: 'subscribed' });
  const lacking = { code: 'forbidden', detail: 'The API key lacks the scope "write"', board_id: board.id };
  t.match(await reader.refused({ type: 'state', board_id: board.id, state: { x: 1 } }), lacking);
  t.match(await reader.refused({ type: 'signal', board_id: board.id, data: 1 }), lacking);
  const writer = await TestSharedSocket.enter(url, { token: writes.key });
  await writer.subscribe(board.id);
  writer.tell({ type: 'signal', board_id: board.id, data: 'hello' });
  t.match(await watcher.find('signal'), { data: 'hello' });
  t.notOk(watcher.messages.some(({ type }) => type === 'state'));
  const refusedReason = { code: 1008, reason: 'The API key lacks the scope "read"' };
  t.match(await (await TestSharedSocket.openShared(url, { token: none.key })).closed, refusedReason);
  t.match(await (await TestSocket.open(url, board.id, { token: none.key })).closed, refusedReason);
  t.equal((await TestEventStream.open(url, board.id, { token: none.key })).response.statusCode, 403);
});

t.test('KEY8 a key for some boards follows these alone, and its feed is about these', async (t) => {
  const [own, other] = [await RealtimeBoard.on(app), await RealtimeBoard.on(app)];
  await other.invite(own.member);
  const { key } = await newKey(api, own.member, { board_ids: [own.id], scopes: ['read'] });
  const socket = await TestSharedSocket.enter(url, { token: key });
  t.match(await socket.subscribe(other.id), { type: 'unsubscribed', ...NOT_MEMBER });
  t.match(await socket.subscribe(own.id), { type: 'subscribed' });
  t.match(await (await TestSocket.open(url, other.id, { token: key })).closed, NOT_MEMBER);
  t.equal((await TestEventStream.open(url, other.id, { token: key })).response.statusCode, 403);
  const witness = await TestSharedSocket.enter(url, own.member);
  await other.do(`PATCH /boards/${other.id}`, { json: { title: 'Secret' } });
  t.match(await witness.find('user.board_changed'), { board_id: other.id });
  await own.do(`PATCH /boards/${own.id}`, { json: { title: 'Shown' } });
  t.match(await socket.find('user.board_changed'), { board_id: own.id, title: 'Shown' }, 'the first of its feed');
  await other.do(`DELETE /boards/${other.id}/members/${own.member.id}`);
  await witness.find('user.board_removed');
  await own.do(`DELETE /boards/${own.id}/members/${own.member.id}`);
  t.match(await socket.find('user.board_removed'), { board_id: own.id });
  t.notOk(JSON.stringify(socket.messages).includes('Secret'));
});

t.test('KEY10 sockets and streams are closed with 1008 when their key is revoked, and no others', async (t) => {
  const board = await RealtimeBoard.on(app);
  const { member } = board;
  const [revoked, kept] = [await newKey(api, member), await newKey(api, member)];
  const clients = await connectAll(board, member, revoked.key);
  const witnesses = [await connectAll(board, member, member.token), await connectAll(board, member, kept.key)];
  await revoke(member, revoked);
  t.strictSame(await closings(clients), [REVOKED, REVOKED, REVOKED]);
  for (const witness of witnesses) await expectOpen(t, board, witness);
});

t.test('KEY10 sockets and streams are closed with 1008 when their key expires', async (t) => {
  const board = await RealtimeBoard.on(app);
  const { member } = board;
  const expires_at = new Date(Date.now() + 8_000).toISOString();
  const { key } = await newKey(api, member, { expires_at });
  const clients = await connectAll(board, member, key);
  const [authenticated] = clients.several.messages;
  t.match(authenticated, { type: 'authenticated', expires_at: `${expires_at.slice(0, 19)}.000Z` });
  const expired = { code: 1008, reason: 'The token expired' };
  t.strictSame(await closings(clients), [expired, expired, expired]);
  t.match(await api.request('GET', '/auth/me', { token: key }), { status: 401, body: { detail: 'The API key has expired' } });
});

t.test('KEY10 the sockets of keys end with the deactivation of their user', async (t) => {
  const board = await RealtimeBoard.on(app);
  const { key } = await newKey(api, board.member);
  const clients = await connectAll(board, board.member, key);
  const json = { current_password: board.member.password, new_password: board.member.password };
  t.equal((await api.request('POST', '/auth/change-password', { token: board.member.token, json })).status, 200);
  await expectOpen(t, board, clients);
  await changeUser(app.config.dataDir, board.member.id, { is_active: false });
  const told = { code: 1008, reason: 'The user was deactivated' };
  t.strictSame(await closings(clients), [told, told, told]);
});

t.test('SESS15 auth with a key takes over its rights and its life', async (t) => {
  const [own, other] = [await RealtimeBoard.on(app), await RealtimeBoard.on(app)];
  await other.invite(own.member);
  const made = await newKey(api, own.member, { board_ids: [own.id], scopes: ['read'] });
  const socket = await TestSharedSocket.enter(url, own.member);
  for (const { id } of [own, other]) await socket.subscribe(id);
  socket.tell({ type: 'auth', token: made.key });
  t.match(await socket.find('unsubscribed'), { board_id: other.id, ...NOT_MEMBER });
  t.match(await socket.refused({ type: 'state', board_id: own.id, state: 1 }), { code: 'forbidden' });
  await own.addLabel('seen');
  t.match(await socket.find('label.created'), { board_id: own.id });
  t.match(await socket.refused({ type: 'auth', token: (await newKey(api, await newUser(api))).key }), { code: 'forbidden' }, 'of another user');
  const from = socket.messages.length;
  socket.tell({ type: 'auth', token: own.member.token });
  await socket.find('authenticated', from);
  t.match(await socket.subscribe(other.id), { type: 'subscribed' }, 'and back');
  await revoke(own.member, made);
  await other.addLabel('still open');
  t.match(await socket.find('label.created', from), { board_id: other.id });
});
