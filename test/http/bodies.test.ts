import t from 'tap';
import type { Api, ApiResponse } from '../support/http/api.js';
import { startTestApp } from '../support/service/app.js';
import { expectRefusal } from '../support/http/refusals.js';
import { newRegistration, newUser } from '../support/http/users.js';
import type { PublicUser } from '../../src/domain/account/user.js';

const JSON_TYPE = { 'content-type': 'application/json' };

const { api } = await startTestApp(t);

function register(api: Api, body: string | Uint8Array<ArrayBuffer>): Promise<ApiResponse> {
  return api.request('POST', '/auth/register', { body, headers: JSON_TYPE });
}

/** A registration that is valid except for the given fields. */
function registrationWith(fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ ...newRegistration(), ...fields });
}

t.test('BODY1 a body that is not JSON gets 400', async (t) => {
  const good = registrationWith({});
  const texts = [
    '',
    ' \n',
    'x',
    '{',
    '}',
    '[',
    '{"email"',
    '{"email":}',
    "{'email':'a'}",
    `${good}x`,
    `${good}${good}`,
    `${good},`,
    good.slice(0, -1),
    '{"email":"\n"}',
    '{"a":01}',
    'undefined',
    'NaN',
    '{"a":1,}',
    '{"\\u12":1}',
    '{"a":"\\x"}',
    '{]',
    '"',
  ];
  for (const text of texts) {
    expectRefusal(t, await register(api, text), 400, /^body: (is not valid JSON|must be JSON, but it is empty)$/, text);
  }
  t.equal((await register(api, `\uFEFF ${good}\r\n`)).status, 201, 'a byte order mark and blanks are accepted');
});

t.test('BODY1 JSON that is not an object gets 422', async (t) => {
  const { token } = await newUser(api);
  for (const body of ['[]', '[{"firstname":"x"}]', 'null', 'true', '3', '"text"']) {
    const patched = await api.request('PATCH', '/auth/me', { token, body, headers: JSON_TYPE });
    expectRefusal(t, patched, 422, 'body: must be an object', body);
    expectRefusal(t, await register(api, body), 422, 'body: must be an object', body);
  }
});

t.test('BODY1 a field that is missing or of the wrong type is named', async (t) => {
  for (const wrong of [3, true, {}, [], ['a'], null]) {
    for (const field of ['email', 'username', 'password']) {
      const response = await register(api, registrationWith({ [field]: wrong }));
      expectRefusal(t, response, 422, `${field}: must be a string`, JSON.stringify(wrong));
    }
    if (wrong === null) continue;
    expectRefusal(t, await register(api, registrationWith({ firstname: wrong })), 422, 'firstname: must be a string');
  }
  expectRefusal(t, await register(api, '{}'), 422, 'email: is required; username: is required; password: is required');
  expectRefusal(t, await register(api, registrationWith({ username: undefined })), 422, 'username: is required');
  const { token } = await newUser(api);
  const passwords = await api.request('POST', '/auth/change-password', { token, json: { current_password: 1 } });
  expectRefusal(t, passwords, 422, 'current_password: must be a string; new_password: is required');
  const login = await api.request('POST', '/auth/login', { form: { user: 'x' } });
  expectRefusal(t, login, 422, 'username: is required; password: is required');
});

t.test('BODY1 deep nesting is refused before parsing', async (t) => {
  const nested = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
  expectRefusal(t, await register(api, nested(33)), 400, 'body: is nested too deeply');
  expectRefusal(t, await register(api, nested(32)), 422, /is required/, 'the maximum depth');
  expectRefusal(t, await register(api, '['.repeat(1_000_000)), 400, 'body: is nested too deeply', 'a megabyte of brackets');
  expectRefusal(t, await register(api, '{"a":'.repeat(200_000)), 400, 'body: is nested too deeply', 'a megabyte of brackets');
  const brackets = await register(api, registrationWith({ firstname: '[['.repeat(50) }));
  t.equal(brackets.status, 201, 'brackets in a text do not count');
});

t.test('BODY1 a duplicate key is refused', async (t) => {
  const good = registrationWith({}).slice(0, -1);
  for (const [name, text] of Object.entries({
    plain: `${good},"email":"other@example.org"}`,
    escaped: `${good},"\\u0065mail":"other@example.org"}`,
    'separated by blanks': `${good},"email" \n\t\r :"other@example.org"}`,
    'unknown keys': `${good},"x":1,"x":1}`,
    nested: `${good},"x":{"y":1,"y":2}}`,
    'called __proto__': `${good},"__proto__":1,"__proto__":2}`,
  })) {
    expectRefusal(t, await register(api, text), 400, /^body: the key "\w+" occurs twice$/, name);
  }
  const elsewhere = await register(api, `${good},"x":{"email":1},"y":["email","email"]}`);
  t.equal(elsewhere.status, 201, 'elsewhere it is another key');
});

