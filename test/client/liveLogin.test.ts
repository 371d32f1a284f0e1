/** Logins that the client renews, at a real service whose tokens are short-lived. */
import t from 'tap';
import { WebSocket } from 'ws';
import { createClient, type Client, type SocketConstructor } from '../../src/client/index.js';
import { newRegistration } from '../support/http/users.js';
import { startTestApp } from '../support/service/app.js';
import { follow, newPerson, shareBoard, until } from './people.js';

/** Renewed after three quarters of it, which leaves a slow machine some seconds. */
const LIFETIME_SECONDS = 10;

const app = await startTestApp(t, { JWT_LIFETIME_SECONDS: String(LIFETIME_SECONDS) });
const { url } = app;

/** Resolves when the tokens of now have expired. */
async function tokensExpire(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, (LIFETIME_SECONDS + 2) * 1000));
}

t.test('CLIENT50 calls and the open socket go on beyond the life of a token, without reconnecting', async (t) => {
  const ada = await newPerson(t, url);
  const { boardId } = await shareBoard(ada);
  const connection = follow(t, ada, boardId);
  await connection.ready;
  const first = ada.client.token;
  await tokensExpire();
  await ada.client.label.create({ board_id: boardId }, { name: 'late', color: 'teal' });
  await until(connection, () => connection.board?.labels.length === 1);
  t.not(ada.client.token, first);
  t.strictSame([connection.state.kind, ada.sockets.made.length], ['live', 1]);
  t.equal((await ada.client.auth.listSessions()).length, 1, 'one session all the time');
});

t.test('CLIENT52 a session that is ended elsewhere is reported once, and its connections are closed', async (t) => {
  const ada = await newPerson(t, url);
  const { boardId } = await shareBoard(ada);
  const connection = follow(t, ada, boardId);
  await connection.ready;
  const ends: unknown[] = [];
  ada.client.on('sessionEnded', (event) => ends.push(event));
  const [session] = await ada.client.auth.listSessions();
  const elsewhere = createClient({ baseUrl: url, token: ada.client.token ?? '' });
  await elsewhere.auth.endSession({ session_id: session?.id ?? '' });
  await until(connection, () => connection.state.kind === 'closed');
  await t.rejects(ada.client.board.list(), { name: 'ApiError', status: 401 });
  t.equal(ends.length, 1);
});

/** What a browser does: keeps cookies by path, and sends them and its origin. */
function browserAt(origin: string) {
  const cookies = new Map<string, { readonly value: string; readonly path: string }>();
  const header = (path: string): string =>
    [...cookies]
      .filter(([, cookie]) => path.startsWith(cookie.path))
      .map(([key, { value }]) => `${key.split(' ')[0]}=${value}`)
      .join('; ');
  const fetchWithCookies: typeof fetch = async (address, init) => {
    const headers = new Headers(init?.headers);
    headers.set('cookie', header(new URL(String(address)).pathname));
    headers.set('origin', origin);
    const response = await fetch(address, { ...init, headers });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      const path = /path=([^;]*)/i.exec(cookie)?.[1] ?? '/';
      cookies.set(`${name} ${path}`, { value, path });
    }
    return response;
  };
  const opened: string[] = [];
  class SocketWithCookies extends WebSocket {
    constructor(address: string) {
      super(address, { headers: { cookie: header('/ws'), origin } });
      opened.push(address);
    }
  }
  return { fetch: fetchWithCookies, webSocket: SocketWithCookies as unknown as SocketConstructor, opened };
}

t.test('CLIENT50 with cookies alone, calls and the open socket go on beyond the life of a token', async (t) => {
  const { opened, ...browser } = browserAt(url);
  const client: Client = createClient({ baseUrl: url, cookie: true, ...browser });
  const { email, password, ...names } = newRegistration();
  await client.auth.register({ email, password, username: names.username });
  await client.auth.login({ username: email, password });
  t.equal(client.token, null);
  const { id } = await client.board.create({ title: 'By cookie' });
  const connection = client.connect(id);
  t.teardown(() => connection.close());
  await connection.ready;
  await tokensExpire();
  await client.label.create({ board_id: id }, { name: 'late', color: 'teal' });
  await until(connection, () => connection.board?.labels.length === 1);
  t.strictSame([connection.state.kind, client.token], ['live', null]);
  t.strictSame(opened, [`${url.replace('http', 'ws')}/ws`], 'one socket, without a token in its address');
});

t.test('CLIENT50 an API key makes calls and follows boards', async (t) => {
  const ada = await newPerson(t, url);
  const { boardId } = await shareBoard(ada);
  const { key } = await ada.client.key.create({ name: 'script', scopes: ['write'], board_ids: [boardId] });
  const client = createClient({ baseUrl: url, key, webSocket: ada.sockets.constructor });
  const connection = client.connect(boardId);
  t.teardown(() => connection.close());
  await connection.ready;
  await connection.change('label.create', { board_id: boardId }, { name: 'by key', color: 'teal' });
  t.match(connection.board?.labels, [{ name: 'by key' }]);
  await t.rejects(client.board.create({ title: 'x' }), { name: 'ApiError', status: 403 });
  t.match(await ada.client.key.list(), [{ name: 'script' }]);
});
