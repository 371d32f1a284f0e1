import type { JWTPayload } from 'jose';
import t, { type Test } from 'tap';
import type { Environment } from '../../../src/settings/config.js';
import { sessionsOf, statusOf } from '../../support/http/sessions.js';
import { newRegistration, newUser, register } from '../../support/http/users.js';
import { changeUser } from '../../support/service/operator.js';
import { startFakeProvider, type FakeProvider } from '../../support/sso/fakeProvider.js';
import { CLIENT_ID } from '../../support/sso/ssoClient.js';
import { errorOf, logInAtFake, startSsoApp, whoIs, type SsoApp } from '../../support/sso/ssoApp.js';
import type { TestBrowser } from '../../support/sso/testBrowser.js';

const ANN: JWTPayload = { sub: 'ann', email: 'ann@example.org', email_verified: true, preferred_username: 'ann' };

interface Setting {
  readonly app: SsoApp;
  readonly fake: FakeProvider;
  /** The error, or null, and the browser. */
  logIn(claims: JWTPayload, query?: Record<string, string>): Promise<{ error: string | null; browser: TestBrowser }>;
}

async function start(t: Test, settings: Environment = {}): Promise<Setting> {
  const fake = await startFakeProvider(t, CLIENT_ID);
  const app = await startSsoApp(t, fake.issuer, settings);
  const logIn: Setting['logIn'] = async (claims, query = {}) => {
    const browser = app.browser();
    return { error: errorOf(await logInAtFake(fake, browser, claims, query)), browser };
  };
  return { app, fake, logIn };
}

/** A superuser on a folder where later nobody can register, or only with an invitation. */
async function startRestricted(t: Test, REGISTRATION: string): Promise<Setting & { readonly invite: (json?: object) => Promise<string> }> {
  const open = await start(t);
  const root = await newUser(open.app.api);
  await changeUser(open.app.config.dataDir, root.id, { is_superuser: true });
  await open.app.close();
  const setting = await start(t, { REGISTRATION, DATA_DIR: open.app.config.dataDir });
  const invite = async (json: object = {}): Promise<string> => {
    const { status, body } = await setting.app.api.request<{ token: string }>('POST', '/invitations', { token: root.token, json });
    if (status !== 201) throw new Error(`the invitation was refused: ${JSON.stringify(body)}`);
    return body.token;
  };
  return { ...setting, invite };
}

t.test('SSO8 whoever registered an address first does not get the login of its owner, nor the reverse', async (t) => {
  const { app, logIn } = await start(t);
  const squatter = await newUser(app.api, { email: 'ann@example.org', username: 'squatter' });
  const { error, browser } = await logIn(ANN);
  t.equal(error, 'email_taken', 'the address is verified by the provider alone');
  t.equal(await whoIs(browser), null);
  t.equal((await logIn({ ...ANN, email: 'ANN@Example.org' })).error, 'email_taken', 'in any spelling');
  t.equal(await statusOf(app.api, squatter.token), 200);

  const owner = await logIn({ ...ANN, sub: 'ben', email: 'ben@example.org', preferred_username: 'ben' });
  t.match(await whoIs(owner.browser), { email: 'ben@example.org', is_verified: true });
  for (const verified of [{}, { email_verified: false }, { email_verified: 'false' }, { email_verified: 1 }, { email_verified: null }]) {
    const claims = { sub: 'impostor', email: 'ben@example.org', ...verified };
    t.equal((await logIn(claims)).error, 'email_taken', JSON.stringify(verified));
  }
  t.equal((await logIn({ ...ANN, sub: 'successor', email: 'ben@example.org' })).error, 'email_taken', 'nor a second account of the provider');
});

t.test('SSO8 an account of another provider is linked if both have verified the address', async (t) => {
  const first = await start(t);
  const before = await whoIs((await first.logIn(ANN)).browser);
  await first.app.close();
  const second = await start(t, { DATA_DIR: first.app.config.dataDir });
  const same = await second.logIn({ ...ANN, sub: 'another subject' });
  t.equal(same.error, null);
  t.equal((await whoIs(same.browser))?.id, before?.id);
  await changeUser(second.app.config.dataDir, before?.id ?? '', { is_active: false });
  t.equal((await second.logIn({ ...ANN, sub: 'another subject' })).error, 'account_disabled');
});

t.test('SSO8 the same subject of another issuer is somebody else', async (t) => {
  const first = await start(t);
  const before = await whoIs((await first.logIn(ANN)).browser);
  await first.app.close();
  const second = await start(t, { DATA_DIR: first.app.config.dataDir });
  const other = await whoIs((await second.logIn({ ...ANN, email: 'other@example.org' })).browser);
  t.match(other, { email: 'other@example.org', username: 'ann2' });
  t.not(other?.id, before?.id);
});