t.test('BODY1 bytes that are not UTF-8 are refused', async (t) => {
  const [before, after] = registrationWith({ firstname: '#' }).split('#');
  for (const bytes of ['ff', 'c0af', 'eda080', 'f4908080', 'c3', '80', 'e282']) {
    const body = Buffer.concat([Buffer.from(before ?? ''), Buffer.from(bytes, 'hex'), Buffer.from(after ?? '')]);
    expectRefusal(t, await register(api, Uint8Array.from(body)), 400, 'body: is not valid UTF-8', bytes);
  }
  const form = await api.request('POST', '/auth/login', {
    body: Uint8Array.from(Buffer.from('757365726e616d653dff', 'hex')),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  expectRefusal(t, form, 400, 'body: is not valid UTF-8', 'a form');
});

t.test('BODY8 NUL and unpaired surrogates are refused in every text', async (t) => {
  const { token } = await newUser(api);
  for (const bad of ['\\u0000', '\\ud800', '\\udfff', '\\udc00\\ud800']) {
    for (const field of ['email', 'username', 'password', 'firstname', 'lastname']) {
      const text = registrationWith({ [field]: 'a#b' }).replace('a#b', `a${bad}b`);
      const refusal = await register(api, text);
      expectRefusal(t, refusal, 422, `${field}: must not contain NUL or unpaired surrogates`, `${field} ${bad}`);
    }
    const body = `{"firstname":"a${bad}b"}`;
    const renamed = await api.request('PATCH', '/auth/me', { token, body, headers: JSON_TYPE });
    expectRefusal(t, renamed, 422, 'firstname: must not contain NUL or unpaired surrogates', bad);
  }
  const whole = await api.request<PublicUser>('PATCH', '/auth/me', {
    token,
    body: '{"firstname":"\\ud83d\\ude00"}',
    headers: JSON_TYPE,
  });
  t.equal(whole.body.firstname, '😀', 'a complete pair is a character');
});

t.test('BODY8 maximum lengths of texts count characters', async (t) => {
  const longest = { username: '😀'.repeat(255), firstname: 'é'.repeat(255), lastname: ` ${'x'.repeat(255)} ` };
  t.equal((await register(api, registrationWith(longest))).status, 201, 'the maximum length');
  for (const field of ['username', 'firstname', 'lastname']) {
    for (const text of ['x'.repeat(256), '😀'.repeat(256), 'x'.repeat(900_000), '', '   ']) {
      const refusal = await register(api, registrationWith({ [field]: text }));
      expectRefusal(t, refusal, 422, `${field}: must be 1 to 255 characters`, `${field} of ${text.length}`);
    }
  }
  const address = `${'x'.repeat(300)}@example.org`;
  const overlong = await register(api, registrationWith({ email: address }));
  expectRefusal(t, overlong, 422, 'email: must be 3 to 254 characters');
  const secret = 'x'.repeat(1025);
  const refusal = await register(api, registrationWith({ password: secret }));
  expectRefusal(t, refusal, 422, 'password: The password must have at most 1024 bytes in UTF-8.');
  const login = await api.request('POST', '/auth/login', {
    body: `password=x&username=a${'\u0301\u0323'.repeat(200_000)}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  expectRefusal(t, login, 422, 'username: must be 1 to 255 characters', 'a login that would be slow to compare');
});

t.test('BODY9 unknown and protected fields are ignored, never applied', async (t) => {
  const protectedFields = {
    id: '11111111-1111-4111-8111-111111111111',
    is_superuser: true,
    is_verified: true,
    is_active: false,
    hashed_password: 'x',
    created_at: 'x',
    unknown: { deep: [1] },
    constructor: { prototype: { is_superuser: true } },
    toString: 'x',
  };
  const { token, user, email, username, password } = await newUser(api, { ...protectedFields, firstname: null });
  t.match(user, { is_superuser: false, is_verified: false, is_active: true, firstname: null });
  t.not(user.id, protectedFields.id);

  const others = { email: 'other@example.org', username: 'other', password: 'other' };
  const json = { ...protectedFields, ...others, firstname: 'Ann' };
  const patched = await api.request<PublicUser>('PATCH', '/auth/me', { token, json });
  t.strictSame(patched.body, { ...(await me(api, token)), firstname: 'Ann' });
  t.match(patched.body, { id: user.id, email, username, is_superuser: false, is_verified: false, is_active: true });
  const login = await api.request('POST', '/auth/login', { form: { username: email, password } });
  t.equal(login.status, 200, 'the password is the old one');

  const body = '{"__proto__":{"firstname":"inherited","is_superuser":true},"lastname":"Own"}';
  const polluted = await api.request<PublicUser>('PATCH', '/auth/me', { token, body, headers: JSON_TYPE });
  const expected = { firstname: 'Ann', lastname: 'Own', is_superuser: false };
  t.match(polluted.body, expected, '__proto__ is a field like others');
  t.notOk('is_superuser' in {}, 'and reaches no other object');
});

t.test('BODY1 a wrong content type gets 415', async (t) => {
  const bytes = Uint8Array.from(Buffer.from(registrationWith({})));
  const others = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/jsonp'];
  for (const type of [...others, 'json', ';']) {
    const refusal = await api.request('POST', '/auth/register', { body: bytes, headers: { 'content-type': type } });
    expectRefusal(t, refusal, 415, 'The content type must be application/json', type);
  }
  expectRefusal(t, await api.request('POST', '/auth/register', { body: bytes }), 415, /application\/json/, 'none');
  const login = await api.request('POST', '/auth/login', { json: { username: 'a', password: 'b' } });
  expectRefusal(t, login, 415, 'The content type must be application/x-www-form-urlencoded');
  for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/merge-patch+json']) {
    const request = { body: registrationWith({}), headers: { 'content-type': type } };
    const accepted = await api.request('POST', '/auth/register', request);
    t.equal(accepted.status, 201, type);
  }
});

async function me(api: Api, token: string): Promise<PublicUser> {
  return (await api.request<PublicUser>('GET', '/auth/me', { token })).body;
}
