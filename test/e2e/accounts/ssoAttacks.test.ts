import { SignJWT, generateKeyPair, type JWTPayload } from 'jose';
import t, { type Test } from 'tap';
import { PendingLogins, PENDING_SECONDS } from '../../../src/auth/sso/pendingLogin.js';
import { startFakeProvider, type FakeProvider } from '../../support/sso/fakeProvider.js';
import { CLIENT_ID, CLIENT_SECRET } from '../../support/sso/ssoClient.js';
import { beginLogin, callbackFor, errorOf, logInAtFake, PUBLIC_URL, startSsoApp, whoIs, type SsoApp } from '../../support/sso/ssoApp.js';

const ANN: JWTPayload = { sub: 'ann', email: 'ann@example.org', email_verified: true };

async function start(t: Test, settings: Record<string, string> = {}): Promise<{ app: SsoApp; fake: FakeProvider }> {
  const fake = await startFakeProvider(t, CLIENT_ID);
  fake.claims = ANN;
  return { fake, app: await startSsoApp(t, fake.issuer, settings) };
}

const redemptions = ({ requests }: FakeProvider): number => requests.filter((path) => path === '/token').length;

t.test('SSO4 after a login the browser goes to a page of ours and nowhere else', async (t) => {
  const { app } = await start(t);
  const hostile = [
    'https://evil.example',
    'http://boards.test/app/',
    '//evil.example',
    '//evil.example/app/',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/app\\..\\..\\evil.example',
    '/app/../..//evil.example',
    '/app/..//evil.example',
    '/app/%2e%2e//evil.example',
    '/app/.',
    '/./app/',
    '/app/\t/evil',
    '\t//evil.example',
    '/app/\n',
    '/app/\r\nSet-Cookie: a=b',
    '/app/\u0000',
    ' /app/',
    '/app/ ',
    'javascript:alert(1)',
    'data:text/html,x',
    'app/',
    '',
    '/apple',
    '/auth/logout',
    '/api/auth/me',
    '/application/',
    '?a',
    '#a',
    '/app@evil.example',
    '@evil.example',
    'http:/evil.example',
    'http:evil.example',
    '/app/é',
    `/app/${'a'.repeat(300)}`,
  ];
  for (const return_to of hostile) {
    const { status, location } = await app.browser().visit(`${PUBLIC_URL}/auth/sso/login?${new URLSearchParams({ return_to }).toString()}`);
    t.strictSame({ status, location }, { status: 422, location: null }, JSON.stringify(return_to));
  }
  t.match(await app.api.request('GET', '/auth/sso/login?return_to=//evil'), { body: { detail: /^return_to: must be \/ or a path below \/app\// } });
});

t.test('SSO4 the pages to which a browser returns', async (t) => {
  const { app, fake } = await start(t);
  for (const return_to of ['/', '/app', '/app/', '/app/boards/1?a=b&c=//d#e', '/app/%2f%2fevil.example', '/app//x']) {
    const { location } = await logInAtFake(fake, app.browser(), ANN, { return_to });
    t.equal(location, PUBLIC_URL + return_to);
    t.equal(new URL(location ?? '').origin, PUBLIC_URL);
  }
  t.equal((await logInAtFake(fake, app.browser(), ANN)).location, `${PUBLIC_URL}/app/`, 'without a wish');
});

t.test('SSO4 the answer for one browser is of no use in another', async (t) => {
  const { app, fake } = await start(t);
  const [attacker, victim] = [app.browser(), app.browser()];
  const callback = callbackFor(await beginLogin(attacker));
  t.equal(errorOf(await victim.visit(callback)), 'expired', 'the victim began no login');
  await beginLogin(victim);
  t.equal(errorOf(await victim.visit(callback)), 'expired', 'nor this one');
  t.equal(await whoIs(victim), null);
  t.equal(redemptions(fake), 0, 'the provider was not asked');
  t.equal(errorOf(await attacker.visit(callback)), null, 'the attacker can use it');
});

t.test('SSO4 a pending login ends after ten minutes, and only ours count', async (t) => {
  const { app, fake } = await start(t);
  const pending = new PendingLogins(app.config.jwtSecret, fake.issuer);
  const login = { state: 'a state', nonce: 'a nonce', verifier: 'v'.repeat(43), returnTo: '/app/', invitation: null };
  const visit = (cookie: string) => {
    const browser = app.browser();
    browser.setCookie('boards.test', '/auth/sso/callback', 'svc_sso_login', cookie);
    return browser.visit(`${PUBLIC_URL}/auth/sso/callback?${new URLSearchParams({ state: login.state, code: login.nonce }).toString()}`);
  };
  const ago = (seconds: number): Date => new Date(Date.now() - seconds * 1000);
  t.equal(errorOf(await visit(pending.seal(login, ago(PENDING_SECONDS + 1)))), 'expired');
  t.equal(errorOf(await visit(new PendingLogins('another secret', fake.issuer).seal(login, new Date()))), 'expired', 'sealed by another');
  t.equal(
    errorOf(await visit(new PendingLogins(app.config.jwtSecret, 'https://other.example.org').seal(login, new Date()))),
    'expired',
    'for another provider',
  );
  for (const nonsense of ['', 'x', 'x'.repeat(100), JSON.stringify(login)]) t.equal(errorOf(await visit(nonsense)), 'expired');
  t.equal(redemptions(fake), 0);
  t.equal(errorOf(await visit(pending.seal(login, ago(PENDING_SECONDS - 60)))), null, 'in time');
});

t.test('SSO4 a spent login stays spent after a restart, and another instance can finish a pending one', async (t) => {
  const fake = await startFakeProvider(t, CLIENT_ID);
  fake.claims = ANN;
  const first = await startSsoApp(t, fake.issuer);
  const browser = first.browser();
  const callback = callbackFor(await beginLogin(browser));
  const thief = browser.copy();
  const cookie = thief.cookie('svc_sso_login') ?? '';
  t.equal(errorOf(await browser.visit(callback)), null);
  const patient = first.browser();
  const later = callbackFor(await beginLogin(patient));
  await first.close();
  const second = await startSsoApp(t, fake.issuer, { DATA_DIR: first.config.dataDir });
  const late = second.browser();
  late.setCookie('boards.test', '/auth/sso/callback', 'svc_sso_login', cookie);
  t.equal(errorOf(await late.visit(callback)), 'expired');
  late.setCookie('boards.test', '/auth/sso/callback', 'svc_sso_login', patient.cookie('svc_sso_login') ?? '');
  t.equal(errorOf(await late.visit(later)), null);
});

t.test('SSO6 a token that is not for this login is refused', async (t) => {
  const { app, fake } = await start(t, { OIDC_SUPERUSER_GROUP: 'admins' });
  fake.metadata = { id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'] };
  const right = fake.sign;
  const stranger = await generateKeyPair('RS256');
  const unsigned = (claims: JWTPayload): string =>
    `${[{ alg: 'none' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`;
  const now = Math.floor(Date.now() / 1000);
  const wrong: Readonly<Record<string, Partial<FakeProvider>>> = {
    'another nonce': { claims: { ...ANN, nonce: 'another' } },
    'no nonce': { sign: ({ nonce: _nonce, ...claims }) => right(claims) },
    'another audience': { claims: { ...ANN, aud: 'another client' } },
    'several audiences and another party': { claims: { ...ANN, aud: [CLIENT_ID, 'another'], azp: 'another' } },
    'another issuer': { claims: { ...ANN, iss: 'https://evil.example' } },
    'an expired token': { claims: { ...ANN, iat: now - 7200, exp: now - 3600 } },
    'no expiry': { sign: ({ exp: _exp, ...claims }) => right(claims) },
    'no subject': { sign: ({ sub: _sub, ...claims }) => right(claims) },
    'an overlong subject': { claims: { ...ANN, sub: 'a'.repeat(256) } },
    'no signature': { sign: async (claims) => unsigned(claims) },
    'a signature of a stranger': {
      sign: (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(stranger.privateKey),
    },
    'a shared secret instead of a signature': {
      sign: (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(CLIENT_SECRET)),
    },
    'no token at all': { sign: async () => '' },
    nonsense: { sign: async () => 'a.b.c' },
  };
  // From networks of their own, because failures are counted.
  for (const [index, [name, changes]] of Object.entries(wrong).entries()) {
    Object.assign(fake, { claims: ANN, sign: right, ...changes });
    const browser = app.browser();
    const url = callbackFor(await beginLogin(browser));
    const visit = await browser.visit(url, { headers: { 'x-forwarded-for': `198.51.100.${index + 1}` } });
    t.equal(errorOf(visit), 'failed', name);
    t.equal(await whoIs(browser), null, name);
  }
  Object.assign(fake, { sign: right });
  t.equal(errorOf(await logInAtFake(fake, app.browser(), ANN)), null, 'the right token');
});

t.test('SSO6 a token that was issued to another client, in the future or long before the login is refused', async (t) => {
  const { app, fake } = await start(t);
  const now = Math.floor(Date.now() / 1000);
  const exp = now + 200_000;
  const wrong: readonly JWTPayload[] = [
    { azp: 'another client' },
    { azp: '' },
    { azp: [CLIENT_ID] },
    { aud: [CLIENT_ID], azp: 'another client' },
    { aud: [CLIENT_ID, 'another client'] },
    { iat: now + 86_400, exp },
    { iat: now + 600, exp },
    { iat: now - 86_400, exp },
    { iat: now - 1_800, exp },
  ];
  const attempt = async (claims: JWTPayload, index: number): Promise<string | null> => {
    fake.claims = { ...ANN, ...claims };
    const browser = app.browser();
    const url = callbackFor(await beginLogin(browser));
    return errorOf(await browser.visit(url, { headers: { 'x-forwarded-for': `198.51.100.${index + 1}` } }));
  };
  for (const [index, claims] of wrong.entries()) t.equal(await attempt(claims, index), 'failed', JSON.stringify(claims));
  const right: readonly JWTPayload[] = [
    { azp: CLIENT_ID },
    { aud: [CLIENT_ID] },
    { aud: [CLIENT_ID, 'another client'], azp: CLIENT_ID },
    { iat: now + 200, exp },
    { iat: now - 500, exp },
  ];
  for (const [index, claims] of right.entries()) t.equal(await attempt(claims, 100 + index), null, JSON.stringify(claims));
});

t.test('SSO6 an answer in the name of another issuer is refused before its code is redeemed', async (t) => {
  const { app, fake } = await start(t);
  const visit = async (changes: Record<string, string>) => {
    const browser = app.browser();
    return errorOf(await browser.visit(callbackFor(await beginLogin(browser), changes)));
  };
  t.equal(await visit({ iss: 'https://evil.example' }), 'failed');
  t.equal(redemptions(fake), 0);
  t.equal(await visit({ iss: fake.issuer }), null);
  const strict = await startFakeProvider(t, CLIENT_ID);
  strict.metadata = { authorization_response_iss_parameter_supported: true };
  const other = await startSsoApp(t, strict.issuer);
  const browser = other.browser();
  t.equal(errorOf(await browser.visit(callbackFor(await beginLogin(browser)))), 'failed', 'a provider that promises it must name itself');
});

t.test('SSO6 a provider that describes itself as another is not used', async (t) => {
  const fake = await startFakeProvider(t, CLIENT_ID);
  fake.metadata = { issuer: 'https://other.example.org' };
  const app = await startSsoApp(t, fake.issuer);
  t.match(await app.api.request('GET', '/auth/sso/login'), { status: 503 });
});

t.test('SSO6 a code that the provider refuses ends the login', async (t) => {
  const { app, fake } = await start(t);
  fake.answers.set('/token', (_request, response) => {
    response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}');
  });
  t.equal(errorOf(await logInAtFake(fake, app.browser(), ANN)), 'failed');
});

t.test('SSO14 after ten failures a network must wait, and others need not', async (t) => {
  const { app, fake } = await start(t, { OIDC_REGISTRATION: 'closed' });
  const sign = fake.sign;
  fake.sign = async () => 'a.b.c';
  const from = (address: string): { headers: { 'x-forwarded-for': string } } => ({ headers: { 'x-forwarded-for': address } });
  const attempt = async (address: string, changes: Record<string, string> = {}): Promise<string | null> => {
    const browser = app.browser();
    return errorOf(await browser.visit(callbackFor(await beginLogin(browser), changes), from(address)));
  };
  for (let count = 1; count <= 30; count += 1)
    t.equal(errorOf(await app.browser().visit(`${PUBLIC_URL}/auth/sso/callback?state=a`, from('203.0.113.1'))), 'expired');
  for (let count = 1; count <= 8; count += 1) t.equal(await attempt('203.0.113.1'), 'failed');
  t.equal(await attempt('203.0.113.1', { error: 'access_denied' }), 'cancelled');
  fake.sign = sign;
  t.equal(await attempt('203.0.113.1'), 'registration_closed');
  const asked = redemptions(fake);
  t.equal(await attempt('203.0.113.1'), 'too_many');
  const { status, headers } = await app.browser().visit(`${PUBLIC_URL}/auth/sso/login`, from('203.0.113.1'));
  t.equal(status, 429);
  t.match(headers.get('retry-after'), /^[1-9]\d?$/);
  t.equal(redemptions(fake), asked, 'the provider is not asked');
  t.equal(await attempt('203.0.113.2'), 'registration_closed');
});
