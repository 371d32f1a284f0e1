import t from 'tap';
import type { Account, PublicUser } from '../../src/domain/account/user.js';
import type { Api, ApiResponse } from '../support/http/api.js';
import { startTestApp } from '../support/service/app.js';
import { changeUser } from '../support/service/operator.js';
import { expectRefusal } from '../support/http/refusals.js';
import { logIn, newRegistration, newUser, register, type Registration } from '../support/http/users.js';

const LOGIN_FAILED = 'Incorrect e-mail or password';

const { api } = await startTestApp(t);

function tryLogin(api: Api, username: string, password: string): Promise<ApiResponse> {
  return api.request('POST', '/auth/login', { form: { username, password } });
}

t.test('AUTH1 registration answers 201 with the public user', async (t) => {
  const registration = newRegistration({ firstname: ' Ann ', lastname: 'Lee' });
  const { status, body } = await api.request<PublicUser>('POST', '/auth/register', { json: registration });
  t.equal(status, 201);
  t.match(body.id, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  t.strictSame(body, {
    id: body.id,
    email: registration.email,
    username: registration.username,
    firstname: 'Ann',
    lastname: 'Lee',
    is_active: true,
    is_verified: false,
    is_superuser: false,
  });
  t.match(await register(api), { firstname: null, lastname: null }, 'names are optional');
});

t.test('AUTH1 e-mail addresses and usernames are unique, ignoring case', async (t) => {
  await register(api, { email: 'Ann.Lee@Example.org', username: 'Ännchen' });
  const taken = async (fields: Partial<Registration>): Promise<ApiResponse> =>
    api.request('POST', '/auth/register', { json: newRegistration(fields) });
  for (const email of ['Ann.Lee@Example.org', 'ann.lee@example.org', ' ANN.LEE@EXAMPLE.ORG ']) {
    expectRefusal(t, await taken({ email }), 409, 'A user with this e-mail address is already registered', email);
  }
  for (const username of ['Ännchen', 'ÄNNCHEN', ' ännchen', 'a\u0308nnchen']) {
    expectRefusal(t, await taken({ username }), 409, 'This username is already taken', username);
  }
  const registration = newRegistration();
  const attempts = Array.from({ length: 5 }, () => api.request('POST', '/auth/register', { json: registration }));
  const statuses = (await Promise.all(attempts)).map(({ status }) => status).sort();
  t.strictSame(statuses, [201, 409, 409, 409, 409], 'also when they come at once');
});

t.test('AUTH1 an e-mail address must be well-formed', async (t) => {
  const bad = [
    'ann',
    'ann@',
    '@example.org',
    'ann@example',
    'ann@@example.org',
    'a@b@example.org',
    'a b@example.org',
    '.ann@example.org',
    'ann.@example.org',
    'an..n@example.org',
    'ann@.example.org',
    'ann@example..org',
    'ann@example.org.',
    'ann@-example.org',
    'ann@example-.org',
    'ann@exa_mple.org',
    'ann@[127.0.0.1]',
    '"ann"@example.org',
    'ann\u0001@example.org',
    'ann@exam\nple.org',
    '<ann@example.org>',
    'a,b@example.org',
  ];
  for (const email of bad) {
    const response = await api.request('POST', '/auth/register', { json: newRegistration({ email }) });
    expectRefusal(t, response, 422, 'email: must be an e-mail address', email);
  }
  for (const email of ["o'neil+tag@example.org", 'a@b.io', 'x_1-2@sub.example-host.org', ' trimmed@example.org ']) {
    t.equal((await register(api, { email })).email, email.trim(), email);
  }
});

t.test('AUTH4 a password must satisfy the configured rules', async (t) => {
  const { api } = await startTestApp(t, { PASSWORD_MIN_LENGTH: '6', PASSWORD_REQUIRE: 'digit,upper' });
  const user = await newUser(api, { password: 'Secret1' });
  for (const [password, lack] of [
    ['', 'at least 6 characters, a digit, and an upper-case letter'],
    ['Secret', 'a digit'],
    ['secret1', 'an upper-case letter'],
    ['Aa1', 'at least 6 characters'],
    ['😀😀😀A1', 'at least 6 characters'],
  ]) {
    const json = newRegistration({ password: password ?? '' });
    const registered = await api.request('POST', '/auth/register', { json });
    expectRefusal(t, registered, 422, `password: The password must have ${lack}.`, password);
    const change = { current_password: user.password, new_password: password };
    const changed = await api.request('POST', '/auth/change-password', { token: user.token, json: change });
    expectRefusal(t, changed, 422, `new_password: The password must have ${lack}.`, password);
  }
  t.ok(await logIn(api, user.email, 'Secret1'), 'the old one is still valid');
});

t.test('AUTH5 a user logs in with the e-mail address or the username, in any case', async (t) => {
  const { id, email, username, password } = await newUser(api);
  for (const login of [email, email.toUpperCase(), ` ${email} `, username, username.toUpperCase()]) {
    const { status, body } = await api.request<Record<string, string>>('POST', '/auth/login', {
      form: { username: login, password, grant_type: 'password', scope: '' },
    });
    t.equal(status, 200, login);
    t.strictSame(Object.keys(body).sort(), ['access_token', 'refresh_token', 'token_type']);
    t.equal(body['token_type'], 'bearer');
    const token = body['access_token'] ?? '';
    t.equal((await api.request<PublicUser>('GET', '/auth/me', { token })).body.id, id, 'the token is that of the user');
  }
  const odd = await newUser(api, { password: ' sp ce+&=%äß😀' });
  t.equal((await tryLogin(api, odd.email, odd.password.trim())).status, 401, 'a password is not trimmed');
});

t.test('AUTH6 a failed login does not reveal its reason', async (t) => {
  const { api, config } = await startTestApp(t);
  const { email, username } = await register(api);
  const inactive = await register(api);
  await changeUser(config.dataDir, inactive.id, { is_active: false });
  const attempts = {
    'wrong password': await tryLogin(api, email, 'wrong'),
    'wrong password by name': await tryLogin(api, username, 'wrong'),
    'no password': await tryLogin(api, email, ''),
    'overlong password': await tryLogin(api, email, 'x'.repeat(2000)),
    'unknown user': await tryLogin(api, 'nobody@example.org', 'wrong'),
    'inactive user': await tryLogin(api, inactive.email, inactive.password),
  };
  for (const [name, attempt] of Object.entries(attempts)) {
    expectRefusal(t, attempt, 401, LOGIN_FAILED, name);
    t.equal(attempt.headers.get('www-authenticate'), 'Bearer', name);
    t.notOk(attempt.headers.has('set-cookie'), name);
  }
});

t.test('AUTH7 PATCH /auth/me changes the given names: an absent field stays, null clears it', async (t) => {
  const { token, user } = await newUser(api, { firstname: 'Ann', lastname: 'Lee' });
  const patch = async (json: unknown): Promise<PublicUser> => {
    const { status, body } = await api.request<Account>('PATCH', '/auth/me', { token, json });
    t.equal(status, 200);
    t.strictSame((await api.request('GET', '/auth/me', { token })).body, body, 'as answered');
    const { language, time_zone, ...shown } = body;
    t.strictSame([language, time_zone], [null, null]);
    t.strictSame((await api.request('GET', `/users/${user.id}`, { token })).body, shown, 'to everyone');
    return shown;
  };
  t.strictSame(await patch({ firstname: ' Zoë ' }), { ...user, firstname: 'Zoë' });
  t.strictSame(await patch({ lastname: null }), { ...user, firstname: 'Zoë', lastname: null });
  t.strictSame(await patch({}), { ...user, firstname: 'Zoë', lastname: null });
});

t.test('AUTH7 a user sets language and time zone, which nobody else sees', async (t) => {
  const { token, user } = await newUser(api);
  const me = { token };
  const patch = (json: object, key?: string): Promise<ApiResponse<Account>> =>
    api.request<Account>('PATCH', '/auth/me', { token, json, ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }) });
  const german = { ...user, firstname: 'Zoë', language: 'de-AT', time_zone: 'Europe/Vienna' };
  const asked = { firstname: 'Zoë', language: 'DE-at', time_zone: 'Europe/Vienna' };
  t.strictSame((await patch(asked, 'german')).body, german);
  t.strictSame((await api.request('GET', '/auth/me', me)).body, german);
  t.strictSame((await patch({ time_zone: null })).body, { ...german, time_zone: null }, 'null clears, an absent field stays');
  const repeated = await patch(asked, 'german');
  t.match([repeated.body, repeated.headers.get('idempotency-replayed')], [german, 'true'], 'a repetition is answered');
  t.strictSame((await api.request('GET', '/auth/me', me)).body, { ...german, time_zone: null }, 'and changes nothing');
  const other = await newUser(api);
  t.strictSame((await api.request('GET', `/users/${user.id}`, { token: other.token })).body, { ...user, firstname: 'Zoë' });
  const refused = [{ language: 'not a tag' }, { language: '' }, { language: 7 }, { language: 'x'.repeat(65) }];
  for (const json of [...refused, { time_zone: 'Mars/Olympus' }, { time_zone: '+02:00' }, { time_zone: '' }]) {
    t.equal((await patch(json)).status, 422, JSON.stringify(json).slice(0, 40));
  }
});

