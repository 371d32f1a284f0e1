import { decodeJwt } from 'jose';
import t from 'tap';
import { RefreshLimits } from '../../src/auth/guessing/refreshLimits.js';
import { RefreshTokens } from '../../src/auth/refreshTokens.js';
import { sessionOperations } from '../../src/api/operations/accounts/sessions.js';
import type { Services } from '../../src/api/operation/operation.js';
import type { ApiResponse } from '../support/http/api.js';
import { startEdge } from '../support/http/edge.js';
import { expectRefusal } from '../support/http/refusals.js';
import { logInPair, refresh, sessionsOf, statusOf, type Pair } from '../support/http/sessions.js';
import { tokenFor } from '../support/http/tokens.js';
import { newUser } from '../support/http/users.js';
import { startTestApp } from '../support/service/app.js';
import { changeUser } from '../support/service/operator.js';

const { api, config } = await startTestApp(t);

const REFUSED = 'The refresh token is invalid, expired or was used before';
const ENDED = 'The session has ended';

function cookiesOf({ headers }: ApiResponse): string[] {
  return headers.getSetCookie();
}

function sidOf(token: string): unknown {
  return decodeJwt(token)['sid'];
}

t.test('SESS1 a login begins a session, which is listed with device, address and times', async (t) => {
  const user = await newUser(api);
  const before = Date.now();
  const device = 'A browser '.repeat(40);
  const { access_token: token, refresh_token } = await logInPair(api, user, { 'user-agent': device });
  t.match(refresh_token, /^swr_[0-9a-f-]{36}\.1\.[\w-]{43}$/);
  const [first, second, ...others] = await sessionsOf(api, token);
  t.strictSame([others, first?.current, second?.current], [[], false, true], 'oldest first');
  t.match(second, { id: sidOf(token), device: device.slice(0, 200), address: '127.0.0.1' });
  t.ok(Date.parse(second?.created_at ?? '') >= before);
  t.equal(second?.last_seen, second?.created_at);
  t.equal(Date.parse(second?.expires_at ?? '') - Date.parse(second?.created_at ?? ''), 30 * 86_400_000);
  const elsewhere = await sessionsOf(api, (await newUser(api)).token);
  t.equal(elsewhere.length, 1, 'nobody sees those of others');
});

t.test('SESS1 the id of a session is never taken from the request', async (t) => {
  const user = await newUser(api);
  const planted = await logInPair(api, user);
  const cookie = `svc_auth=${planted.access_token}; svc_refresh=${planted.refresh_token}`;
  const later = await logInPair(api, user, { cookie });
  t.not(sidOf(later.access_token), sidOf(planted.access_token));
});

t.test('SESS2 a refresh answers new tokens of the same session', async (t) => {
  const user = await newUser(api);
  const login = await logInPair(api, user);
  const { status, body } = await refresh(api, login.refresh_token);
  t.equal(status, 200);
  t.match(body.refresh_token, /^swr_[0-9a-f-]{36}\.2\./);
  t.equal(sidOf(body.access_token), sidOf(login.access_token));
  for (const token of [body.access_token, login.access_token]) t.equal(await statusOf(api, token), 200, 'both are good');
  t.equal((await refresh(api, body.refresh_token)).status, 200, 'and so on');
  t.equal((await sessionsOf(api, body.access_token)).length, 2, 'no session more than the two logins');
});

t.test('SESS2 an access token does not outlive its session', async (t) => {
  const { api } = await startTestApp(t, { SESSION_LIFETIME_DAYS: '1', JWT_LIFETIME_SECONDS: '864000' });
  const { iat = 0, exp } = decodeJwt((await newUser(api)).token);
  t.equal(exp, iat + 86_400);
});

t.test('SESS3 two refreshes at the same time get the same pair', async (t) => {
  const { refresh_token } = await logInPair(api, await newUser(api));
  const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(api, refresh_token)));
  const [first] = answers;
  for (const { status, body } of answers) {
    t.equal(status, 200);
    t.strictSame(body, first?.body);
  }
  t.equal((await refresh(api, first?.body.refresh_token ?? '')).status, 200);
});