t.test('SSO9 where registration is closed nobody is created, and users who are known come in', async (t) => {
  const { app, logIn, invite } = await startRestricted(t, 'closed');
  t.equal((await logIn(ANN)).error, 'registration_closed');
  t.equal((await logIn(ANN, { invitation: await invite() })).error, 'registration_closed', 'as for a registration with a password');
  await app.close();
  const open = await start(t, { DATA_DIR: app.config.dataDir });
  t.equal((await open.logIn(ANN)).error, null);
});

t.test('SSO9 a user who came in before registration was closed still comes in', async (t) => {
  const fake = await startFakeProvider(t, CLIENT_ID);
  const open = await startSsoApp(t, fake.issuer);
  t.equal(errorOf(await logInAtFake(fake, open.browser(), ANN)), null);
  await open.close();
  const closed = await startSsoApp(t, fake.issuer, { REGISTRATION: 'closed', DATA_DIR: open.config.dataDir });
  t.equal(errorOf(await logInAtFake(fake, closed.browser(), ANN)), null);
  t.equal(errorOf(await logInAtFake(fake, closed.browser(), { ...ANN, sub: 'ben', email: 'ben@example.org' })), 'registration_closed');
});

t.test('SSO9 the provider can have a registration of its own, beside that with a password', async (t) => {
  const open = await start(t, { REGISTRATION: 'closed', OIDC_REGISTRATION: 'open' });
  t.equal((await open.logIn(ANN)).error, null);
  t.match(await open.app.api.request('GET', '/auth/methods'), { body: { registration: 'closed', sso: { registration: 'open' } } });
  t.equal((await open.app.api.request('POST', '/auth/register', { json: newRegistration() })).status, 403);
  const closed = await start(t, { OIDC_REGISTRATION: 'closed' });
  t.equal((await closed.logIn(ANN)).error, 'registration_closed');
  t.match(await newUser(closed.app.api), { token: /\w/ });
});

t.test('SSO9 where registration is by invitation, the login carries one, which is used once', async (t) => {
  const { app, logIn, invite } = await startRestricted(t, 'invite');
  t.equal((await logIn(ANN)).error, 'invitation_needed');
  t.equal((await logIn(ANN, { invitation: 'swi_nonsense' })).error, 'invitation_invalid');
  const invitation = await invite();
  const people = ['ann', 'ben', 'cleo'].map((name) => ({ sub: name, email: `${name}@example.org`, email_verified: true }));
  const errors: Array<string | null> = [];
  for (const claims of people) errors.push((await logIn(claims, { invitation })).error);
  t.strictSame(errors, [null, 'invitation_invalid', 'invitation_invalid']);
  t.equal((await logIn(ANN)).error, null, 'somebody who has an account needs none');
  const { status } = await app.browser().visit(`http://boards.test/auth/sso/login?invitation=${'x'.repeat(101)}`);
  t.equal(status, 422, 'a token has a bounded length');
});

t.test('SSO9 an invitation leads onto its board', async (t) => {
  const { app, logIn } = await start(t, { INVITATIONS: 'owners' });
  const owner = await newUser(app.api);
  const { body: board } = await app.api.request<{ id: string }>('POST', '/boards', { token: owner.token, json: { title: 'Team' } });
  const { body: link } = await app.api.request<{ token: string }>('POST', '/invitations', { token: owner.token, json: { board_id: board.id } });
  const { browser } = await logIn(ANN, { invitation: link.token });
  const token = browser.cookie('svc_auth') ?? '';
  t.match(await app.api.request('GET', '/boards', { token }), { body: [{ id: board.id, role: 'member' }] });
});

t.test('SSO9 a new account needs an e-mail address', async (t) => {
  const { logIn } = await start(t);
  for (const email of [undefined, '', 'nonsense', 7]) {
    t.equal((await logIn({ sub: 'ann', ...(email === undefined ? {} : { email }) })).error, 'email_missing', String(email));
  }
});

t.test('SSO9 an account without a verified address is not verified', async (t) => {
  const { logIn } = await start(t);
  const { browser } = await logIn({ ...ANN, email_verified: false });
  t.match(await whoIs(browser), { email: 'ann@example.org', is_verified: false });
});

