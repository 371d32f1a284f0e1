/** Sockets and streams of sessions. */
import t, { type Test } from 'tap';
import { TestEventStream } from '../support/realtime/eventStream.js';
import { RealtimeBoard } from '../support/realtime/realtimeBoard.js';
import { TestSharedSocket } from '../support/realtime/sharedSocket.js';
import { TestSocket, type SocketOptions } from '../support/realtime/socket.js';
import { logInPair, refresh, type Pair } from '../support/http/sessions.js';
import { tokenFor } from '../support/http/tokens.js';
import { newUser, type TestUser } from '../support/http/users.js';
import { startTestApp, type TestApp } from '../support/service/app.js';
import { changeUser } from '../support/service/operator.js';

const shared = await startTestApp(t);

const ENDED = { code: 1008, reason: 'The session has ended' };

interface Clients {
  readonly socket: TestSocket;
  readonly several: TestSharedSocket;
  readonly stream: TestEventStream;
}

async function connectAll(board: RealtimeBoard, user: TestUser, token: string): Promise<Clients> {
  const socket = await board.join(user, { token });
  const several = await TestSharedSocket.enter(board.app.url, { token });
  await several.subscribe(board.id);
  const stream = await TestEventStream.open(board.app.url, board.id, { token });
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

t.test('SESS15 sockets and streams are closed with 1008 when their session ends', async (t) => {
  const board = await RealtimeBoard.on(shared);
  const { api, config } = shared;
  const { member } = board;
  const witness = await connectAll(board, member, member.token);
  const asMember = { token: member.token };
  const [sid] = (await api.request<{ id: string }[]>('GET', '/auth/sessions', asMember)).body.map(({ id }) => id);
  const ends: Record<string, (pair: Pair) => Promise<unknown>> = {
    logout: ({ access_token: token }) => api.request('POST', '/auth/logout', { token }),
    'from another session': async () => {
      const sessions = (await api.request<{ id: string }[]>('GET', '/auth/sessions', asMember)).body;
      for (const { id } of sessions) if (id !== sid) await api.request('DELETE', `/auth/sessions/${id}`, asMember);
    },
    'all others': () => api.request('DELETE', '/auth/sessions', asMember),
    reuse: async ({ refresh_token }) => {
      const { body } = await refresh(api, refresh_token);
      await refresh(api, body.refresh_token);
      t.equal((await refresh(api, refresh_token)).status, 401);
    },
    'a new password': async () => {
      const json = { current_password: member.password, new_password: member.password };
      t.equal((await api.request('POST', '/auth/change-password', { ...asMember, json })).status, 200);
    },
  };
  for (const [name, end] of Object.entries(ends)) {
    const pair = await logInPair(api, member);
    const clients = await connectAll(board, member, pair.access_token);
    await end(pair);
    t.strictSame(await closings(clients), [ENDED, ENDED, ENDED], name);
    await expectOpen(t, board, witness);
  }
  const { owner } = board;
  const old = await connectAll(board, owner, await tokenFor(config, owner, 60));
  await api.request('DELETE', '/auth/sessions', { token: owner.token });
  t.strictSame(await closings(old), [ENDED, ENDED, ENDED], 'a token without a session');
  await expectOpen(t, board, witness);
  await changeUser(config.dataDir, member.id, { hashed_password: 'x' });
  t.strictSame(await closings(witness), [ENDED, ENDED, ENDED], 'a new password by the operator');
});

t.test('SESS15 sockets and streams stay open when their session is refreshed', async (t) => {
  const lifetime = 6;
  const app = await startTestApp(t, { JWT_LIFETIME_SECONDS: String(lifetime) });
  const { member, ...rest } = await RealtimeBoard.on(app);
  const board = await boardOf(app, member, rest.id);
  const [kept, lapsing] = [await logInPair(app.api, member), await logInPair(app.api, member)];
  const issuedAt = Date.now();
  const keptClients = await connectAll(board, member, kept.access_token);
  const lapsingClients = await connectAll(board, member, lapsing.access_token);
  // Times of tokens are whole seconds: the new one must end in a later second.
  await reached(issuedAt + 4_000);
  t.equal((await refresh(app.api, kept.refresh_token)).status, 200);
  const expired = { code: 1008, reason: 'The token expired' };
  t.strictSame(await closings(lapsingClients), [expired, expired, expired], 'without a refresh');
  await expectOpen(t, board, keptClients);
  t.strictSame(await closings(keptClients), [expired, expired, expired], 'until the new token expires too');
  t.ok(Date.now() >= issuedAt + (lifetime + 2) * 1000, 'later than the first');
});

t.test('SESS15 auth on a socket for several boards takes over the session of the new token', async (t) => {
  const board = await RealtimeBoard.on(shared);
  const { member } = board;
  const [first, second] = [await logInPair(shared.api, member), await logInPair(shared.api, member)];
  const socket = await TestSharedSocket.enter(shared.url, { token: first.access_token });
  const from = socket.messages.length;
  socket.tell({ type: 'auth', token: second.access_token });
  await socket.find('authenticated', from);
  await shared.api.request('POST', '/auth/logout', { token: first.access_token });
  t.match(await socket.refused({ type: 'auth', token: first.access_token }), { code: 'unauthenticated' }, 'an ended one is refused');
  t.match(await socket.subscribe(board.id), { type: 'subscribed' }, 'the end of the first session does not close it');
  await shared.api.request('POST', '/auth/logout', { token: second.access_token });
  t.match(await socket.closed, ENDED);
});

const NOWHERE = 'garbage';

t.test('SESS17 a socket takes its credential from the parameter, the header, the protocol or the cookie', async (t) => {
  const board = await RealtimeBoard.on(shared);
  const { member, owner } = board;
  const header = (token: string) => ({ authorization: `Bearer ${token}` });
  const cookie = (token: string) => ({ cookie: `svc_auth=${token}`, origin: shared.url });
  const expect = async (name: string, user: TestUser | null, options: Partial<SocketOptions>): Promise<string> => {
    const socket = await TestSocket.open(shared.url, board.id, { token: null, ...options });
    if (user === null) t.match(await socket.closed, { code: 1008 }, name);
    else t.match(await socket.find('user_joined'), { user_id: user.id }, name);
    await socket.close();
    const several = await TestSharedSocket.openShared(shared.url, { token: null, ...options });
    if (user === null) t.match(await several.closed, { code: 1008 }, `${name}: several boards`);
    else t.match(await several.find('authenticated'), {}, `${name}: several boards`);
    await several.close();
    t.equal(several.protocol(), socket.protocol());
    return socket.protocol();
  };
  await expect('the parameter', member, { token: member.token });
  await expect('the header', member, { headers: header(member.token) });
  const protocol = `bearer.${member.token}`;
  t.equal(await expect('the protocol', member, { protocols: [protocol] }), protocol);
  t.equal(await expect('the protocol among others', member, { protocols: ['boards', protocol] }), protocol, 'it is selected');
  await expect('the cookie', member, { headers: cookie(member.token) });
  await expect('none', null, {});
  const others = { headers: { ...header(NOWHERE), ...cookie(NOWHERE) }, protocols: [`bearer.${NOWHERE}`] };
  t.equal(await expect('the parameter first', owner, { token: owner.token, ...others }), `bearer.${NOWHERE}`, 'the offered one');
  await expect('a wrong parameter', null, { token: NOWHERE, headers: { ...header(member.token), ...cookie(member.token) } });
  await expect('then the header', owner, { ...others, headers: { ...header(owner.token), ...cookie(NOWHERE) } });
  await expect('a wrong header', null, { headers: { ...header(NOWHERE), ...cookie(member.token) }, protocols: [protocol] });
  await expect('a header of another scheme', member, { headers: { ...cookie(member.token), authorization: 'Basic YTpi' } });
  await expect('then the protocol', owner, { protocols: [`bearer.${owner.token}`], headers: cookie(NOWHERE) });
  await expect('a wrong protocol', null, { protocols: [`bearer.${NOWHERE}`], headers: cookie(member.token) });
  t.equal(await expect('another protocol', member, { token: member.token, protocols: ['boards'] }), 'boards');
});

t.test('SESS17 a socket takes the cookie only if its page is ours or of a listed origin', async (t) => {
  const admitted = async (app: TestApp, headers: Record<string, string>): Promise<boolean> => {
    const user = await newUser(app.api);
    const socket = await TestSharedSocket.openShared(app.url, { token: null, headers: { cookie: `svc_auth=${user.token}`, ...headers } });
    const result = await Promise.race([
      socket.find('authenticated').then(
        () => true,
        () => false,
      ),
      socket.closed.then(() => false),
    ]);
    await socket.close();
    return result;
  };
  const evil = 'https://evil.example';
  const listed = 'https://boards.example.org';
  const wildcard = await startTestApp(t, { CORS_ORIGINS: '*' });
  t.equal(await admitted(wildcard, { origin: wildcard.url }), true, 'our own page');
  t.equal(await admitted(wildcard, { origin: evil }), false, 'the wildcard admits no cookie');
  t.equal(await admitted(wildcard, { origin: 'null' }), false);
  t.equal(await admitted(wildcard, {}), false, 'no page');
  const named = await startTestApp(t, { CORS_ORIGINS: listed });
  t.equal(await admitted(named, { origin: listed }), true, 'a listed page');
  t.equal(await admitted(named, { origin: evil, host: 'evil.example' }), true, 'without PUBLIC_URL the requested address counts');
  const own = 'https://boards.example.net';
  const placed = await startTestApp(t, { CORS_ORIGINS: listed, PUBLIC_URL: `${own}/` });
  t.equal(await admitted(placed, { origin: own }), true, 'PUBLIC_URL');
  t.equal(await admitted(placed, { origin: listed }), true);
  for (const origin of [evil, 'http://boards.example.net', `${own}:8443`, `${own}.evil.example`]) {
    t.equal(await admitted(placed, { origin, host: new URL(origin).host }), false, `${origin}, whatever Host says`);
  }
  t.equal(await admitted(placed, { origin: placed.url }), false, 'not the address that it listens on');
});

t.test('SESS17 with PUBLIC_URL the Host header makes no request our own', async (t) => {
  const { api } = await startTestApp(t, { PUBLIC_URL: 'https://boards.example.net' });
  const { token } = await newUser(api);
  const status = async (origin: string): Promise<number> =>
    (await api.request('DELETE', '/auth/sessions', { headers: { cookie: `svc_auth=${token}`, origin } })).status;
  t.equal(await status('https://boards.example.net'), 204);
  t.equal(await status(api.url), 401);
});

/** A board object whose requests use a token that outlives the test. */
async function boardOf(app: TestApp, member: TestUser, boardId: string): Promise<RealtimeBoard> {
  const fresh = await RealtimeBoard.on(app);
  const token = await tokenFor(app.config, member, 600);
  return Object.assign(Object.create(fresh) as RealtimeBoard, { id: boardId, owner: { ...member, token } });
}

async function reached(time: number): Promise<void> {
  while (Date.now() < time) await new Promise((resolve) => setTimeout(resolve, time - Date.now()));
}
