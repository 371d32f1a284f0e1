import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { PublicUser } from '../../src/domain/account/user.js';
import type { Environment } from '../../src/settings/config.js';
import { auditEntries } from '../support/http/audit.js';
import type { Api, ApiResponse } from '../support/http/api.js';
import { RawConnection } from '../support/http/rawHttp.js';
import { expectRefusal } from '../support/http/refusals.js';
import { logIn, newRegistration, register, type Registration } from '../support/http/users.js';
import { startTestApp, type TestApp } from '../support/service/app.js';
import { logLines } from '../support/service/logLines.js';
import { changeUser } from '../support/service/operator.js';
import { until } from '../support/until.js';

const PRODUCTION = { ENVIRONMENT: 'production', HOST: '127.0.0.1', JWT_SECRET: 'a secret of thirty-two characters' } as const;

type Methods = { readonly setup: 'token' | 'open' | null };

/** A service whose token is in its folder. */
async function startFresh(t: Test, settings: Environment = {}): Promise<TestApp & { readonly token: string; readonly file: string }> {
  const app = await startTestApp(t, settings);
  const file = join(app.config.dataDir, 'setup-token');
  await until(() => existsSync(file));
  return { ...app, file, token: readFileSync(file, 'utf8').trim() };
}

function setUp(api: Api, fields: Partial<Registration> & { readonly token?: string }, headers = {}): Promise<ApiResponse<PublicUser>> {
  return api.request('POST', '/auth/setup', { json: { ...newRegistration(), ...fields }, headers });
}

const offered = async (api: Api): Promise<Methods['setup']> => (await api.request<Methods>('GET', '/auth/methods')).body.setup;

t.test('AUTH29 the token of the data folder makes the first superuser, once', async (t) => {
  const { api, token, file, config } = await startFresh(t, PRODUCTION);
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.equal(await offered(api), 'token', 'the login page is told');
  expectRefusal(t, await setUp(api, {}), 403, /token/);
  expectRefusal(t, await setUp(api, { token: `${token.slice(0, -1)}-` }), 403, /token/);
  expectRefusal(t, await setUp(api, { token, password: 'short' }), 422, /password/, 'a refused password uses nothing up');
  const registration = newRegistration();
  const { status, body } = await setUp(api, { ...registration, token });
  t.equal(status, 201);
  t.match(body, { username: registration.username, is_superuser: true, is_verified: false });
  t.notOk(existsSync(file), 'the token is gone');
  t.equal(await offered(api), null);
  expectRefusal(t, await setUp(api, { token }), 409, /superuser/);
  const session = await logIn(api, registration.username, registration.password);
  const [entry] = await auditEntries(api, session, '&kind=user.created');
  t.match(entry, { username: registration.username, subject_id: body.id, details: { setup: 'token', superuser: true } });
  t.notMatch(JSON.stringify(entry), token);
  t.ok(existsSync(config.dataDir));
});

t.test('AUTH29 of many requests at once one makes the superuser, and its repetition gets its answer', async (t) => {
  const { api, token } = await startFresh(t, PRODUCTION);
  const statuses = await Promise.all(Array.from({ length: 5 }, async () => (await setUp(api, { token })).status));
  t.strictSame(statuses.sort(), [201, 409, 409, 409, 409]);
  const other = await startFresh(t, PRODUCTION);
  const fields = { ...newRegistration(), token: other.token };
  const first = await setUp(other.api, fields, { 'idempotency-key': 'first' });
  const second = await setUp(other.api, fields, { 'idempotency-key': 'first' });
  t.strictSame([second.status, second.body, second.headers.get('idempotency-replayed')], [201, first.body, 'true']);
});

