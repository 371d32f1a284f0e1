import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { AccountTokens, type AccountTokenKind } from '../../../src/auth/accountTokens.js';
import type { PublicUser } from '../../../src/domain/account/user.js';
import { DIRECTORY_FILE } from '../../../src/store/folder/dataFolder.js';
import type { ApiResponse } from '../../support/http/api.js';
import { logInWith, turnOnFactor } from '../../support/http/secondFactor.js';
import { logInPair, refresh, statusOf } from '../../support/http/sessions.js';
import { newRegistration, newUser, type TestUser } from '../../support/http/users.js';
import { smtpError, startMailServer, type MailServer } from '../../support/mail/mailServer.js';
import { linkOf } from '../../support/mail/receivedMail.js';
import { range } from '../../support/realtime/realtimeBoard.js';
import { TestSharedSocket } from '../../support/realtime/sharedSocket.js';
import { startTestApp, WITH_THREADS, type TestApp } from '../../support/service/app.js';
import { changeUser, hashOf } from '../../support/service/operator.js';
import { query } from '../../support/store/sqlFile.js';
import { until } from '../../support/until.js';

const PUBLIC_URL = 'https://boards.example.org';
const RESET_PAGE = `${PUBLIC_URL}/app/reset-password`;
const VERIFY_PAGE = `${PUBLIC_URL}/app/verify-email`;
const NEW_PASSWORD = 'another horse';

interface World {
  readonly app: TestApp;
  readonly server: MailServer;
}

async function start(t: Test, settings: Record<string, string> = {}): Promise<World> {
  const server = await startMailServer(t);
  const app = await startTestApp(t, { SMTP_URL: server.url, PUBLIC_URL, ...settings });
  return { app, server };
}

const forgot = ({ app }: World, email: string): Promise<ApiResponse> => app.api.request('POST', '/auth/forgot-password', { json: { email } });

const reset = ({ app }: World, token: string, password = NEW_PASSWORD): Promise<ApiResponse> =>
  app.api.request('POST', '/auth/reset-password', { json: { token, password } });

const verify = ({ app }: World, user: TestUser, token: string): Promise<ApiResponse<PublicUser>> =>
  app.api.request('POST', '/auth/verify-email', { token: user.token, json: { token } });

/** The user's mails with this link, when there is one. */
async function linkTo({ server }: World, email: string, page: string): Promise<string> {
  for (let count = 1; ; count += 1) {
    const mail = (await server.received(count)).find(({ to, text }) => to.includes(email) && text.includes(page));
    if (mail !== undefined) return linkOf(mail, page).token;
  }
}

async function resetTokenOf(world: World, user: TestUser): Promise<string> {
  const { status } = await forgot(world, user.email);
  if (status !== 202) throw new Error(`refused with ${status}`);
  return linkTo(world, user.email, RESET_PAGE);
}

/** As the service would have issued it at another time. */
async function issue({ app }: World, kind: Exclude<AccountTokenKind, 'new address'>, { id, email }: TestUser, at: number): Promise<string> {
  const hashed_password = await hashOf(app.config.dataDir, id);
  return new AccountTokens(app.config.jwtSecret).issue(kind, { id, email, hashed_password }, new Date(at));
}

t.test('MAIL1 a forgotten password: the answer is the same for everyone, and only an active user gets a mail', async (t) => {
  const world = await start(t);
  t.match(await world.app.api.request('GET', '/auth/methods'), { body: { mail: true } }, 'a login page can offer it');
  const [ann, gone] = [await newUser(world.app.api), await newUser(world.app.api)];
  await changeUser(world.app.config.dataDir, gone.id, { is_active: false });
  await world.server.received(2);
  const answers = [
    await forgot(world, 'nobody@example.org'),
    await forgot(world, gone.email),
    await forgot(world, ann.username.slice(0, 3) + '@example.org'),
  ];
  const known = await forgot(world, ` ${ann.email.toUpperCase()} `);
  const shape = ({ status, body, headers }: ApiResponse): unknown => ({ status, body, headers: [...headers.keys()].sort() });
  for (const each of answers) t.strictSame(shape(each), shape(known));
  t.match(known, { status: 202, body: { detail: /^If there is an account/ } });
  await linkTo(world, ann.email, RESET_PAGE);
  await world.app.close();
  t.equal(world.server.mails.length, 3, 'two verifications and one reset');
  t.strictSame(world.server.mails[2]?.to, [ann.email], 'to the address as it is stored');
});