t.test('SESS3 reuse of an older refresh token ends the session', async (t) => {
  const user = await newUser(api);
  const stolen = await logInPair(api, user);
  const second = (await refresh(api, stolen.refresh_token)).body;
  const third = (await refresh(api, second.refresh_token)).body;
  t.match(await refresh(api, stolen.refresh_token), { status: 401, body: { detail: REFUSED, reason: 'reused' } });
  for (const { refresh_token } of [third, second]) t.equal((await refresh(api, refresh_token)).status, 401, 'nobody can refresh');
  for (const { access_token } of [stolen, second, third]) t.equal(await statusOf(api, access_token), 401, 'nor go on');
  t.equal(await statusOf(api, user.token), 200, 'other sessions of the user live on');
});

t.test('SESS2 a refresh token that was not issued is refused', async (t) => {
  const user = await newUser(api);
  const { refresh_token: good, access_token } = await logInPair(api, user);
  const other = (await logInPair(api, await newUser(api))).refresh_token;
  const [head = '', generation = '', mac = ''] = good.split('.');
  const [otherHead = '', , otherMac = ''] = other.split('.');
  const foreign = new RefreshTokens('another secret').issue({ id: head.slice(4), generation: 1 });
  const bad: Record<string, string> = {
    empty: '',
    'a word': 'garbage',
    'an access token': access_token,
    'another generation': `${head}.2.${mac}`,
    'a later spelling of the generation': `${head}.01.${mac}`,
    'the session of another user': `${otherHead}.${generation}.${mac}`,
    'the MAC of another user': `${head}.${generation}.${otherMac}`,
    'no MAC': `${head}.${generation}.`,
    'a MAC with another end': `${head}.${generation}.${mac.slice(0, -1)}${mac.endsWith('A') ? 'B' : 'A'}`,
    'another spelling of the MAC': `${good}=`,
    'capital letters': `swr_${head.slice(4).toUpperCase()}.${generation}.${mac}`,
    'another secret': foreign,
    'a session that does not exist': new RefreshTokens(config.jwtSecret).issue({ id: '11111111-1111-4111-8111-111111111111', generation: 1 }),
  };
  for (const [name, token] of Object.entries(bad)) expectRefusal(t, await refresh(api, token), 401, REFUSED, name);
  t.equal((await api.request('POST', '/auth/refresh', { json: { refresh_token: 'x'.repeat(1025) } })).status, 422);
  t.equal((await api.request('POST', '/auth/refresh', { json: { refresh_token: 1 } })).status, 422);
  expectRefusal(t, await api.request('POST', '/auth/refresh', { json: {} }), 401, REFUSED, 'none');
  t.equal((await api.request('GET', '/auth/me', { token: good })).status, 401, 'it is no access token');
  t.equal((await refresh(api, good)).status, 200, 'the session is unharmed');
});

t.test('SESS2 a refresh token is refused when its session has ended', async (t) => {
  const user = await newUser(api);
  const { refresh_token, access_token: token } = await logInPair(api, user);
  t.equal((await api.request('POST', '/auth/logout', { token })).status, 200);
  expectRefusal(t, await refresh(api, refresh_token), 401, REFUSED);
});

t.test('SESS2 who comes back with a refresh token learns why the session ended', async (t) => {
  const user = await newUser(api);
  const { access_token: token } = await logInPair(api, user);
  const elsewhere = await logInPair(api, user);
  const ended = (await sessionsOf(api, token)).at(-1);
  t.equal((await api.request('DELETE', `/auth/sessions/${ended?.id}`, { token })).status, 204);
  t.match(await refresh(api, elsewhere.refresh_token), { status: 401, body: { detail: REFUSED, reason: 'ended' } });
  const before = await logInPair(api, user);
  const passwords = { current_password: user.password, new_password: 'another passphrase of mine' };
  t.equal((await api.request('POST', '/auth/change-password', { token, json: passwords })).status, 200);
  t.match(await refresh(api, before.refresh_token), { status: 401, body: { detail: REFUSED, reason: 'password' } });
  const [id = '', generation = ''] = before.refresh_token.split('.');
  expectRefusal(t, await refresh(api, `${id}.${generation}.${'A'.repeat(43)}`), 401, REFUSED, 'not to who made the token up');
});

