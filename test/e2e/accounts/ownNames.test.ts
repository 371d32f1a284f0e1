import t, { type Test } from 'tap';
import type { PublicUser } from '../../../src/domain/account/user.js';
import type { Api, ApiResponse } from '../../support/http/api.js';
import { auditEntries } from '../../support/http/audit.js';
import { expectRefusal } from '../../support/http/refusals.js';
import { turnOnFactor } from '../../support/http/secondFactor.js';
import { logInPair, statusOf } from '../../support/http/sessions.js';
import { logIn, newUser, type TestUser } from '../../support/http/users.js';
import { startMailServer, type MailServer } from '../../support/mail/mailServer.js';
import { linkOf } from '../../support/mail/receivedMail.js';
import { startTestApp, type TestApp } from '../../support/service/app.js';
import { changeUser } from '../../support/service/operator.js';
import { sql } from '../../support/store/sqlFile.js';

const PUBLIC_URL = 'https://boards.example.org';
const VERIFY_PAGE = `${PUBLIC_URL}/app/verify-email`;

interface Changed {
  readonly user: PublicUser;
  readonly is_pending: boolean;
}

const changeEmail = (api: Api, { token, password }: TestUser, fields: object, headers = {}): Promise<ApiResponse<Changed>> =>
  api.request('POST', '/auth/change-email', { token, json: { current_password: password, ...fields }, headers });

const changeUsername = (api: Api, { token, password }: TestUser, fields: object): Promise<ApiResponse<PublicUser>> =>
  api.request('POST', '/auth/change-username', { token, json: { current_password: password, ...fields } });

async function withMail(t: Test): Promise<{ readonly app: TestApp; readonly server: MailServer }> {
  const server = await startMailServer(t);
  return { app: await startTestApp(t, { SMTP_URL: server.url, PUBLIC_URL }), server };
}

t.test('AUTH8 a user changes the username with the password, and boards show it', async (t) => {
  const { api, config } = await startTestApp(t);
  const [ann, ben] = [await newUser(api), await newUser(api)];
  const { body: board } = await api.request<{ id: string }>('POST', '/boards', { token: ann.token, json: { title: 'Plans' } });
  expectRefusal(t, await changeUsername(api, ann, { username: 'ann-2', current_password: 'wrong' }), 403, 'The password is wrong');
  expectRefusal(t, await changeUsername(api, ann, { username: ben.username.toUpperCase() }), 409, 'This username is already taken');
  expectRefusal(t, await changeUsername(api, ann, { username: ben.email }), 409, /e-mail address of another user/);
  expectRefusal(t, await changeUsername(api, ann, { username: ann.username }), 409, /already/);
  const { status, body } = await changeUsername(api, ann, { username: 'Ann Ott' });
  t.equal(status, 200);
  t.match(body, { id: ann.id, username: 'Ann Ott', email: ann.email });
  t.equal(await statusOf(api, ann.token), 200, 'sessions go on');
  await logIn(api, 'ann ott', ann.password);
  const { body: members } = await api.request('GET', `/boards/${board.id}/members`, { token: ann.token });
  t.match(members, [{ user: { username: 'Ann Ott' } }]);
  t.match(await newUser(api, { username: ann.username }), { username: ann.username }, 'the old name is free');
  expectRefusal(t, await changeUsername(api, ben, { username: 'ａnn ott' }), 409, 'This username is already taken');
  await changeUser(config.dataDir, ben.id, { is_superuser: true });
  const entries = await auditEntries(api, await logIn(api, ben.email, ben.password), '&kind=username.changed');
  t.match(entries, [{ user_id: ann.id, username: ann.username }]);
});

t.test('AUTH8 without mail a new e-mail address counts at once, unconfirmed, and ends the other sessions', async (t) => {
  const { api, config } = await startTestApp(t);
  const [ann, ben] = [await newUser(api), await newUser(api)];
  await changeUser(config.dataDir, ann.id, { is_verified: true });
  const other = await logInPair(api, ann);
  expectRefusal(t, await changeEmail(api, ann, { email: ben.email.toUpperCase() }), 409, 'A user with this e-mail address is already registered');
  const { body } = await changeEmail(api, ann, { email: 'ann@example.com' }, { 'idempotency-key': 'once' });
  t.match(body, { user: { email: 'ann@example.com', is_verified: false }, is_pending: false });
  const repeated = await changeEmail(api, ann, { email: 'ann@example.com' }, { 'idempotency-key': 'once' });
  t.equal(repeated.headers.get('idempotency-replayed'), 'true');
  t.strictSame([await statusOf(api, ann.token), await statusOf(api, other.access_token)], [200, 401]);
  await logIn(api, 'ANN@example.com', ann.password);
  t.equal((await api.request('POST', '/auth/login', { form: { username: ann.email, password: ann.password } })).status, 401);
  t.match(await api.request('PATCH', '/auth/me', { token: ann.token, json: { email: 'x@example.org', username: 'x' } }), {
    body: { email: 'ann@example.com', username: ann.username },
  });
});

