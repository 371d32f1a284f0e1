import t from 'tap';
import { join } from 'node:path';
import type { PublicUser } from '../../src/domain/account/user.js';
import type { Api, ApiResponse } from '../support/http/api.js';
import { startTestApp } from '../support/service/app.js';
import { expectRefusal } from '../support/http/refusals.js';
import { logIn, newRegistration, newUser, register, type Registration } from '../support/http/users.js';
import { Sqlite } from '../../src/store/sqlite/sqlite.js';

const { api } = await startTestApp(t);

function tryRegister(api: Api, fields: Partial<Registration>): Promise<ApiResponse> {
  return api.request('POST', '/auth/register', { json: newRegistration(fields) });
}

t.test('AUTH1 an e-mail address cannot be the username of another user, nor a username the e-mail address of another', async (t) => {
  const ann = await register(api, { username: 'ann@example.org' });
  for (const email of ['ann@example.org', 'ANN@example.org']) {
    const refusal = 'This e-mail address is the username of another user';
    expectRefusal(t, await tryRegister(api, { email }), 409, refusal, email);
  }
  const bob = await register(api);
  for (const username of [bob.email, bob.email.toUpperCase()]) {
    const refusal = 'This username is the e-mail address of another user';
    expectRefusal(t, await tryRegister(api, { username }), 409, refusal, username);
  }
  t.ok(await logIn(api, ann.username, ann.password));
  const both = await register(api, { email: 'both@example.org', username: 'both@example.org' });
  t.ok(await logIn(api, both.username, both.password), 'one user may use the same text for both');
});

t.test('AUTH5 if a login name is the e-mail address of one user and the username of another, the password decides', async (t) => {
  const first = await startTestApp(t);
  const { dataDir } = first.config;
  const victim = await register(first.api, { username: 'victim', password: 'of the victim' });
  const other = await register(first.api, { email: 'name@example.org', password: 'of the other' });
  await first.close();
  // Possible before the two were required to differ.
  const db = new Sqlite(join(dataDir, 'directory.sqlite'));
  const name = 'name@example.org';
  db.prepare('UPDATE user SET username = ?, username_key = ? WHERE id = ?').run(name, name, victim.id);
  db.close();
  const { api } = await startTestApp(t, { DATA_DIR: dataDir });
  const whoIs = async (password: string): Promise<string> => {
    const token = await logIn(api, name, password);
    return (await api.request<PublicUser>('GET', '/auth/me', { token })).body.id;
  };
  t.equal(await whoIs('of the victim'), victim.id, 'by username');
  t.equal(await whoIs('of the other'), other.id, 'by e-mail address');
  const wrong = await api.request('POST', '/auth/login', { form: { username: name, password: 'of nobody' } });
  t.equal(wrong.status, 401);
});

t.test('AUTH27 usernames and e-mail addresses contain no invisible characters', async (t) => {
  const hidden = [
    0x01, 0x7f, 0x85, 0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2060,
    0x2064, 0x2066, 0x2069, 0x2800, 0x3164, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0x378, 0xe000, 0xe0041, 0xe0100,
  ];
  for (const code of hidden) {
    const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
    const response = await tryRegister(api, { username: `an${String.fromCodePoint(code)}n` });
    expectRefusal(t, response, 422, `username: must not contain ${name}, which is invisible`, name);
  }
  for (const code of [0x34f, 0x115f, 0x3164, 0xfe0f, 0xe0100]) {
    const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
    const response = await tryRegister(api, { email: `an${String.fromCodePoint(code)}n@example.org` });
    expectRefusal(t, response, 422, `email: must not contain ${name}, which is invisible`, name);
  }
  t.equal((await tryRegister(api, { email: 'an\u200bn@example.org' })).status, 422);
  const bare = await tryRegister(api, { username: '\u0301' });
  expectRefusal(t, bare, 422, 'username: must not begin with a combining mark', 'a mark alone');
});

t.test('AUTH27 usernames that look alike count as equal, and no word mixes scripts that look alike', async (t) => {
  const { password } = await register(api, { username: 'anna finn' });
  for (const username of ['ａｎｎａ finn', 'anna ﬁnn', '𝐚𝐧𝐧𝐚 finn', 'anna\u00a0finn', 'anna   finn', ' anna\u3000finn ', 'ANNA ＦＩＮＮ']) {
    expectRefusal(t, await tryRegister(api, { username }), 409, 'This username is already taken', username);
  }
  t.ok(await logIn(api, 'ａｎｎａ finn', password), 'and log in to one account');
  const wide = await newUser(api, { username: 'Ｗｉｄｅ' });
  t.equal(wide.username, 'Ｗｉｄｅ', 'it is kept as it was written');
  t.ok(await logIn(api, 'ｗｉｄｅ', wide.password));
  for (const search of ['Ｗｉｄｅ', 'wide']) {
    const path = `/users?search=${encodeURIComponent(search)}`;
    t.match((await api.request('GET', path, { token: wide.token })).body, [{ id: wide.id }], search);
  }
  for (const [username, scripts] of [
    ['\u0430dmin', 'Latin and Cyrillic'],
    ['p\u0430ypal', 'Latin and Cyrillic'],
    ['b0\u0431-x', 'Latin and Cyrillic'],
    ['\u03bfmega', 'Latin and Greek'],
    ['\u0430\u0391', 'Cyrillic and Greek'],
  ] as const) {
    const refusal = `username: must not mix ${scripts} letters in one word, because they look alike`;
    expectRefusal(t, await tryRegister(api, { username }), 422, refusal, username);
  }
  for (const username of ['Zoë', 'Ñandú', '山田太郎', 'Иван', 'Иван (Ivan)', 'Ελένη', 'محمد', 'नमस्ते', '김철수', 'user_1.x-y', '😀', 'Tシャツ']) {
    t.equal((await register(api, { username })).username, username, username);
  }
});

t.test('AUTH27 first and last names cannot change the direction of text', async (t) => {
  const { token } = await newUser(api);
  for (const code of [0x61c, 0x200e, 0x202e, 0x2066, 0x2069]) {
    const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
    const refusal = `must not contain ${name}, which changes the direction of text`;
    const firstname = `Ann${String.fromCodePoint(code)}`;
    expectRefusal(t, await tryRegister(api, { firstname }), 422, `firstname: ${refusal}`, name);
    const changed = await api.request('PATCH', '/auth/me', { token, json: { lastname: firstname } });
    expectRefusal(t, changed, 422, `lastname: ${refusal}`, name);
  }
  const { status, body } = await api.request('PATCH', '/auth/me', { token, json: { firstname: 'نیم\u200cفاصله' } });
  t.equal(status, 200, 'joiners are fine in them');
  t.match(body, { firstname: 'نیم\u200cفاصله' });
});