t.test('MAIL1 another spelling that means the same account is mailed to the stored address alone', async (t) => {
  const world = await start(t);
  const user = await newUser(world.app.api, { email: 'kim@kiosk.example.org' });
  t.match(await forgot(world, '\u212Aim@\u212Aiosk.example.org'), { status: 202 });
  await linkTo(world, user.email, RESET_PAGE);
  await world.app.close();
  t.strictSame(new Set(world.server.mails.flatMap(({ to }) => to)), new Set([user.email]));
});

t.test('MAIL3 a reset link sets the password once, ends all sessions and proves the address', async (t) => {
  const world = await start(t, { PASSWORD_MIN_LENGTH: '8' });
  const { api } = world.app;
  const ann = await newUser(api);
  const pair = await logInPair(api, ann);
  const token = await resetTokenOf(world, ann);
  t.match(await reset(world, token, 'short'), { status: 422, body: { detail: /^password: / } });
  t.equal(await statusOf(api, pair.access_token), 200, 'a refused password changes nothing');
  t.match(await reset(world, token), { status: 200, body: { detail: 'Password changed' } }, 'and does not use the link up');
  t.strictSame([await statusOf(api, pair.access_token), await statusOf(api, ann.token)], [401, 401]);
  t.equal((await refresh(api, pair.refresh_token)).status, 401);
  t.match(await api.request('POST', '/auth/login', { form: { username: ann.email, password: ann.password } }), { status: 401 });
  const again = await logInPair(api, { email: ann.email, password: NEW_PASSWORD });
  t.match(await api.request('GET', '/auth/me', { token: again.access_token }), { body: { is_verified: true } });
  t.match(await reset(world, token, 'a third horse'), { status: 403, body: { detail: /not valid/ } }, 'it works once');
  t.equal(await statusOf(api, again.access_token), 200);
});

t.test('MAIL3 of several resets by one link at the same time one wins', async (t) => {
  const world = await start(t, WITH_THREADS);
  const ann = await newUser(world.app.api);
  const token = await resetTokenOf(world, ann);
  const passwords = range(1, 6).map((number) => `${NEW_PASSWORD} ${number}`);
  const answers = await Promise.all(passwords.map((password) => reset(world, token, password)));
  t.strictSame(answers.map(({ status }) => status).sort(), [200, ...Array<number>(5).fill(403)]);
  const winner = passwords[answers.findIndex(({ status }) => status === 200)] ?? '';
  await logInPair(world.app.api, { email: ann.email, password: winner });
});

t.test('MAIL5 a reset link is invalid after it expired, after another change of the password, for an inactive user, and if forged', async (t) => {
  const world = await start(t);
  const { api, config } = world.app;
  const [ann, ben] = [await newUser(api), await newUser(api)];
  const refused = async (token: string, why: string): Promise<void> => {
    t.match(await reset(world, token), { status: 403, body: { detail: 'The link is not valid, was used before, or has expired' } }, why);
  };
  const now = Date.now();
  const good = await issue(world, 'mailed reset', ann, now);
  await refused(await issue(world, 'mailed reset', ann, now - 3_600_000), 'expired');
  await refused(await issue(world, 'verification', ann, now), 'of another purpose');
  await refused(good.replace('swp_', 'swo_'), 'another kind');
  await refused(good.replace(ann.id, ben.id), 'for another user');
  await refused(
    good.replace(/\.(\d+)\./, (_all, expiry) => `.${Number(expiry) + 1}.`),
    'prolonged',
  );
  await refused(new AccountTokens('another secret').issue('mailed reset', { ...ann, hashed_password: '' }, new Date()), 'of another service');
  await refused('swp_nonsense', 'nonsense');
  t.match(await reset(world, 'x'.repeat(2_000)), { status: 422 });
  await changeUser(config.dataDir, ann.id, { is_active: false });
  await refused(good, 'inactive');
  await changeUser(config.dataDir, ann.id, { is_active: true });
  const json = { current_password: ann.password, new_password: 'changed otherwise' };
  const { access_token } = await logInPair(api, ann);
  t.match(await api.request('POST', '/auth/change-password', { token: access_token, json }), { status: 200 });
  await refused(good, 'changed otherwise');
  const bens = await issue(world, 'mailed reset', ben, now);
  t.equal((await reset(world, bens)).status, 200, 'what is not refused works');
});

