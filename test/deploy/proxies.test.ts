import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { readFile } from 'node:fs/promises';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { SETTINGS } from '../../src/settings/settings.js';
import { packagePath } from '../../src/paths.js';
import { Api } from '../support/http/api.js';
import { startTestApp, type TestApp } from '../support/service/app.js';
import { findOpenssl, makeCertificate } from '../support/http/certificates.js';
import { temporaryFolder } from '../support/store/folder.js';
import { pathOf, skipWithout } from '../support/service/programs.js';
import { TestEventStream } from '../support/realtime/eventStream.js';
import { RealtimeBoard } from '../support/realtime/realtimeBoard.js';
import { TestSharedSocket } from '../support/realtime/sharedSocket.js';
import { checkNginx, reverseProxies, type ProxyKind, type ReverseProxy } from '../support/http/reverseProxy.js';
import { register } from '../support/http/users.js';
import { until } from '../support/until.js';

const LOGIN_LIMIT = 10;
const MIB = 1024 * 1024;
/** Above the default of MAX_IMPORT_BYTES: an operator may raise it. */
const LARGE_IMPORT_BYTES = 600 * MIB;
const MAX_ATTACHMENT_BYTES = 10 * MIB;

interface Proxied {
  readonly proxy: ReverseProxy;
  /** The service, as seen through the proxy. */
  readonly app: TestApp;
}

/** Of the addresses of this machine only the first is a proxy; the others are clients. */
async function startProxied(t: Test, kind: ProxyKind): Promise<Proxied> {
  const app = await startTestApp(t, { TRUSTED_PROXIES: '127.0.0.1' });
  const proxy = await kind.start(t, app.url);
  return { proxy, app: { ...app, url: proxy.url, api: await Api.connect(proxy.url) } };
}

const [nginx, caddy] = await reverseProxies();

for (const kind of [nginx, caddy]) {
  const title = `DEPLOY1 behind ${kind.name}, as ${kind.file} sets it up, the service is the same`;
  t.test(title, { skip: skipWithout(kind.found) }, async (t) => {
    const { app, proxy } = await startProxied(t, kind);
    const board = await RealtimeBoard.on(app);

    t.test('requests and events pass', async (t) => {
      const plain = await board.join(board.owner);
      const prefixed = await board.join(board.member, { prefix: '/api' });
      const columnId = await board.addColumn('Through the proxy');
      for (const socket of [plain, prefixed]) {
        t.match(await socket.find('column.created'), { data: { id: columnId, title: 'Through the proxy' } });
      }
      const shared = await TestSharedSocket.enter(app.url, board.member);
      await shared.subscribe(board.id);
      const stream = await TestEventStream.open(app.url, board.id, board.member);
      await board.addLabel('through the proxy');
      t.match(await shared.find('label.created'), { board_id: board.id });
      t.match(await stream.event(0), { event: 'label.created' }, 'a stream is not collected');
      stream.close();
      await shared.close();
      const refused = await board.open({ token: 'nonsense' });
      t.match(await refused.closed, { code: 1008 }, 'close codes pass as well');
      await Promise.all([plain.close(), prefixed.close()]);
    });

    t.test('DEPLOY2 a file of the maximum size passes, and larger ones are refused as by the service', async (t) => {
      const cardId = await board.addCard(await board.addColumn());
      const upload = async (size: number): Promise<{ status: number; body: unknown }> => {
        const form = new FormData();
        form.set('file', new Blob([new Uint8Array(size)]), 'zeros.bin');
        const headers = { authorization: `Bearer ${board.owner.token}` };
        const path = `${app.url}/cards/${cardId}/attachments`;
        const response = await fetch(path, { method: 'POST', headers, body: form });
        return { status: response.status, body: await response.json() };
      };
      t.match(await upload(MAX_ATTACHMENT_BYTES), { status: 201, body: { size: MAX_ATTACHMENT_BYTES } });
      const detail = new RegExp(String(MAX_ATTACHMENT_BYTES));
      t.match(await upload(MAX_ATTACHMENT_BYTES + 1), { status: 400, body: { detail } }, 'one byte more');
      const far = await upload(12 * MIB);
      if (kind === caddy) t.match(far, { status: 400, body: { detail } }, 'far more is left to the service');
      else t.match(far, { status: 413, body: { detail: 'The request is too large' } }, 'far more is stopped');
    });

    t.test('DEPLOY2 an import of any allowed size passes the proxy', async (t) => {
      for (const path of ['/boards/import', '/api/boards/import']) {
        const headers = { 'content-type': 'application/json', 'content-length': LARGE_IMPORT_BYTES };
        const sent = request(`${app.url}${path}`, { method: 'POST', headers, agent: false });
        sent.write('{');
        const [response] = (await once(sent, 'response')) as [IncomingMessage];
        // A proxy with a limit would answer itself, with 413.
        t.equal(response.statusCode, 401, path);
        // The rest is never sent; the request ends that way.
        sent.on('error', () => undefined).destroy();
      }
    });

    t.test('DEPLOY6 wrong passwords count for the address of the client, not of the proxy', async (t) => {
      const user = await register(app.api);
      const guess = (from: string, login: string, password: string, claims = ''): Promise<number> =>
        logInFrom(from, app.url, login, password, claims);
      for (let failure = 0; failure < LOGIN_LIMIT; failure += 1) {
        const status = await guess('127.0.0.2', `nobody-${failure}@example.org`, 'wrong', `192.0.2.${failure}`);
        t.equal(status, 401, `failure ${failure + 1}, with a forged address`);
      }
      t.equal(await guess('127.0.0.2', user.email, user.password, '192.0.2.99'), 429);
      t.equal(await guess('127.0.0.3', user.email, user.password), 200, 'other clients are not affected');
    });

    t.test('DEPLOY4 with the service away the proxy answers for it, and no log contains a token', async (t) => {
      await app.close();
      const response = await fetch(`${app.url}/health`);
      t.match(response, { status: 503 });
      t.equal(response.headers.get('content-type'), 'application/json');
      t.equal(response.headers.get('retry-after'), '1');
      t.match(await response.json(), { detail: /\w/ });
      const socket = new WebSocket(`${app.url.replace('http', 'ws')}/ws/boards/${board.id}?token=${board.owner.token}`);
      await t.rejects(once(socket, 'open'), /503/, 'a socket is refused');
      const shared = new WebSocket(`${app.url.replace('http', 'ws')}/ws?token=${board.owner.token}`);
      await t.rejects(once(shared, 'open'), /503/);

      const logged = await logAfter(proxy, app.url);
      t.match(logged, `/ws/boards/${board.id}`, 'sockets are in the log');
      for (const { token } of [board.owner, board.member]) {
        t.notMatch(logged, token.split('.')[2] ?? '', 'their tokens are not');
      }
    });
  });
}

