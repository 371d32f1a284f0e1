import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { AccountTokens } from '../../src/auth/accountTokens.js';
import { toBase32 } from '../../src/auth/totp.js';
import { DIRECTORY_FILE } from '../../src/store/folder/dataFolder.js';
import { expectRefusal } from '../support/http/refusals.js';
import { beginFactor, codeOf, forgetSteps, logInWith, turnOnFactor } from '../support/http/secondFactor.js';
import { refresh, statusOf } from '../support/http/sessions.js';
import { newUser } from '../support/http/users.js';
import { startTestApp } from '../support/service/app.js';
import { changeUser, hashOf } from '../support/service/operator.js';

const { api, config } = await startTestApp(t);
const { dataDir } = config;

const NEEDED = {
  detail: 'A code of the second factor is needed, or a recovery code. If you have neither, ask the operator of the service.',
  second_factor: 'required',
};
const WRONG = { detail: 'The code is wrong or was used before', second_factor: 'required' };
const FAILED = { detail: 'Incorrect e-mail or password' };

/** Each test has a network of its own, because failures count. */
let networks = 0;
function network(): { 'x-forwarded-for': string } {
  networks += 1;
  return { 'x-forwarded-for': `198.51.100.${networks}` };
}

t.test('TOTP2 a factor is set up with the password and then a code, and a login needs none before', async (t) => {
  const user = await newUser(api);
  const { token, password } = user;
  const state = async (): Promise<unknown> => (await api.request('GET', '/auth/factors', { token })).body;
  t.strictSame(await state(), { totp: { state: 'off', confirmed_at: null }, recovery_codes_left: 0 });
  const begin = (json: object) => api.request('POST', '/auth/factors/totp', { token, json });
  expectRefusal(t, await begin({ password: 'wrong' }), 403, 'The password is wrong');
  t.equal((await begin({})).status, 422);
  const { status, body } = await begin({ password });
  t.equal(status, 201);
  t.match(body, { secret: /^[A-Z2-7]{32}$/, otpauth_uri: new RegExp(`^otpauth://totp/Switchboard:${encodeURIComponent(user.email)}\\?secret=`) });
  t.match(await state(), { totp: { state: 'unconfirmed' } });
  t.equal((await logInWith(api, user)).status, 200);
  const confirm = (code: string) => api.request<{ recovery_codes: string[] }>('POST', '/auth/factors/totp/confirm', { token, json: { code } });
  const secret = await beginFactor(api, user);
  for (const code of ['', '000000', '12345', codeOf({ secret: randomBytes(20) })]) {
    if (code !== codeOf({ secret })) expectRefusal(t, await confirm(code), 403, 'The code is wrong or was used before', code);
  }
  const confirmed = await confirm(codeOf({ secret }));
  t.equal(confirmed.status, 200);
  t.equal(new Set(confirmed.body.recovery_codes).size, 10);
  t.match(await state(), { totp: { state: 'on', confirmed_at: /^20/ }, recovery_codes_left: 10 });
  expectRefusal(t, await confirm(codeOf({ secret }, 1)), 409, /nothing to confirm/);
  expectRefusal(t, await begin({ password }), 409, 'The second factor is already on');
  t.equal((await api.request('GET', '/auth/factors')).status, 401);
});

t.test('TOTP3 the right password alone is answered with what is missing, and a wrong one reveals nothing', async (t) => {
  const headers = network();
  const user = await newUser(api);
  const without = await newUser(api);
  const factor = await turnOnFactor(api, user);
  for (const code of [undefined, '', '   ']) {
    const response = await logInWith(api, user, code, headers);
    t.strictSame([response.status, response.body, response.headers.get('www-authenticate')], [401, NEEDED, 'Bearer']);
    t.strictSame(response.headers.getSetCookie(), []);
  }
  t.strictSame((await logInWith(api, user, 'no code', headers)).body, WRONG);
  for (const code of [undefined, codeOf(factor, 1), factor.recoveryCodes[0]]) {
    for (const each of [user, without, { email: 'nobody@example.org' }]) {
      const { status, body } = await logInWith(api, { ...each, password: 'wrong' }, code, network());
      t.strictSame([status, body], [401, FAILED]);
    }
  }
  await changeUser(dataDir, user.id, { is_active: false });
  t.strictSame((await logInWith(api, user, undefined, headers)).body, FAILED, 'nor does a deactivated account');
  t.equal((await logInWith(api, without, '123456')).status, 200, 'whoever has no factor may send a code');
});

