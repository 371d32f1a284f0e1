import t from 'tap';
import { sessionsOf } from '../../support/http/sessions.js';
import { startTestApp } from '../../support/service/app.js';
import { startOidcProvider } from '../../support/sso/oidcProvider.js';
import { beginLogin, errorOf, logInAt, PUBLIC_URL, startSsoApp, whoIs } from '../../support/sso/ssoApp.js';

const ANN = {
  email: 'ann@example.org',
  email_verified: true,
  preferred_username: 'ann',
  given_name: 'Ann',
  family_name: 'Ott',
} as const;

t.test('SSO2 a login leads to the provider with state, nonce and PKCE, and back with a session in cookies', async (t) => {
  const provider = await startOidcProvider(t, PUBLIC_URL);
  provider.accounts.set('1', ANN);
  const app = await startSsoApp(t, provider.issuer);
  const browser = app.browser();
  const start = await beginLogin(browser, { return_to: '/app/boards/1?card=2#top' });
  const query = Object.fromEntries(new URL(start).searchParams);
  t.match(query, { response_type: 'code', client_id: 'boards', scope: 'openid email profile', code_challenge_method: 'S256' });
  t.equal(query['redirect_uri'], `${PUBLIC_URL}/auth/sso/callback`);
  for (const name of ['state', 'nonce', 'code_challenge']) t.match(query[name], /^[\w-]{43}$/, name);
  const again = new URL(await beginLogin(app.browser())).searchParams;
  for (const name of ['state', 'nonce', 'code_challenge']) t.not(query[name], again.get(name), `a new ${name} for each login`);

  const back = await browser.visit(await provider.logIn(browser, start, '1'));
  t.equal(back.status, 302);
  t.equal(back.location, `${PUBLIC_URL}/app/boards/1?card=2#top`);
  t.match(await whoIs(browser), { ...pick(ANN), is_verified: true, is_superuser: false, is_active: true });
  const cookies = back.headers.getSetCookie();
  t.match(
    cookies.find((line) => line.startsWith('svc_auth=')),
    /; Path=\/; HttpOnly; SameSite=Lax; Max-Age=3600$/,
  );
  t.equal(cookies.filter((line) => /^svc_refresh=.*; Path=(?:\/api)?\/auth\/refresh; HttpOnly; SameSite=Strict/.test(line)).length, 2);
  t.equal(browser.cookie('svc_sso_login'), undefined, 'the pending login is cleared');
});

function pick({ email, preferred_username: username, given_name: firstname, family_name: lastname }: typeof ANN): object {
  return { email, username, firstname, lastname };
}

t.test('SSO2 the session is listed with its device, and can be refreshed and ended like any other', async (t) => {
  const provider = await startOidcProvider(t, PUBLIC_URL);
  provider.accounts.set('1', ANN);
  const { api, ...app } = await startSsoApp(t, provider.issuer);
  const browser = app.browser();
  const callback = await provider.logIn(browser, await beginLogin(browser), '1');
  await browser.visit(callback, { headers: { 'user-agent': 'A browser' } });
  const token = browser.cookie('svc_auth') ?? '';
  t.match(await sessionsOf(api, token), [{ device: 'A browser', address: '127.0.0.1', current: true }]);
  const refreshed = await browser.visit(`${PUBLIC_URL}/auth/refresh`, { method: 'POST', json: {} });
  t.equal(refreshed.status, 200);
  const [session] = await sessionsOf(api, token);
  t.equal((await api.request('DELETE', `/auth/sessions/${session?.id ?? ''}`, { token })).status, 204);
  t.equal(await whoIs(browser), null);
});

t.test('SSO2 the login page learns who can register and whether there is single sign-on', async (t) => {
  const without = await startTestApp(t, { REGISTRATION: 'closed' });
  t.match(await without.api.request('GET', '/auth/methods'), { status: 200, body: { registration: 'closed', mail: false, sso: null } });
  for (const path of ['/auth/sso/login', '/auth/sso/callback?state=a&code=b']) {
    t.match(await without.api.request('GET', path), { status: 404, body: { detail: 'Single sign-on is not configured' } });
  }
  const provider = await startOidcProvider(t, PUBLIC_URL);
  const { api } = await startSsoApp(t, provider.issuer, { OIDC_BUTTON_TEXT: 'With Example', REGISTRATION: 'invite' });
  const sso = { button_text: 'With Example', login_path: '/auth/sso/login', registration: 'invite' };
  t.strictSame((await api.request('GET', '/auth/methods')).body, {
    registration: 'invite',
    mail: false,
    public_url: PUBLIC_URL,
    needs_https: false,
    invitations: 'superusers',
    setup: 'open',
    sso,
  });
});