t.test('SESS6 in cookie mode the cookie refreshes, and is replaced', async (t) => {
  const { refresh_token } = await logInPair(api, await newUser(api));
  const headers = { cookie: `svc_refresh=${refresh_token}` };
  for (const path of ['/auth/refresh', '/api/auth/refresh']) {
    const answer = await api.request<Pair>('POST', path, { json: {}, headers });
    t.equal(answer.status, 200);
    const { access_token, refresh_token } = answer.body;
    t.match(cookiesOf(answer), [
      `svc_auth=${access_token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=3600`,
      `svc_refresh=${refresh_token}; Path=/auth/refresh; HttpOnly; SameSite=Strict; Max-Age=259`,
      `svc_refresh=${refresh_token}; Path=/api/auth/refresh; HttpOnly; SameSite=Strict; Max-Age=259`,
    ]);
  }
  const wrong = await api.request('POST', '/auth/refresh', { json: {}, headers: { cookie: 'svc_refresh=x' } });
  expectRefusal(t, wrong, 401, REFUSED);
  t.match(cookiesOf(wrong), [/^svc_auth=; .*Max-Age=0$/, /^svc_refresh=; .*Max-Age=0$/, /^svc_refresh=; .*Max-Age=0$/], 'cleared');
  const both = await api.request('POST', '/auth/refresh', { json: { refresh_token: 'x' }, headers });
  t.strictSame([both.status, cookiesOf(both)], [401, []], 'the body comes first, and does not clear the cookies of the browser');
});

t.test('SESS6 a foreign page can neither use nor set the cookie', async (t) => {
  const { refresh_token } = await logInPair(api, await newUser(api));
  const cookie = `svc_refresh=${refresh_token}`;
  for (const site of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }, {}]) {
    const headers = { origin: 'https://evil.example', ...site };
    const used = await api.request('POST', '/auth/refresh', { json: {}, headers: { cookie, ...headers } });
    t.strictSame([used.status, cookiesOf(used)], [401, []], 'not used, and not cleared');
    const planted = await api.request('POST', '/auth/refresh', { json: { refresh_token }, headers });
    t.strictSame([planted.status, cookiesOf(planted)], [200, []], 'no session of the attacker is planted');
  }
  const form = { 'content-type': 'text/plain' };
  const simple = await api.request('POST', '/auth/refresh', { body: '{}', headers: { cookie, ...form } });
  t.equal(simple.status, 415, 'a request without a preflight');
});

t.test('SESS6 in bearer mode no cookie is set', async (t) => {
  const { api } = await startTestApp(t, { AUTH_MODE: 'bearer' });
  const { refresh_token } = await logInPair(api, await newUser(api));
  const answer = await refresh(api, refresh_token);
  t.strictSame([answer.status, cookiesOf(answer)], [200, []]);
});

t.test('SESS7 logout ends its session at once', async (t) => {
  const user = await newUser(api);
  const { access_token: token } = await logInPair(api, user);
  t.equal(await statusOf(api, token), 200);
  await api.request('POST', '/auth/logout', { token });
  expectRefusal(t, await api.request('GET', '/auth/me', { token }), 401, ENDED);
  expectRefusal(t, await api.request('POST', '/auth/logout', { token }), 401, ENDED);
  t.equal(await statusOf(api, user.token), 200, 'and no other');
});