t.test('SSO9 a new account has no password that anybody knows', async (t) => {
  const { app, logIn } = await start(t);
  await logIn(ANN);
  for (const password of ['', 'x', 'ann', 'null', 'undefined']) {
    const { status } = await app.api.request('POST', '/auth/login', { form: { username: 'ann@example.org', password } });
    t.equal(status, 401, JSON.stringify(password));
  }
});

t.test('SSO10 the username is that of the provider, with a number if it is taken, and always a valid one', async (t) => {
  const { app, logIn } = await start(t);
  await register(app.api, { username: 'ann' });
  const cases: ReadonlyArray<readonly [JWTPayload, string | RegExp]> = [
    [{ preferred_username: 'ann' }, 'ann2'],
    [{ preferred_username: 'ANN' }, 'ANN3'],
    [{ preferred_username: 'ann@example.com' }, 'ann4'],
    [{}, 'person5'],
    [{ preferred_username: '' }, 'person6'],
    [{ preferred_username: 'a\u200bb' }, 'person7'],
    [{ preferred_username: 'pаypal' }, 'person8'],
    [{ preferred_username: '\u202eann' }, 'person9'],
    [{ preferred_username: 'x'.repeat(500) }, 'x'.repeat(40)],
    [{ preferred_username: ['ann'] }, 'person11'],
  ];
  for (const [index, [claims, expected]] of cases.entries()) {
    const { browser } = await logIn({ sub: `${index + 2}`, email: `person${index + 2}@example.org`, ...claims });
    t.match((await whoIs(browser))?.username, expected, JSON.stringify(claims));
  }
});

t.test('SSO10 names that are not valid here are left out', async (t) => {
  const { logIn } = await start(t);
  const { browser } = await logIn({ ...ANN, given_name: 'Ann\u202e', family_name: 'x'.repeat(1000) });
  t.match(await whoIs(browser), { firstname: null, lastname: null });
});

t.test('SSO11 the group decides at every login who is a superuser, and demotion ends the other sessions', async (t) => {
  const { app, logIn } = await start(t, { OIDC_SUPERUSER_GROUP: 'admins', OIDC_GROUPS_CLAIM: 'roles' });
  const admin = await logIn({ ...ANN, roles: ['users', 'admins'] });
  t.match(await whoIs(admin.browser), { is_superuser: true });
  t.match(await whoIs((await logIn({ ...ANN, roles: 'admins' })).browser), { is_superuser: true }, 'a single group as a text');
  const token = admin.browser.cookie('svc_auth') ?? '';
  t.equal((await app.api.request('GET', '/admin/users', { token })).status, 200);
  const demoted = await logIn({ ...ANN, roles: ['users', 'Admins', 'admins2'] });
  t.match(await whoIs(demoted.browser), { is_superuser: false });
  t.equal(await whoIs(admin.browser), null, 'the sessions with the former rank have ended');
  t.equal((await sessionsOf(app.api, demoted.browser.cookie('svc_auth') ?? '')).length, 1);
  t.match(await whoIs((await logIn({ ...ANN, roles: ['admins'] })).browser), { is_superuser: true }, 'and back');
  t.match(await whoIs((await logIn(ANN)).browser), { is_superuser: false }, 'no groups are no membership');
});

t.test('SSO11 without the setting the provider decides nothing, and others keep their rank with it', async (t) => {
  const { app, logIn } = await start(t);
  const { browser } = await logIn({ ...ANN, groups: ['admins'] });
  const ann = await whoIs(browser);
  t.match(ann, { is_superuser: false });
  await changeUser(app.config.dataDir, ann?.id ?? '', { is_superuser: true });
  t.match(await whoIs((await logIn({ ...ANN, groups: [] })).browser), { is_superuser: true });

  const other = await start(t, { OIDC_SUPERUSER_GROUP: 'admins' });
  const root = await newUser(other.app.api);
  await changeUser(other.app.config.dataDir, root.id, { is_superuser: true });
  await other.logIn(ANN);
  const form = { username: root.email, password: root.password };
  const { body } = await other.app.api.request<{ access_token: string }>('POST', '/auth/login', { form });
  t.match(await other.app.api.request('GET', '/auth/me', { token: body.access_token }), { body: { is_superuser: true } });
});

t.test('SSO8 a deactivated user does not come in', async (t) => {
  const { app, logIn } = await start(t);
  const { browser } = await logIn(ANN);
  const ann = await whoIs(browser);
  await changeUser(app.config.dataDir, ann?.id ?? '', { is_active: false });
  const again = await logIn(ANN);
  t.equal(again.error, 'account_disabled');
  t.equal(await whoIs(again.browser), null);
  t.equal(await whoIs(browser), null);
});