t.test('TOTP4 a code is accepted within a step of its time, and once, also by logins at the same time', async (t) => {
  const headers = network();
  const user = await newUser(api);
  const factor = await turnOnFactor(api, user);
  t.strictSame((await logInWith(api, user, codeOf(factor), headers)).body, WRONG, 'the confirmation has used it');
  forgetSteps(dataDir);
  const code = codeOf(factor);
  const together = await Promise.all(Array.from({ length: 4 }, () => logInWith(api, user, code, headers)));
  t.strictSame(together.map(({ status }) => status).sort(), [200, 401, 401, 401]);
  t.strictSame((await logInWith(api, user, codeOf(factor, -1), headers)).body, WRONG, 'an earlier one neither');
  t.equal((await logInWith(api, user, ` ${codeOf(factor, 1).replace(/(...)/, '$1 ')}`, headers)).status, 200, 'the next one, with spaces');
  forgetSteps(dataDir);
  for (const offset of [-3, 3]) t.strictSame((await logInWith(api, user, codeOf(factor, offset), headers)).body, WRONG, 'of another time');
});

t.test('TOTP4 a recovery code works once, also at the same time, and new ones replace all', async (t) => {
  const headers = network();
  const user = await newUser(api);
  const { secret, recoveryCodes } = await turnOnFactor(api, user);
  const [first = '', second = '', third = ''] = recoveryCodes;
  const together = await Promise.all(Array.from({ length: 3 }, () => logInWith(api, user, first, headers)));
  t.strictSame(together.map(({ status }) => status).sort(), [200, 401, 401]);
  t.equal((await logInWith(api, user, second.toUpperCase().replaceAll('-', ' '), headers)).status, 200);
  const { token } = user;
  t.match((await api.request('GET', '/auth/factors', { token })).body, { recovery_codes_left: 8 });
  const renew = (json: object) => api.request<{ recovery_codes: string[] }>('POST', '/auth/factors/recovery-codes', { token, json });
  expectRefusal(t, await renew({ password: 'wrong', code: third }), 403, 'The password is wrong');
  expectRefusal(t, await renew({ password: user.password, code: first }), 403, 'The code is wrong or was used before');
  const renewed = await renew({ password: user.password, code: codeOf({ secret }, 1) });
  t.equal(renewed.status, 200);
  t.equal(renewed.body.recovery_codes.length, 10);
  t.strictSame((await logInWith(api, user, third, headers)).body, WRONG, 'those of before are gone');
  t.equal((await logInWith(api, user, renewed.body.recovery_codes[9], headers)).status, 200);
});

t.test('TOTP6 wrong codes count as failed logins, and a login without a code forgives none', async (t) => {
  const headers = network();
  const user = await newUser(api);
  const factor = await turnOnFactor(api, user);
  // Known to this network, so that no attempt waits.
  t.equal((await logInWith(api, user, factor.recoveryCodes[0], headers)).status, 200);
  for (let failure = 0; failure < 10; failure += 1) {
    t.equal((await logInWith(api, user, codeOf(factor, 5), headers)).status, 401);
    if (failure < 9) t.strictSame((await logInWith(api, user, undefined, headers)).body, NEEDED);
  }
  expectRefusal(t, await logInWith(api, user, codeOf(factor, 1), headers), 429, 'Too many wrong passwords; try again later');
  const elsewhere = await logInWith(api, user, codeOf(factor, 1), network());
  expectRefusal(t, elsewhere, 429, 'Too many wrong codes; use a recovery code, or try again in an hour');
  t.equal(elsewhere.headers.get('retry-after'), '3600');
  t.equal((await logInWith(api, user, factor.recoveryCodes[1], network())).status, 200, 'a recovery code is always checked');
  t.equal((await logInWith(api, user, codeOf(factor, 1), network())).status, 200, 'and forgives');
});

t.test('SESS8 turning the factor on and off ends all other sessions, and a refresh goes on', async (t) => {
  const user = await newUser(api);
  const others = await logInWith(api, user);
  const own = (await logInWith(api, user)).body;
  const session = { ...user, token: own.access_token };
  const factor = await turnOnFactor(api, session);
  t.strictSame([await statusOf(api, others.body.access_token), await statusOf(api, own.access_token)], [401, 200]);
  t.equal((await refresh(api, others.body.refresh_token)).status, 401);
  const renewed = await refresh(api, own.refresh_token);
  t.equal(renewed.status, 200, 'without a code');
  const later = (await logInWith(api, user, factor.recoveryCodes[0])).body;
  const json = { password: user.password, code: factor.recoveryCodes[1] };
  t.equal((await api.request('DELETE', '/auth/factors/totp', { token: own.access_token, json })).status, 204);
  t.strictSame([await statusOf(api, later.access_token), await statusOf(api, own.access_token)], [401, 200]);
  t.equal((await logInWith(api, user)).status, 200, 'a login needs no code any more');
});