t.test('AUTH29 nobody becomes superuser after one is or was there, nor by a registration', async (t) => {
  const { api, token, config, close } = await startFresh(t, { ...PRODUCTION, REGISTRATION: 'open' });
  const ann = await register(api, { ...newRegistration(), is_superuser: true } as Partial<Registration>);
  t.equal(ann.is_superuser, false);
  t.equal(await offered(api), null, 'somebody has an account: the page asks for a login');
  await changeUser(config.dataDir, ann.id, { is_superuser: true });
  await changeUser(config.dataDir, ann.id, { is_superuser: false });
  expectRefusal(t, await setUp(api, { token }), 409, /superuser/);
  await close();
  const again = await startTestApp(t, { ...PRODUCTION, DATA_DIR: config.dataDir });
  expectRefusal(t, await setUp(again.api, { token }), 409, /superuser/, 'also after a restart');
  await until(() => !existsSync(join(config.dataDir, 'setup-token')));
});

t.test('AUTH29 the token outlives a restart, a spoilt one is replaced, and it is in no log', async (t) => {
  const { log, lines } = logLines();
  const { config, token, file, close, api } = await startFresh(t, PRODUCTION);
  expectRefusal(t, await setUp(api, { token: 'sws_' }), 403, /token/);
  await close();
  const second = await startTestApp(t, { ...PRODUCTION, DATA_DIR: config.dataDir, LOG_LEVEL: 'trace' }, log);
  await until(() => lines().some(({ msg }) => String(msg).includes('superuser')));
  t.equal(readFileSync(file, 'utf8').trim(), token);
  t.notMatch(JSON.stringify(lines()), token.slice(4), 'the log names the file only');
  await second.close();
  writeFileSync(file, 'spoilt');
  const third = await startTestApp(t, { ...PRODUCTION, DATA_DIR: config.dataDir });
  await until(() => readFileSync(file, 'utf8').startsWith('sws_'));
  const { status } = await setUp(third.api, { token: readFileSync(file, 'utf8').trim() });
  t.equal(status, 201);
});

t.test('AUTH29 guesses of the token are limited', async (t) => {
  const { api, token } = await startFresh(t, PRODUCTION);
  const guess = async (): Promise<number> => (await setUp(api, { token: `sws_${'x'.repeat(32)}` })).status;
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 12; attempt += 1) statuses.push(await guess());
  t.ok(statuses.includes(429), String(statuses));
  t.equal((await setUp(api, { token })).status, 429, 'also the right one from there, for a while');
});

t.test('AUTH29 in development a direct client on this machine needs no token, others do', async (t) => {
  const { api, url } = await startFresh(t);
  t.equal(await offered(api), 'open');
  const { host, port } = new URL(url);
  const body = JSON.stringify(newRegistration());
  const ask = async (headers: Readonly<Record<string, string>>): Promise<number> => {
    const connection = await RawConnection.open(url);
    t.teardown(() => connection.close());
    const all = { Host: host, 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)), ...headers };
    const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    await connection.send(`POST /auth/setup HTTP/1.1\r\n${head.join('')}\r\n${body}`);
    return (await connection.response()).status;
  };
  const foreign: ReadonlyArray<Readonly<Record<string, string>>> = [
    { Host: 'boards.example.org' },
    { Host: `rebound.example.org:${port}` },
    { Host: `127.0.0.1.example.org:${port}` },
    { Host: `localhost@example.org:${port}` },
    { Origin: 'http://evil.example' },
    { Origin: 'null' },
    { Origin: `http://localhost:${Number(port) + 1}` },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'X-Forwarded-For': '203.0.113.9' },
    { 'X-Forwarded-Host': 'boards.example.org' },
    { 'X-Forwarded-Proto': 'https' },
    { Forwarded: 'for=203.0.113.9' },
    { Via: '1.1 proxy' },
    { 'X-Real-IP': '203.0.113.9' },
  ];
  for (const headers of foreign) t.equal(await ask(headers), 403, JSON.stringify(headers));
  t.equal(await ask({ Host: `localhost:${port}`, Origin: `http://localhost:${port}`, 'Sec-Fetch-Site': 'same-origin' }), 201);
  t.equal(await ask({}), 409);
});

t.test('AUTH29 in production a client on this machine needs the token too', async (t) => {
  const { api } = await startFresh(t, PRODUCTION);
  expectRefusal(t, await setUp(api, {}), 403, /setup-token/);
});