t.test('MAIL6 registration mails a link that proves the address once; it can be asked for again', async (t) => {
  const world = await start(t);
  const { api } = world.app;
  const ann = await newUser(api);
  t.equal(ann.user.is_verified, false);
  const request = (): Promise<ApiResponse> => api.request('POST', '/auth/verify-email/request', { token: ann.token });
  t.match(await request(), { status: 429, body: { detail: /^Too many mails/ } }, 'one was sent just now');
  const token = await linkTo(world, ann.email, VERIFY_PAGE);
  t.equal((await reset(world, token)).status, 403, 'it sets no password');
  t.match(await verify(world, ann, `${token.slice(0, -1)}_`), { status: 403 });
  t.match(await api.request('POST', '/auth/verify-email', { json: { token } }), { status: 401 }, 'a click alone confirms nothing');
  t.match(await verify(world, await newUser(api), token), { status: 403 }, 'nor does somebody else');
  t.match(await verify(world, ann, token), { status: 200, body: { id: ann.id, is_verified: true } });
  t.match(await verify(world, ann, token), { status: 403 }, 'it works once');
  t.match(await api.request('GET', '/auth/me', { token: ann.token }), { body: { is_verified: true } }, 'at once, also in caches');
  t.match(await request(), { status: 409 });
  const late = await issue(world, 'verification', ann, Date.now() - 24 * 3_600_000);
  t.match(await verify(world, ann, late), { status: 403 }, 'a day old');
  t.match(await verify(world, ann, await issue(world, 'mailed reset', ann, Date.now())), { status: 403 }, 'of another purpose');
  t.match(await api.request('POST', '/auth/verify-email/request'), { status: 401 });
});

t.test('MAIL6 members of boards see that an address was confirmed', async (t) => {
  const world = await start(t);
  const { api } = world.app;
  const ann = await newUser(api);
  const { body: board } = await api.request<{ id: string }>('POST', '/boards', { token: ann.token, json: { title: 'Team' } });
  await verify(world, ann, await linkTo(world, ann.email, VERIFY_PAGE));
  await until(async () => {
    const { body } = await api.request<{ members: { user: PublicUser }[] }>('GET', `/boards/${board.id}`, { token: ann.token });
    return body.members[0]?.user.is_verified === true;
  });
  t.pass('the copy of the profile is delivered');
});

t.test('MAIL7 an address gets one reset mail in some minutes, and a network can cause a limited number', async (t) => {
  const world = await start(t);
  const [ann, ben] = [await newUser(world.app.api), await newUser(world.app.api)];
  for (const _ of range(1, 5)) t.match(await forgot(world, ann.email), { status: 202 });
  const answers = await Promise.all(range(1, 19).map((number) => forgot(world, `nobody-${number}@example.org`)));
  t.ok(answers.every(({ status }) => status === 202));
  const last = await forgot(world, ben.email);
  t.match(last, { status: 429, body: { detail: /network/ } });
  t.ok(Number(last.headers.get('retry-after')) > 500);
  await linkTo(world, ann.email, RESET_PAGE);
  await world.app.close();
  t.equal(world.server.mails.filter(({ text }) => text.includes(RESET_PAGE)).length, 1);
});