t.test('DEPLOY2 the limits of nginx.conf fit the defaults of the service', async (t) => {
  const text = await readFile(packagePath('deploy', nginx.file), 'utf8');
  const most = Number(/client_max_body_size (\d+)m;/.exec(text)?.[1]) * MIB;
  const largest = Number(SETTINGS.maxAttachmentBytes.default);
  t.ok(most >= largest + MIB / 2, 'bodies may be larger than attachments, which are sent in forms', { most, largest });
  const patience = Number(/proxy_read_timeout (\d+)s;/.exec(text)?.[1]);
  const { heartbeatIntervalSeconds, pongTimeoutSeconds } = SETTINGS;
  const silence = Number(heartbeatIntervalSeconds.default) + Number(pongTimeoutSeconds.default);
  t.ok(patience > silence, 'a quiet board is not cut off', { patience, silence });
});

const openssl = await findOpenssl();
const both = { skip: skipWithout(nginx.found) || skipWithout(openssl) };
t.test('DEPLOY1 nginx accepts nginx.conf with HTTPS', both, async (t) => {
  const certificate = await makeCertificate(pathOf(openssl), await temporaryFolder(t), 'nginx');
  t.match(await checkNginx(t, pathOf(nginx.found), certificate), /syntax is ok[^]*test is successful/);
});

/** Connections leave from the given address of this machine. */
async function logInFrom(localAddress: string, url: string, username: string, password: string, claims: string): Promise<number> {
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    ...(claims === '' ? {} : { 'x-forwarded-for': claims }),
  };
  const sent = request(`${url}/auth/login`, { method: 'POST', localAddress, headers, agent: false });
  sent.end(new URLSearchParams({ username, password }).toString());
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode ?? 0;
}

/** The log once it contains a later request, and so all earlier ones. */
async function logAfter(proxy: ReverseProxy, url: string): Promise<string> {
  await fetch(`${url}/last-request`);
  return until(
    async () => {
      const logged = await proxy.logged();
      return logged.includes('/last-request') && logged;
    },
    () => proxy.logged(),
  );
}
