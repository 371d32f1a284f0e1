import { SignJWT, UnsecuredJWT, decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose';
import t from 'tap';
import { operations } from '../../src/api/operations/table.js';
import type { PublicUser } from '../../src/domain/account/user.js';
import type { ApiResponse } from '../support/http/api.js';
import { startTestApp } from '../support/service/app.js';
import { changeUser, hashOf } from '../support/service/operator.js';
import { sendRaw } from '../support/http/rawHttp.js';
import { rawRequest } from '../support/http/rawRequest.js';
import { expectRefusal } from '../support/http/refusals.js';
import { logIn, newUser } from '../support/http/users.js';

const SECRET = 'a secret for tests, long enough for production';
const PRODUCTION = {
  ENVIRONMENT: 'production',
  HOST: '127.0.0.1',
  JWT_SECRET: SECRET,
  CORS_ORIGINS: 'https://boards.example.org',
};

const { api, config } = await startTestApp(t);

function now(): number {
  return Math.floor(Date.now() / 1000);
}

function sign(claims: JWTPayload, { secret = SECRET, alg = 'HS256' } = {}): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg }).sign(new TextEncoder().encode(secret));
}

function cookiesOf({ headers }: ApiResponse): string[] {
  return headers.getSetCookie();
}

t.test('TOK1 a token contains its user, audience, session and times', async (t) => {
  const settings = { JWT_SECRET: SECRET, JWT_LIFETIME_SECONDS: '120', JWT_ALGORITHM: 'HS384' };
  const { api, config } = await startTestApp(t, settings);
  const before = now();
  const { id, token } = await newUser(api);
  t.equal(decodeProtectedHeader(token).alg, 'HS384');
  const { sub, aud, iat = 0, exp, sid, ...others } = decodeJwt(token);
  t.strictSame({ sub, aud, others }, { sub: id, aud: [config.jwtAudience], others: {} });
  t.equal((await api.request<{ id: string }[]>('GET', '/auth/sessions', { token })).body[0]?.id, sid, 'and its session');
  t.ok(iat >= before && iat <= now(), 'issued now');
  t.equal(exp, iat + 120);
});

t.test('AUTH11 a token that the service did not issue, or that has expired, is refused', async (t) => {
  const { api, config } = await startTestApp(t, { JWT_SECRET: SECRET });
  const { id, token } = await newUser(api);
  const good = { sub: id, aud: [config.jwtAudience], iat: now(), exp: now() + 60 };
  const pattern = await api.request('GET', '/auth/me', { token: await sign(good) });
  t.equal(pattern.status, 200, 'the token that the others are made from is valid');

  const [header = '', payload = '', signature = ''] = token.split('.');
  const { exp: _exp, ...endless } = good;
  const longer = Buffer.from(JSON.stringify({ ...good, exp: now() + 9999 })).toString('base64url');
  const tokens: Record<string, string> = {
    nothing: '',
    word: 'garbage',
    dots: '..',
    'alg none': new UnsecuredJWT(good).encode(),
    'alg none with our signature': `${new UnsecuredJWT(good).encode()}${signature}`,
    'without a signature': `${header}.${payload}.`,
    'another key': await sign(good, { secret: `${SECRET}!` }),
    'an empty key byte': await sign(good, { secret: '\0' }),
    'another algorithm': await sign(good, { alg: 'HS512' }),
    'another audience': await sign({ ...good, aud: ['other'] }),
    'one audience too many': await sign({ ...good, aud: [config.jwtAudience, 'other'] }),
    'no audience': await sign({ sub: id, exp: good.exp }),
    'no expiry': await sign(endless),
    'an expiry that is no number': await sign({ ...good, exp: '9999999999' as unknown as number }),
    'from the future': await sign({ ...good, iat: now() + 600 }),
    'not yet valid': await sign({ ...good, nbf: now() + 600 }),
    'a subject who does not exist': await sign({ ...good, sub: '11111111-1111-4111-8111-111111111111' }),
    'a subject who is no id': await sign({ ...good, sub: "' OR 1=1 --" }),
    'no subject': await sign({ aud: good.aud, exp: good.exp }),
    'other claims under our signature': `${header}.${longer}.${signature}`,
    'another spelling of our token': `${token}=`,
    'our token and more': `${token}.${signature}`,
    'an overlong one': 'a'.repeat(3500),
    'half base64, half not': `${header}.${payload}.é`,
  };
  for (const [name, bad] of Object.entries(tokens)) {
    for (const line of [`Authorization: Bearer ${bad}`, `Cookie: svc_auth=${bad}`]) {
      const { status, headers, body } = await sendRaw(api.url, rawRequest('GET /auth/me', [line]));
      t.equal(status, 401, `${name}: ${line.slice(0, 6)}`);
      t.ok(
        headers.some(([header, value]) => header === 'www-authenticate' && value === 'Bearer'),
        name,
      );
      t.type((JSON.parse(body.toString()) as { detail: unknown }).detail, 'string', name);
    }
  }
  const expired = await sign({ ...good, iat: now() - 120, exp: now() - 60 });
  expectRefusal(t, await api.request('GET', '/auth/me', { token: expired }), 401, 'The token has expired');
  expectRefusal(t, await api.request('GET', '/auth/me'), 401, 'Not authenticated');
});

