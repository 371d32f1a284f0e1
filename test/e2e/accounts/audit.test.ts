import type { JWTPayload } from 'jose';
import t from 'tap';
import type { AuditEntry } from '../../../src/domain/audit.js';
import { auditEntries } from '../../support/http/audit.js';
import { codeOf, logInWith, turnOnFactor } from '../../support/http/secondFactor.js';
import { newUser, type TestUser } from '../../support/http/users.js';
import { startMailServer } from '../../support/mail/mailServer.js';
import { linkOf } from '../../support/mail/receivedMail.js';
import { startTestApp, type TestApp } from '../../support/service/app.js';
import { changeUser } from '../../support/service/operator.js';
import { startFakeProvider } from '../../support/sso/fakeProvider.js';
import { CLIENT_ID } from '../../support/sso/ssoClient.js';
import { errorOf, logInAtFake, startSsoApp } from '../../support/sso/ssoApp.js';
import { until } from '../../support/until.js';

async function newAdmin({ api, config }: TestApp): Promise<TestUser> {
  const admin = await newUser(api);
  await changeUser(config.dataDir, admin.id, { is_superuser: true });
  return admin;
}

/** The entries of these kinds, when there are as many as given; oldest first. */
async function entriesOf({ api }: TestApp, admin: TestUser, kinds: readonly string[], count: number): Promise<AuditEntry[]> {
  return until(async () => {
    const found = (await auditEntries(api, admin.token)).filter(({ kind, user_id }) => kinds.includes(kind) && user_id !== admin.id);
    return found.length >= count && found.reverse();
  });
}

t.test('AUDIT1 logins through a provider leave entries, also those that are refused', async (t) => {
  const fake = await startFakeProvider(t, CLIENT_ID);
  const app = await startSsoApp(t, fake.issuer, { OIDC_SUPERUSER_GROUP: 'admins' });
  const admin = await newAdmin(app);
  const known = await newUser(app.api, { email: 'ben@example.org' });
  await changeUser(app.config.dataDir, known.id, { is_verified: true });
  const logIn = async (claims: JWTPayload): Promise<string | null> => errorOf(await logInAtFake(fake, app.browser(), claims));
  const ann = { sub: 'ann', email: 'ann@example.org', email_verified: true, preferred_username: 'ann' };
  t.equal(await logIn(ann), null);
  t.equal(await logIn({ ...ann, groups: ['admins'] }), null);
  t.equal(await logIn({ sub: 'ben', email: known.email, email_verified: true }), null);
  t.equal(await logIn({ sub: 'impostor', email: known.email }), 'email_taken');
  const kinds = ['user.registered', 'login', 'user.promoted', 'sso.linked', 'login.failed'];
  const entries = await entriesOf(app, admin, kinds, 9);
  const bySso = entries.filter(({ details, kind }) => details['method'] === 'sso' || kind === 'sso.linked');
  t.match(bySso.map(({ kind, username }) => `${kind} ${username}`).sort(), [
    'login ann',
    'login ann',
    `login ${known.username}`,
    'login.failed null',
    `sso.linked ${known.username}`,
    'user.promoted ann',
    'user.registered ann',
  ]);
  t.match(
    bySso.find(({ kind }) => kind === 'login.failed'),
    { user_id: null, address: '127.0.0.1', details: { reason: 'email_taken' } },
  );
});

t.test('AUDIT1 forgotten passwords and confirmed addresses leave entries', async (t) => {
  const server = await startMailServer(t);
  const PUBLIC_URL = 'https://boards.example.org';
  const app = await startTestApp(t, { SMTP_URL: server.url, PUBLIC_URL });
  const admin = await newAdmin(app);
  const user = await newUser(app.api, { email: 'ann@example.org' });
  const factor = await turnOnFactor(app.api, user);
  const [, second] = await server.received(2);
  const verification = second?.to.includes(user.email) === true ? second : server.mails.find(({ to }) => to.includes(user.email));
  if (verification === undefined) throw new Error('no mail came');
  const verify = { token: linkOf(verification, `${PUBLIC_URL}/app/verify-email`).token };
  t.equal((await app.api.request('POST', '/auth/verify-email', { token: user.token, json: verify })).status, 200);
  await app.api.request('POST', '/auth/forgot-password', { json: { email: user.email } });
  const mails = await server.received(3);
  const link = mails.find(({ text }) => text.includes('reset-password'));
  if (link === undefined) throw new Error('no link came');
  const json = { token: linkOf(link, `${PUBLIC_URL}/app/reset-password`).token, password: 'another password' };
  t.equal((await app.api.request('POST', '/auth/reset-password', { json })).status, 200);
  t.equal((await app.api.request('POST', '/auth/reset-password', { json })).status, 403, 'once');
  const entries = await entriesOf(app, admin, ['email.verified', 'password.reset_requested', 'password.reset'], 3);
  t.strictSame(entries.map(({ kind, username }) => `${kind} ${username}`).sort(), [
    `email.verified ${user.username}`,
    `password.reset ${user.username}`,
    `password.reset_requested ${user.username}`,
  ]);
  t.strictSame(
    (await logInWith(app.api, { ...user, password: json.password })).body.second_factor,
    'required',
    'TOTP7: a new password leaves the factor on',
  );
  t.equal((await logInWith(app.api, { ...user, password: json.password }, codeOf(factor, 1))).status, 200);
});