t.test('AUTH8 a changed password is announced to its user', async (t) => {
  const world = await start(t);
  const ann = await newUser(world.app.api);
  const json = { current_password: ann.password, new_password: NEW_PASSWORD };
  t.match(await world.app.api.request('POST', '/auth/change-password', { token: ann.token, json }), { status: 200 });
  const announced = (await world.server.received(2)).find(({ headers }) => headers.get('subject') === 'Your password was changed');
  t.match(announced, { to: [ann.email] });
  t.notMatch(announced?.text, /#token|horse/, 'without a link or the password');
  const ben = await newUser(world.app.api);
  await reset(world, await resetTokenOf(world, ben));
  await world.app.close();
  t.equal(world.server.mails.filter(({ to, headers }) => to.includes(ben.email) && headers.get('subject') === 'Your password was changed').length, 1);
});

t.test('MAIL9 without mail nothing is sent: what needs it is refused, and links of the operator work', async (t) => {
  const app = await startTestApp(t);
  const world = { app, server: await startMailServer(t) };
  const ann = await newUser(app.api);
  const detail = 'This service sends no mail; ask its operator';
  t.match(await forgot(world, ann.email), { status: 403, body: { detail } });
  t.match(await app.api.request('POST', '/auth/forgot-password', { json: { email: 1 } }), { status: 403 }, 'whatever is sent');
  t.match(await app.api.request('POST', '/auth/verify-email/request', { token: ann.token }), { status: 403, body: { detail } });
  await changeUser(app.config.dataDir, ann.id, { is_superuser: true });
  const json = { email: 'new@example.org' };
  t.match(await app.api.request('POST', '/invitations', { token: ann.token, json }), { status: 403, body: { detail } });
  const { body: links } = await app.api.request('GET', '/invitations', { token: ann.token });
  t.strictSame(links, [], 'no invitation is left behind');
  const { body } = await app.api.request<object>('POST', '/invitations', { token: ann.token, json: {} });
  t.notOk('url' in body, 'without PUBLIC_URL there is no link');
  t.equal((await reset(world, await issue(world, 'handed reset', ann, Date.now()))).status, 200);
  const { access_token } = await logInPair(app.api, { email: ann.email, password: NEW_PASSWORD });
  t.match(
    await app.api.request('GET', '/auth/me', { token: access_token }),
    { body: { is_verified: false } },
    'a link that was not mailed proves no address',
  );
});

t.test('MAIL10 an invitation by mail: the answer does not depend on the address, and the link leads onto the board', async (t) => {
  const world = await start(t, { INVITATIONS: 'owners', REGISTRATION: 'open' });
  const { api } = world.app;
  const [ann, ben] = [await newUser(api), await newUser(api)];
  const { body: board } = await api.request<{ id: string }>('POST', '/boards', { token: ann.token, json: { title: 'Our plans' } });
  const invite = (email: string): Promise<ApiResponse<{ token: string; url: string }>> =>
    api.request('POST', '/invitations', { token: ann.token, json: { board_id: board.id, email } });
  const stranger = newRegistration();
  const [toBen, toStranger] = [await invite(ben.email), await invite(stranger.email)];
  t.strictSame([toBen.status, toStranger.status], [201, 201]);
  t.strictSame(Object.keys(toBen.body).sort(), Object.keys(toStranger.body).sort());
  const page = `${PUBLIC_URL}/app/invitation`;
  t.equal(toBen.body.url, `${page}#token=${toBen.body.token}`);
  const [bens, strangers] = [await linkTo(world, ben.email, page), await linkTo(world, stranger.email, page)];
  t.strictSame([bens, strangers], [toBen.body.token, toStranger.body.token]);
  const texts = world.server.mails.filter(({ text }) => text.includes(page)).map(({ text }) => text.replace(/swi_\S+/, ''));
  t.equal(texts.length, 2);
  t.equal(texts[0], texts[1], 'the mails are the same');
  t.match(texts[0], '“Our plans”');
  t.match(await api.request('POST', '/invitations/accept', { token: ben.token, json: { token: bens } }), { status: 200 });
  t.match(await api.request('POST', '/auth/register', { json: { ...stranger, invitation: strangers } }), {
    status: 201,
    body: { is_verified: false },
  });
  t.match(await invite('not an address'), { status: 422 });
  t.match(await invite('evil@example.org\r\nBcc: victim@example.org'), { status: 422 });
  const statuses = [];
  for (const _ of range(1, 4)) statuses.push((await invite('flooded@example.org')).status);
  t.strictSame(statuses, [201, 201, 201, 429], 'an address is not flooded');
});

t.test('MAIL10 a revoked invitation is not mailed any more', async (t) => {
  let isBusy = true;
  const refused = new EventEmitter();
  const refuse = (content: string): Error | null => {
    if (!isBusy) return null;
    refused.emit(content.includes('second@example.org') ? 'second' : 'other');
    return smtpError(451, 'later');
  };
  const server = await startMailServer(t, { refuse });
  const app = await startTestApp(t, { SMTP_URL: server.url, PUBLIC_URL });
  const root = await newUser(app.api);
  await changeUser(app.config.dataDir, root.id, { is_superuser: true });
  const invite = async (email: string): Promise<string> =>
    (await app.api.request<{ id: string }>('POST', '/invitations', { token: root.token, json: { email } })).body.id;
  const revoked = await invite('first@example.org');
  await invite('second@example.org');
  t.equal((await app.api.request('DELETE', `/invitations/${revoked}`, { token: root.token })).status, 204);
  // By now an attempt that began before the revocation has ended as well.
  await once(refused, 'second');
  isBusy = false;
  await server.mailTo('second@example.org');
  await app.close();
  t.notOk(server.mails.some(({ to }) => to.includes('first@example.org')));
});

t.test('PASS4 only the hash of a used link is stored', async (t) => {
  const world = await start(t);
  const ann = await newUser(world.app.api);
  const token = await linkTo(world, ann.email, VERIFY_PAGE);
  await verify(world, ann, token);
  await world.app.close();
  const rows = query(join(world.app.config.dataDir, DIRECTORY_FILE), 'SELECT hash FROM spent_token');
  t.strictSame(rows, [{ hash: createHash('sha256').update(token).digest('base64url') }]);
});

t.test('MAIL3 a repetition with the same key gets the first answer, although the link is used up', async (t) => {
  const world = await start(t, WITH_THREADS);
  const { api } = world.app;
  const ann = await newUser(api);
  const [forReset, forVerification] = [await resetTokenOf(world, ann), await linkTo(world, ann.email, VERIFY_PAGE)];
  const once = (path: string, json: object, key: string): Promise<ApiResponse> =>
    api.request('POST', path, { token: ann.token, json, headers: { 'idempotency-key': key } });
  const confirm = (key: string): Promise<ApiResponse> => once('/auth/verify-email', { token: forVerification }, key);
  t.match(await confirm('a'), { status: 200, body: { is_verified: true } });
  const repeated = await confirm('a');
  t.match(repeated, { status: 200, body: { is_verified: true } });
  t.equal(repeated.headers.get('idempotency-replayed'), 'true');
  t.equal((await confirm('b')).status, 403, 'another key is another request');
  const json = { token: forReset, password: NEW_PASSWORD };
  const answers = await Promise.all(range(1, 4).map(() => once('/auth/reset-password', json, 'a')));
  t.strictSame(
    answers.map(({ status }) => status),
    [200, 200, 200, 200],
    'also at the same time',
  );
  t.equal(answers.filter(({ headers }) => headers.get('idempotency-replayed') === null).length, 1, 'it happened once');
  t.equal((await once('/auth/reset-password', { ...json, password: 'a third horse' }, 'a')).status, 403, 'another password is another request');
  await logInPair(api, { email: ann.email, password: NEW_PASSWORD });
});

t.test('MAIL31 with the first proof of an address by a reset, the API keys of the account end, and its second factor stays', async (t) => {
  const world = await start(t);
  const { api } = world.app;
  const ann = await newUser(api);
  const makeKey = async (token: string): Promise<string> =>
    (await api.request<{ key: string }>('POST', '/auth/keys', { token, json: { name: 'a script', scopes: ['read'] } })).body.key;
  const early = await makeKey(ann.token);
  const { recoveryCodes } = await turnOnFactor(api, ann);
  const socket = await TestSharedSocket.enter(world.app.url, { token: early });
  t.equal(await statusOf(api, early), 200);
  t.equal((await reset(world, await resetTokenOf(world, ann))).status, 200);
  t.match(await socket.closed, { code: 1008 }, 'at once');
  t.equal(await statusOf(api, early), 401);
  const changed = { email: ann.email, password: NEW_PASSWORD };
  t.match(await logInWith(api, changed), { status: 401, body: { second_factor: 'required', detail: /ask the operator/ } });
  const { access_token } = (await logInWith(api, changed, recoveryCodes[0])).body;
  const late = await makeKey(access_token);
  t.equal((await reset(world, await issue(world, 'mailed reset', ann, Date.now()), 'a third horse')).status, 200);
  t.equal(await statusOf(api, late), 200, 'a verified user keeps them');
});