t.test('SESS7 sessions are ended one by one, or all others', async (t) => {
  const user = await newUser(api);
  const logins = [await logInPair(api, user), await logInPair(api, user)];
  const tokens = logins.map(({ access_token }) => access_token);
  for (const token of tokens) t.equal(await statusOf(api, token), 200, 'valid and cached');
  const end = (id: unknown, token = user.token) => api.request('DELETE', `/auth/sessions/${String(id)}`, { token });
  t.equal((await end(sidOf(tokens[0] ?? ''))).status, 204);
  t.strictSame(await Promise.all(tokens.map((token) => statusOf(api, token))), [401, 200]);
  expectRefusal(t, await end(sidOf(tokens[0] ?? '')), 404, 'Session not found', 'again');
  const stranger = await newUser(api);
  expectRefusal(t, await end(sidOf(user.token), stranger.token), 404, 'Session not found', 'of another user');
  t.equal((await end('x')).status, 422);
  t.equal((await api.request('DELETE', '/auth/sessions', { token: user.token })).status, 204);
  t.strictSame(await Promise.all([...tokens, user.token, stranger.token].map((token) => statusOf(api, token))), [401, 401, 200, 200]);
  t.strictSame(
    (await sessionsOf(api, user.token)).map(({ id, current }) => [id, current]),
    [[sidOf(user.token), true]],
  );
  t.equal((await end(sidOf(user.token))).status, 204, 'also its own');
  t.equal(await statusOf(api, user.token), 401);
});

t.test('SESS8 a new password ends all other sessions at once', async (t) => {
  const user = await newUser(api);
  const other = await logInPair(api, user);
  const old = await tokenFor(config, user, 60);
  for (const token of [other.access_token, old]) t.equal(await statusOf(api, token), 200, 'valid and cached');
  const json = { current_password: user.password, new_password: 'another one' };
  const changed = await api.request('POST', '/auth/change-password', { token: user.token, json });
  t.equal(changed.status, 200);
  t.equal(await statusOf(api, user.token), 200, 'its own session goes on');
  for (const token of [other.access_token, old]) expectRefusal(t, await api.request('GET', '/auth/me', { token }), 401, ENDED);
  t.equal((await refresh(api, other.refresh_token)).status, 401);
});

t.test('SESS8 a new password, a deactivation and a demotion by the operator end all sessions', async (t) => {
  const root = await newUser(api);
  await changeUser(config.dataDir, root.id, { is_superuser: true });
  const byOperator = (changes: object) => (id: string) => changeUser(config.dataDir, id, changes);
  const byApi = (verb: string) => async (id: string) => {
    t.equal((await api.request('POST', `/admin/users/${id}/${verb}`, { token: root.token })).status, 200);
  };
  const ways = {
    'a new password': byOperator({ hashed_password: 'x' }),
    'a demotion': byOperator({ is_superuser: false }),
    'a demotion by the API': byApi('demote'),
    'a deactivation': byOperator({ is_active: false }),
    'a deactivation by the API': byApi('deactivate'),
  };
  for (const [name, change] of Object.entries(ways)) {
    const user = await newUser(api);
    await changeUser(config.dataDir, user.id, { is_superuser: true });
    const { access_token, refresh_token } = await logInPair(api, user);
    t.equal(await statusOf(api, access_token), 200, `${name}: before`);
    await change(user.id);
    t.equal(await statusOf(api, access_token), 401, name);
    t.equal((await refresh(api, refresh_token)).status, 401, `${name}: refresh`);
  }
  t.equal(await statusOf(api, root.token), 200);
});

t.test('SESS8 a token without a session is good unless it is older than the last revocation', async (t) => {
  const user = await newUser(api);
  const old = await tokenFor(config, user, 60);
  t.equal(await statusOf(api, old), 200);
  t.strictSame(
    (await sessionsOf(api, old)).map(({ current }) => current),
    [false],
    'it belongs to no session',
  );
  t.equal((await api.request('DELETE', '/auth/sessions', { token: old })).status, 204, 'it can end sessions');
  t.equal(await statusOf(api, user.token), 401);
  t.equal(await statusOf(api, old), 200, 'and is still good');
  const { access_token } = await logInPair(api, user);
  t.equal((await api.request('DELETE', '/auth/sessions', { token: access_token })).status, 204);
  t.equal(await statusOf(api, old), 401, 'a session can end it');
  const logout = await tokenFor(config, await newUser(api), 60);
  t.equal((await api.request('POST', '/auth/logout', { token: logout })).status, 200);
});