t.test('OUTBOX16 a user changes their names a limited number of times a minute, and others are not affected', async (t) => {
  const { api } = await startTestApp(t, { MAX_PROFILE_CHANGES_PER_MINUTE: '3' });
  const [{ token, id }, other] = [await newUser(api), await newUser(api)];
  const rename = (firstname: string, key = firstname, as = token): Promise<ApiResponse<PublicUser>> =>
    api.request<PublicUser>('PATCH', '/auth/me', { token: as, json: { firstname }, headers: { 'idempotency-key': key } });
  for (const name of ['One', 'Two', 'Three']) t.equal((await rename(name)).status, 200);
  const refused = await rename('Four');
  expectRefusal(t, refused, 429, 'A user can change their names at most 3 times a minute (MAX_PROFILE_CHANGES_PER_MINUTE)');
  const seconds = Number(refused.headers.get('retry-after'));
  t.ok(seconds > 0 && seconds <= 60, `${seconds} s`);
  t.match((await api.request('GET', `/users/${id}`, { token })).body, { firstname: 'Three' });
  t.match(await rename('Three'), { status: 200, body: { firstname: 'Three' } }, 'the repetition of a request is answered');
  t.equal((await rename('Ben', 'Ben', other.token)).status, 200);
});

t.test('AUTH8 changing a password requires the current one', async (t) => {
  const { token, email, password } = await newUser(api);
  const change = (current_password: string, new_password: string): Promise<ApiResponse> =>
    api.request('POST', '/auth/change-password', { token, json: { current_password, new_password } });
  expectRefusal(t, await change('wrong', 'new secret'), 403, 'The current password is wrong');
  t.equal((await tryLogin(api, email, password)).status, 200, 'nothing has changed');
  const { status, body } = await change(password, 'new secret');
  t.equal(status, 200);
  t.strictSame(body, { detail: 'Password changed' });
  t.equal((await tryLogin(api, email, password)).status, 401, 'the old one is no longer valid');
  t.equal((await tryLogin(api, email, 'new secret')).status, 200);
});

t.test('AUTH9 credentials are checked before ids, queries and bodies', async (t) => {
  const { token } = await newUser(api);
  const bad = { body: '{', headers: { 'content-type': 'text/plain' } };
  for (const [method, path, request] of [
    ['GET', '/users/not-an-id', {}],
    ['GET', '/users?limit=x', {}],
    ['PATCH', '/auth/me', bad],
    ['POST', '/auth/change-password', bad],
    ['PATCH', '/auth/me', { body: 'x'.repeat(2 * 1024 * 1024) }],
  ] as const) {
    expectRefusal(t, await api.request(method, path, request), 401, 'Not authenticated', path);
  }
  expectRefusal(t, await api.request('GET', '/users/not-an-id', { token }), 422, 'user_id: must be a UUID');
  expectRefusal(t, await api.request('GET', '/users?limit=x', { token }), 422, 'limit: must be a whole number');
  expectRefusal(t, await api.request('PATCH', '/auth/me', { token, ...bad }), 415, /application\/json/);
});