t.test('SSO8 a second login finds the same user, whatever the provider says of them by now', async (t) => {
  const provider = await startOidcProvider(t, PUBLIC_URL);
  provider.accounts.set('1', ANN);
  const app = await startSsoApp(t, provider.issuer);
  const [first, second] = [app.browser(), app.browser()];
  await logInAt(provider, first, '1');
  provider.accounts.set('1', { email: 'other@example.org', preferred_username: 'other' });
  await logInAt(provider, second, '1');
  t.match(await whoIs(first), { email: ANN.email });
  t.strictSame(await whoIs(second), await whoIs(first));
});

t.test('SSO4 a login that the user breaks off ends at the login page', async (t) => {
  const provider = await startOidcProvider(t, PUBLIC_URL);
  const app = await startSsoApp(t, provider.issuer);
  const browser = app.browser();
  const refused = await browser.visit(await provider.refuse(browser, await beginLogin(browser)));
  t.equal(errorOf(refused), 'cancelled');
  t.equal(await whoIs(browser), null);
  t.equal(provider.redemptions(), 0);
});

t.test('SSO4 an answer of the provider works once, also with the cookies of the browser', async (t) => {
  const provider = await startOidcProvider(t, PUBLIC_URL);
  provider.accounts.set('1', ANN);
  const app = await startSsoApp(t, provider.issuer);
  const browser = app.browser();
  const callback = await provider.logIn(browser, await beginLogin(browser), '1');
  const thief = browser.copy();
  const both = await Promise.all([browser.visit(callback), thief.visit(callback)]);
  t.strictSame(both.map(errorOf).sort(), ['expired', null], 'of two at the same time one');
  t.equal(errorOf(await thief.visit(callback)), 'expired', 'and nobody later');
  t.equal(provider.redemptions(), 1, 'the provider is asked once');
});

t.test('SSO13 logging out answers where to log out of the provider, and there the session ends too', async (t) => {
  const provider = await startOidcProvider(t, PUBLIC_URL);
  provider.accounts.set('1', ANN);
  const app = await startSsoApp(t, provider.issuer);
  const browser = app.browser();
  await logInAt(provider, browser, '1');
  const headers = { 'sec-fetch-site': 'same-origin' };
  const out = await browser.visit(`${PUBLIC_URL}/auth/logout`, { method: 'POST', headers });
  t.equal(out.status, 200);
  const { detail, logout_url } = JSON.parse(out.text) as { detail: string; logout_url: string };
  t.equal(detail, 'Successfully logged out');
  const url = new URL(logout_url);
  t.equal(url.origin, provider.issuer);
  t.match(Object.fromEntries(url.searchParams), { id_token_hint: /^[\w-]+\.[\w-]+\.[\w-]+$/, post_logout_redirect_uri: `${PUBLIC_URL}/app/login` });
  const page = await browser.visit(logout_url);
  t.equal(page.status, 200, 'the provider accepts the token and the address');
  t.match(page.text, /xsrf/i, 'and asks for a click');
  t.equal(browser.cookie('svc_sso'), undefined);
  t.equal(await whoIs(browser), null);
});

t.test('SSO13 a session that began otherwise has nothing to log out of', async (t) => {
  const provider = await startOidcProvider(t, PUBLIC_URL);
  provider.accounts.set('1', ANN);
  const app = await startSsoApp(t, provider.issuer);
  const browser = app.browser();
  await logInAt(provider, browser, '1');
  const registration = { email: 'ben@example.org', username: 'ben', password: 'correct horse battery staple' };
  await app.api.request('POST', '/auth/register', { json: registration });
  const form = { username: registration.email, password: registration.password };
  const { body } = await app.api.request<{ access_token: string }>('POST', '/auth/login', { form });
  const headers = { cookie: `svc_sso=${browser.cookie('svc_sso') ?? ''}` };
  const out = await app.api.request('POST', '/auth/logout', { token: body.access_token, headers });
  t.strictSame(out.body, { detail: 'Successfully logged out' }, 'not with the cookie of another session either');
});
