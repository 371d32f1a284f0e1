import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { Api } from '../../support/http/api.js';
import { newUser } from '../../support/http/users.js';
import { logLines } from '../../support/service/logLines.js';
import { MODULES, ServiceProcess } from '../../support/service/serviceProcess.js';
import { startFakeProvider } from '../../support/sso/fakeProvider.js';
import { CLIENT_ID, CLIENT_SECRET } from '../../support/sso/ssoClient.js';
import { beginLogin, callbackFor, errorOf, logInAtFake, PUBLIC_URL, startSsoApp } from '../../support/sso/ssoApp.js';
import { temporaryFolder } from '../../support/store/folder.js';
import { until } from '../../support/until.js';

const ANN = { sub: 'ann', email: 'ann@example.org', email_verified: true };
const DISCOVERY = '/.well-known/openid-configuration';

t.test('SSO13 a provider that is away stops neither the start nor other logins', async (t) => {
  const fake = await startFakeProvider(t, CLIENT_ID);
  fake.answers.set(DISCOVERY, (_request, response) => response.destroy());
  const { api, ...app } = await startSsoApp(t, fake.issuer);
  const answer = await api.request('GET', '/auth/sso/login');
  t.match(answer, { status: 503, body: { detail: 'The provider of single sign-on cannot be reached. Try again.' } });
  t.equal(answer.headers.get('retry-after'), '5');
  t.match(await newUser(api), { token: /\w/ }, 'a password still works');
  t.match(await api.request('GET', '/auth/methods'), { body: { sso: { login_path: '/auth/sso/login' } } });
  fake.answers.delete(DISCOVERY);
  const browser = app.browser();
  let status = 503;
  const isBack = async (): Promise<boolean> => ({ status } = await browser.visit(`${PUBLIC_URL}/auth/sso/login`)).status !== 503;
  await until(isBack, () => status, 100);
  t.equal(status, 302, 'it is found when it is back');
});

t.test('SSO13 a provider that goes away during a login leads to the login page', async (t) => {
  const fake = await startFakeProvider(t, CLIENT_ID);
  const app = await startSsoApp(t, fake.issuer);
  fake.answers.set('/token', (_request, response) => response.destroy());
  t.equal(errorOf(await logInAtFake(fake, app.browser(), ANN)), 'unavailable');
});

t.test('SSO13 a logout does not fail because the provider is away', async (t) => {
  const fake = await startFakeProvider(t, CLIENT_ID);
  const first = await startSsoApp(t, fake.issuer);
  const browser = first.browser();
  await logInAtFake(fake, browser, ANN);
  await first.close();
  fake.answers.set(DISCOVERY, (_request, response) => response.destroy());
  const second = await startSsoApp(t, fake.issuer, { DATA_DIR: first.config.dataDir });
  const headers = { cookie: `svc_sso=${browser.cookie('svc_sso') ?? ''}` };
  const out = await second.api.request('POST', '/auth/logout', { token: browser.cookie('svc_auth') ?? '', headers });
  t.match(out, { status: 200, body: { detail: 'Successfully logged out' } });
});

t.test('SSO13 a token that is too large for a cookie is left out of the logout', async (t) => {
  const fake = await startFakeProvider(t, CLIENT_ID);
  fake.metadata = { end_session_endpoint: `${fake.issuer}/logout` };
  const app = await startSsoApp(t, fake.issuer);
  const browser = app.browser();
  t.equal(errorOf(await logInAtFake(fake, browser, { ...ANN, groups: Array.from({ length: 200 }, (_, index) => `group ${index}`) })), null);
  const { status, text } = await browser.visit(`${PUBLIC_URL}/auth/logout`, { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } });
  t.equal(status, 200);
  const url = new URL((JSON.parse(text) as { logout_url: string }).logout_url);
  t.strictSame([...url.searchParams.keys()].sort(), ['client_id', 'post_logout_redirect_uri']);
});