t.test('SESS7 sessions, and their ends, outlive a restart', async (t) => {
  const first = await startTestApp(t);
  const user = await newUser(first.api);
  const [lasting, ended] = [await logInPair(first.api, user), await logInPair(first.api, user)];
  const old = await tokenFor(first.config, user, 60);
  await first.api.request('POST', '/auth/logout', { token: ended.access_token });
  await first.api.request('DELETE', '/auth/sessions', { token: lasting.access_token });
  await first.close();
  const { api } = await startTestApp(t, { DATA_DIR: first.config.dataDir });
  t.equal(await statusOf(api, lasting.access_token), 200);
  t.equal((await refresh(api, lasting.refresh_token)).status, 200);
  for (const token of [ended.access_token, user.token, old]) t.equal(await statusOf(api, token), 401);
  t.equal((await refresh(api, ended.refresh_token)).status, 401);
});

t.test('SESS22 an answer with a refresh token is not kept for an Idempotency-Key', async (t) => {
  const user = await newUser(api);
  const headers = { 'idempotency-key': 'the-same' };
  const [first, second] = [await logInPair(api, user, headers), await logInPair(api, user, headers)];
  t.not(first.refresh_token, second.refresh_token, 'two sessions');
  const again = async (refresh_token: string) => api.request<Pair>('POST', '/auth/refresh', { json: { refresh_token }, headers });
  const { body } = await again(first.refresh_token);
  const next = await again(body.refresh_token);
  t.match(next.body.refresh_token, /\.3\./);
  t.notOk(next.headers.has('idempotency-replayed'));
});

t.test('SESS23 refreshes of a session beyond the limit get 429 and write nothing, and other sessions go on', async (t) => {
  const user = await newUser(api);
  const other = await logInPair(api, user);
  let { refresh_token: token } = await logInPair(api, user);
  for (let count = 1; count <= 30; count += 1) {
    const { status, body } = await refresh(api, token);
    // On a slow machine some are given back meanwhile.
    if (status !== 200) return t.fail(`refresh ${count} was refused with ${status}`);
    token = body.refresh_token;
  }
  const answers = await Promise.all(Array.from({ length: 100 }, () => refresh(api, token)));
  const refused = answers.filter(({ status }) => status === 429);
  t.ok(refused.length >= 60, `${refused.length} were refused`);
  t.match(refused[0]?.headers.get('retry-after'), /^[12]$/);
  t.strictSame(cookiesOf(refused[0] ?? (await refresh(api, token))), [], 'the login goes on');
  t.equal((await refresh(api, other.refresh_token)).status, 200, 'another session of the user');
});

t.test('SESS25 a refresh token that was not issued is refused without asking the directory, and such guesses are limited', async (t) => {
  const asked: string[] = [];
  const directory = { ask: async (op: string) => void asked.push(op) } as unknown as Services['directory'];
  const services = { directory, refreshTokens: new RefreshTokens('a secret'), refreshLimits: new RefreshLimits(), now: () => new Date() };
  const { url } = await startEdge(t, sessionOperations, services);
  const guess = async (refresh_token?: string): Promise<number> => {
    const body = JSON.stringify(refresh_token === undefined ? {} : { refresh_token });
    return (await fetch(`${url}/auth/refresh`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).status;
  };
  const forged = new RefreshTokens('another secret').issue({ id: '11111111-1111-4111-8111-111111111111', generation: 1 });
  const statuses = await Promise.all(Array.from({ length: 80 }, () => guess(forged)));
  t.strictSame(statuses.sort(), [...Array<number>(60).fill(401), ...Array<number>(20).fill(429)]);
  t.equal(await guess(), 401, 'a browser without a login is no guess');
  t.strictSame(asked, []);
});