t.test('AUTH13 only one Bearer header is a credential; another scheme or a second header is not', async (t) => {
  const { token } = await newUser(api);
  const statusWith = async (...lines: string[]): Promise<number> => (await sendRaw(api.url, rawRequest('GET /auth/me', lines))).status;
  t.equal(await statusWith(`authorization: bearer  ${token}`), 200, 'the scheme is read in any case');
  const others = [`Basic ${token}`, token, 'Bearer', 'Bearer ', `Bearer ${token} x`, `Bearer Bearer ${token}`];
  for (const value of [...others, `Bearer\t${token}`]) {
    t.equal(await statusWith(`Authorization: ${value}`), 401, value.replace(token, 'TOKEN'));
  }
  t.equal(await statusWith(`Authorization: Bearer ${token}`, 'Authorization: Bearer x'), 401, 'two headers');
});

t.test('AUTH13 the cookie is a credential, and a Bearer header takes precedence', async (t) => {
  const [ann, bob] = [await newUser(api), await newUser(api)];
  const whoami = async (headers: Record<string, string>): Promise<unknown> => {
    const { status, body } = await api.request<PublicUser>('GET', '/auth/me', { headers });
    return status === 200 ? body.id : status;
  };
  t.equal(await whoami({ cookie: `svc_auth=${ann.token}` }), ann.id);
  t.equal(await whoami({ cookie: `a=b; svc_auth=${ann.token}; c; =; ;;` }), ann.id, 'among others, and broken ones');
  t.equal(await whoami({ cookie: `svc_auth="${ann.token}"` }), ann.id, 'in quotes');
  t.equal(await whoami({ cookie: `svc_auth=${ann.token}; svc_auth=x` }), ann.id, 'the first of its name');
  const cookie = `svc_auth=${ann.token}`;
  t.equal(await whoami({ cookie, authorization: `Bearer ${bob.token}` }), bob.id, 'the header wins');
  for (const wrong of ['Bearer x', 'Bearer']) {
    t.equal(await whoami({ cookie, authorization: wrong }), 401, 'even when it is wrong');
  }
  t.equal(await whoami({ cookie, authorization: 'Basic YTpi' }), ann.id, 'a header of another scheme is ignored');
  for (const bad of ['svc_auth', 'svc_auth=', '=', `svc_auths=${ann.token}`, `SVC_AUTH=${ann.token}`, `x=${cookie}`]) {
    t.equal(await whoami({ cookie: bad }), 401, bad.replace(ann.token, 'TOKEN'));
  }
  const patched = await api.request<PublicUser>('PATCH', '/auth/me', {
    headers: { cookie: `svc_auth=${ann.token}` },
    json: { firstname: 'Ann' },
  });
  t.equal(patched.body.firstname, 'Ann', 'it is accepted for changes too');
});