t.test('TOTP2 turning the factor off needs the password and a code', async (t) => {
  const user = await newUser(api);
  const { token, password } = user;
  const turnOff = (json: object) => api.request('DELETE', '/auth/factors/totp', { token, json });
  expectRefusal(t, await turnOff({ password, code: '123456' }), 409, 'The second factor is off');
  const factor = await turnOnFactor(api, user);
  const good = factor.recoveryCodes[0] ?? '';
  expectRefusal(t, await turnOff({ password: 'wrong', code: good }), 403, 'The password is wrong');
  for (const code of ['nonsense', codeOf(factor, 5), 'aaaa-aaaa-aaaa-aaaa']) {
    expectRefusal(t, await turnOff({ password, code }), 403, 'The code is wrong or was used before', code);
  }
  for (const json of [{ password }, { code: good }, { password, code: 'x'.repeat(65) }]) t.equal((await turnOff(json)).status, 422);
  t.match((await api.request('GET', '/auth/factors', { token })).body, { totp: { state: 'on' } });
  t.equal((await turnOff({ password, code: good })).status, 204);
});

t.test('PASS4 the data holds the secret sealed, and recovery codes as hashes', async (t) => {
  const user = await newUser(api);
  const { secret, recoveryCodes } = await turnOnFactor(api, user);
  const file = join(dataDir, DIRECTORY_FILE);
  const data = Buffer.concat([readFileSync(file), readFileSync(`${file}-wal`)]);
  t.ok(data.includes(user.id), 'the user is there');
  const secrets = [
    secret,
    toBase32(secret),
    secret.toString('base64'),
    secret.toString('hex'),
    ...recoveryCodes,
    ...recoveryCodes.map((code) => code.replaceAll('-', '')),
  ];
  for (const each of secrets) t.equal(data.includes(each), false);
});

t.test('PASS4 with another JWT_SECRET recovery codes still work', async (t) => {
  const first = await startTestApp(t);
  const user = await newUser(first.api);
  const factor = await turnOnFactor(first.api, user);
  await first.close();
  const second = await startTestApp(t, { DATA_DIR: first.config.dataDir, JWT_SECRET: 'another secret of this service' });
  t.strictSame((await logInWith(second.api, user, codeOf(factor, 1))).body, WRONG);
  t.equal((await logInWith(second.api, user, factor.recoveryCodes[0])).status, 200);
});

t.test('TOTP10 superusers see who has a second factor', async (t) => {
  const admin = await newUser(api);
  await changeUser(dataDir, admin.id, { is_superuser: true });
  const user = await newUser(api);
  await turnOnFactor(api, user);
  const seen = async (search: string): Promise<unknown> => (await api.request('GET', `/admin/users?search=${search}`, { token: admin.token })).body;
  t.match(await seen(user.username), [{ id: user.id, has_second_factor: true }]);
  t.match(await seen(admin.username), [{ id: admin.id, has_second_factor: false }]);
  const public_ = (await api.request<object[]>('GET', `/users?search=${user.username}`, { token: admin.token })).body;
  t.equal('has_second_factor' in (public_[0] ?? {}), false, 'nobody else does');
});

t.test('TOTP10 a reset by mail turns no second factor off, whether the address was confirmed before or not', async (t) => {
  for (const is_verified of [false, true]) {
    const headers = network();
    const user = await newUser(api);
    const factor = await turnOnFactor(api, user);
    await changeUser(dataDir, user.id, { is_verified });
    const { body: key } = await api.request<{ key: string }>('POST', '/auth/keys', { token: user.token, json: { name: 'a', scopes: ['read'] } });
    const hashed_password = await hashOf(dataDir, user.id);
    const token = new AccountTokens(config.jwtSecret).issue('mailed reset', { ...user, hashed_password }, new Date());
    t.equal((await api.request('POST', '/auth/reset-password', { json: { token, password: 'another horse' } })).status, 200);
    t.equal(await statusOf(api, user.token), 401, 'sessions end');
    t.equal(await statusOf(api, key.key), is_verified ? 200 : 401, 'keys end with the first proof of the address');
    const changed = { email: user.email, password: 'another horse' };
    const refused = await logInWith(api, changed, undefined, headers);
    t.equal(refused.status, 401);
    t.strictSame(refused.body, NEEDED, 'the mailbox alone does not log in');
    t.strictSame((await logInWith(api, user, factor.recoveryCodes[0], headers)).body, FAILED, 'nor does who has the factor alone');
    t.equal((await logInWith(api, changed, codeOf(factor, 1), headers)).status, 200);
    t.equal((await logInWith(api, changed, factor.recoveryCodes[1], headers)).status, 200);
  }
});

t.test('SESS22 no answer with a secret is kept for an Idempotency-Key', async (t) => {
  const user = await newUser(api);
  const { token, password } = user;
  const send = (path: string, json: object) =>
    api.request<{ secret: string }>('POST', path, { token, json, headers: { 'idempotency-key': `key-of-${path}` } });
  const [first, second] = [await send('/auth/factors/totp', { password }), await send('/auth/factors/totp', { password })];
  t.strictSame([first.status, second.status], [201, 201]);
  t.not(first.body.secret, second.body.secret);
  t.equal(second.headers.get('idempotency-replayed'), null);
});