t.test('AUTH8 with mail a new e-mail address counts when it is confirmed, in a session of its user, and the old one is told', async (t) => {
  const { app, server } = await withMail(t);
  const { api } = app;
  const [ann, ben] = [await newUser(api), await newUser(api)];
  await server.received(2);
  const other = await logInPair(api, ann);
  const { body } = await changeEmail(api, ann, { email: 'ann@example.com' });
  t.match(body, { user: { email: ann.email }, is_pending: true });
  const mail = (await server.received(3)).find(({ to }) => to.includes('ann@example.com'));
  if (mail === undefined) throw new Error('no mail came');
  const { token } = linkOf(mail, VERIFY_PAGE);
  const confirm = (by: TestUser): Promise<ApiResponse> => api.request('POST', '/auth/verify-email', { token: by.token, json: { token } });
  expectRefusal(t, await confirm(ben), 403, /link/);
  t.match(await confirm(ann), { status: 200, body: { email: 'ann@example.com', is_verified: true } });
  t.strictSame([await statusOf(api, ann.token), await statusOf(api, other.access_token)], [200, 401]);
  t.ok((await server.received(4)).some(({ to, text }) => to.includes(ann.email) && text.includes('another e-mail address')));
  expectRefusal(t, await confirm(ann), 403, /link/, 'it works once');
});

t.test('AUTH8 a link to a new address is void after a change of the account, or if the address was taken meanwhile', async (t) => {
  const { app, server } = await withMail(t);
  const { api } = app;
  const [ann, ben] = [await newUser(api), await newUser(api)];
  await changeEmail(api, ann, { email: 'wanted@example.com' });
  await changeEmail(api, ben, { email: 'other@example.com' });
  const links = new Map(
    (await server.received(4)).map((mail) => [mail.to[0], mail.text.includes(VERIFY_PAGE) ? linkOf(mail, VERIFY_PAGE).token : '']),
  );
  await newUser(api, { email: 'wanted@example.com' });
  const confirm = (by: TestUser, to: string): Promise<ApiResponse> =>
    api.request('POST', '/auth/verify-email', { token: by.token, json: { token: links.get(to) } });
  expectRefusal(t, await confirm(ann, 'wanted@example.com'), 409, /already registered/);
  await api.request('POST', '/auth/change-password', { token: ben.token, json: { current_password: ben.password, new_password: 'another horse' } });
  expectRefusal(t, await confirm(ben, 'other@example.com'), 403, /link/);
});

t.test('AUTH8 a new e-mail address needs a code of the second factor, and is refused for accounts of a provider', async (t) => {
  const { api, config } = await startTestApp(t);
  const [ann, ben] = [await newUser(api), await newUser(api)];
  const { recoveryCodes } = await turnOnFactor(api, ann);
  expectRefusal(t, await changeEmail(api, ann, { email: 'ann@example.com' }), 403, /second factor/);
  expectRefusal(t, await changeEmail(api, ann, { email: 'ann@example.com', code: '000000' }), 403, /code is wrong/);
  t.equal((await changeEmail(api, ann, { email: 'ann@example.com', code: recoveryCodes[0] })).status, 200);
  sql(
    `${config.dataDir}/directory.sqlite`,
    `INSERT INTO identity (issuer, subject, user_id, created_at) VALUES ('https://sso.example', 'ben', '${ben.id}', '2030-01-01T00:00:00.000Z')`,
  );
  expectRefusal(t, await changeEmail(api, ben, { email: 'ben@example.com' }), 403, /provider/);
  expectRefusal(t, await changeUsername(api, ben, { username: 'ben' }), 403, /provider/);
});

t.test('AUTH8 guesses of the password are limited', async (t) => {
  const { api } = await startTestApp(t);
  const ann = await newUser(api);
  const statuses: number[] = [];
  for (let guess = 0; guess < 12; guess += 1) statuses.push((await changeUsername(api, ann, { username: 'x', current_password: 'wrong' })).status);
  t.ok(statuses.includes(429), String(statuses));
});