t.test('AUTH14 login sets the cookies, and logout clears them', async (t) => {
  const { email, password } = await newUser(api);
  const form = { username: email, password };
  const login = await api.request<{ access_token: string; refresh_token: string }>('POST', '/auth/login', { form });
  const { access_token: token, refresh_token: refresh } = login.body;
  const days30 = 30 * 86_400;
  t.strictSame(cookiesOf(login), [
    `svc_auth=${token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=3600`,
    `svc_refresh=${refresh}; Path=/auth/refresh; HttpOnly; SameSite=Strict; Max-Age=${days30}`,
    `svc_refresh=${refresh}; Path=/api/auth/refresh; HttpOnly; SameSite=Strict; Max-Age=${days30}`,
  ]);
  const logout = await api.request('POST', '/auth/logout', { headers: { cookie: `svc_auth=${token}` } });
  t.equal(logout.status, 200);
  t.strictSame(logout.body, { detail: 'Successfully logged out' });
  t.strictSame(cookiesOf(logout), [
    'svc_auth=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0',
    'svc_refresh=; Path=/auth/refresh; HttpOnly; SameSite=Strict; Max-Age=0',
    'svc_refresh=; Path=/api/auth/refresh; HttpOnly; SameSite=Strict; Max-Age=0',
  ]);
  expectRefusal(t, await api.request('POST', '/auth/logout'), 401, 'Not authenticated', 'without a login');
});

t.test('AUTH14 in bearer mode the service sets no cookie but accepts one', async (t) => {
  const { api } = await startTestApp(t, { AUTH_MODE: 'bearer' });
  const { email, password, token } = await newUser(api);
  t.strictSame(cookiesOf(await api.request('POST', '/auth/login', { form: { username: email, password } })), []);
  const logout = await api.request('POST', '/auth/logout', { headers: { cookie: `svc_auth=${token}` } });
  t.equal(logout.status, 200);
  t.strictSame(cookiesOf(logout), []);
});

/** Of a refresh cookie in production. */
const STRICT = /^svc_refresh=.*; HttpOnly; SameSite=Strict; .*; Secure$/;

t.test('AUTH14 in production the cookie is Secure', async (t) => {
  const { api } = await startTestApp(t, PRODUCTION);
  const { email, password, token } = await newUser(api);
  const login = await api.request('POST', '/auth/login', { form: { username: email, password } });
  t.match(cookiesOf(login), [/; Path=\/; HttpOnly; SameSite=Lax; Max-Age=3600; Secure$/, STRICT, STRICT]);
  const logout = await api.request('POST', '/auth/logout', { token });
  t.match(cookiesOf(logout), [/^svc_auth=; .*; Secure$/, STRICT, STRICT]);
});

t.test('AUTH17 a deactivated user is refused everywhere at once, until activated and logged in again', async (t) => {
  const [user, other] = [await newUser(api), await newUser(api)];
  t.equal((await api.request('GET', '/auth/me', { token: user.token })).status, 200, 'valid and cached');
  await changeUser(config.dataDir, user.id, { is_active: false });
  for (const { method, path, access } of operations) {
    if (access === 'public') continue;
    const response = await api.request(method, path.replace(/\{\w+\}/g, user.id), { token: user.token });
    expectRefusal(t, response, 401, 'The user is unknown or deactivated', `${method} ${path}`);
  }
  const byCookie = await api.request('GET', '/auth/me', { headers: { cookie: `svc_auth=${user.token}` } });
  t.equal(byCookie.status, 401, 'the cookie');
  const login = await api.request('POST', '/auth/login', { form: { username: user.email, password: user.password } });
  t.equal(login.status, 401, 'login');
  const seen = await api.request<PublicUser>('GET', `/users/${user.id}`, { token: other.token });
  t.equal(seen.body.is_active, false, 'others see it');

  await changeUser(config.dataDir, user.id, { is_active: true });
  const before = await api.request('GET', '/auth/me', { token: user.token });
  expectRefusal(t, before, 401, 'The session has ended', 'the sessions of before stay ended');
  t.ok(await logIn(api, user.email, user.password));
});

t.test('AUTH17 a promotion or a new password by the operator takes effect at once', async (t) => {
  const [ann, bob] = [await newUser(api, { password: 'ann’s' }), await newUser(api, { password: 'bob’s' })];
  await changeUser(config.dataDir, ann.id, { is_superuser: true });
  t.equal((await api.request<PublicUser>('GET', '/auth/me', { token: ann.token })).body.is_superuser, true);
  await changeUser(config.dataDir, bob.id, { hashed_password: await hashOf(config.dataDir, ann.id) });
  t.ok(await logIn(api, bob.email, ann.password));
});