t.test('LOG1 no log line has a secret of a login: code, state, nonce, tokens, cookies, the secret of the client', async (t) => {
  const fake = await startFakeProvider(t, CLIENT_ID);
  const lines = logLines();
  const app = await startSsoApp(t, fake.issuer, { LOG_LEVEL: 'trace' }, lines.log);
  const secrets: string[] = [CLIENT_SECRET];
  const sign = fake.sign;
  fake.sign = async (claims) => {
    const token = await sign(claims);
    secrets.push(token);
    return token;
  };
  const attempt = async (claims: typeof fake.claims): Promise<string | null> => {
    const browser = app.browser();
    fake.claims = claims;
    const start = await beginLogin(browser);
    const { searchParams } = new URL(start);
    secrets.push(...['state', 'nonce', 'code_challenge'].map((name) => searchParams.get(name) ?? ''));
    secrets.push(browser.cookie('svc_sso_login') ?? '');
    const error = errorOf(await browser.visit(callbackFor(start)));
    secrets.push(browser.cookie('svc_auth') ?? '', browser.cookie('svc_refresh') ?? '', browser.cookie('svc_sso') ?? '');
    return error;
  };
  t.equal(await attempt(ANN), null);
  t.equal(await attempt({ ...ANN, aud: 'another' }), 'failed');
  t.equal(await attempt({ ...ANN, nonce: 'another' }), 'failed');
  fake.answers.set('/token', (_request, response) => {
    response
      .writeHead(400, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error: 'invalid_grant', error_description: secrets.at(-1) }));
  });
  t.equal(await attempt(ANN), 'failed');
  await app.close();
  const refusals = lines.lines().filter(({ msg }) => msg === 'a login through the provider was refused');
  t.equal(refusals.length, 3, 'the operator learns of refusals');
  t.match(JSON.stringify(refusals), /invalid_grant/);
  const known = secrets.filter((secret) => secret !== '');
  t.ok(known.length > 20, `${known.length} secrets`);
  for (const secret of known) t.notOk(lines.text().includes(secret), `${secret.slice(0, 8)}…`);
});

t.test('the library is loaded with the first login, and never without the setting', async (t) => {
  const hooks = t.testdir({
    'register.mjs': `import { register } from 'node:module'; register('./hook.mjs', import.meta.url);`,
    'hook.mjs': `import { appendFileSync } from 'node:fs';
      export async function resolve(specifier, context, next) {
        if (specifier === 'openid-client') appendFileSync(new URL('./loaded.txt', import.meta.url), 'loaded');
        return next(specifier, context);
      }`,
  });
  const isLoaded = (): boolean => existsSync(join(hooks, 'loaded.txt')) && readFileSync(join(hooks, 'loaded.txt'), 'utf8') !== '';
  const NODE_OPTIONS = `--import ${pathToFileURL(join(hooks, 'register.mjs')).href}`;
  const visit = async (settings: Record<string, string>): Promise<number> => {
    const DATA_DIR = await temporaryFolder(t);
    const service = await ServiceProcess.start({ DATA_DIR, SHARDS: '2', SHARD_THREADS: '1', NODE_OPTIONS, ...settings }, MODULES);
    t.teardown(() => service.kill());
    const api = await Api.connect(service.url);
    t.equal((await api.request('GET', '/auth/methods')).status, 200);
    t.equal(isLoaded(), false, 'not at the start');
    const { status } = await fetch(`${service.url}/auth/sso/login`, { redirect: 'manual' });
    await service.stop();
    return status;
  };
  t.equal(await visit({}), 404);
  t.equal(isLoaded(), false);
  const fake = await startFakeProvider(t, CLIENT_ID);
  t.equal(await visit({ PUBLIC_URL, OIDC_ISSUER: fake.issuer, OIDC_CLIENT_ID: CLIENT_ID }), 302);
  t.equal(isLoaded(), true);
});
