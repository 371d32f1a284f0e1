import t from 'tap';
import type { PublicUser } from '../../src/domain/account/user.js';
import type { Api } from '../support/http/api.js';
import { startTestApp } from '../support/service/app.js';
import { expectRefusal } from '../support/http/refusals.js';
import { newUser, register } from '../support/http/users.js';

async function usernames(api: Api, token: string, query: Readonly<Record<string, string>>): Promise<string[]> {
  const { status, body } = await api.request<PublicUser[]>('GET', `/users?${new URLSearchParams(query)}`, { token });
  if (status !== 200) throw new Error(`search answered ${status}: ${JSON.stringify(body)}`);
  return body.map(({ username }) => username);
}

async function registerAll(api: Api, names: readonly string[]): Promise<void> {
  for (const [index, username] of names.entries()) await register(api, { username, email: `mail${index}@example.org` });
}

t.test('USER4 a user is found by id, in any case', async (t) => {
  const { api } = await startTestApp(t);
  const { token } = await newUser(api);
  const { password: _password, ...ann } = await register(api, { firstname: 'Ann', lastname: 'Lee' });
  for (const id of [ann.id, ann.id.toUpperCase()]) {
    const { status, body } = await api.request('GET', `/users/${id}`, { token });
    t.equal(status, 200);
    t.strictSame(body, ann);
  }
  const unknown = '11111111-1111-4111-8111-111111111111';
  expectRefusal(t, await api.request('GET', `/users/${unknown}`, { token }), 404, 'User not found');
  const nearly = [ann.id.slice(1), `${ann.id}0`, `{${ann.id}}`, ann.id.replaceAll('-', ''), `${ann.id}%20`];
  for (const bad of ['me', '%00', "'--", ...nearly]) {
    expectRefusal(t, await api.request('GET', `/users/${bad}`, { token }), 422, 'user_id: must be a UUID', bad);
  }
});

t.test('USER4 a search finds parts of usernames and e-mail addresses in any case, under each of its three parameter names', async (t) => {
  const { api } = await startTestApp(t);
  const { token } = await newUser(api, { username: 'searcher', email: 'me@example.net' });
  await register(api, { username: 'Ärmel', email: 'sleeve@example.org' });
  await register(api, { username: 'bob', email: 'Robert@Example.org' });
  for (const [text, found] of [
    ['ärm', ['Ärmel']],
    ['ÄRMEL', ['Ärmel']],
    ['sleeve@', ['Ärmel']],
    ['robert', ['bob']],
    ['ob', ['bob']],
    ['EXAMPLE.ORG', ['bob', 'Ärmel']],
    ['nowhere', []],
  ] as const) {
    for (const name of ['search', 'q', 'query']) {
      t.strictSame(await usernames(api, token, { [name]: text }), found, `${name}=${text}`);
    }
  }
  const everyone = ['bob', 'searcher', 'Ärmel'];
  t.strictSame(await usernames(api, token, {}), everyone, 'without a text all users are found');
  t.strictSame(await usernames(api, token, { search: '' }), everyone, 'or with an empty one');
  t.strictSame(await usernames(api, token, { unknown: 'x' }), everyone, 'or with one of another name');
});

t.test('USER4 a search treats special characters literally', async (t) => {
  const { api } = await startTestApp(t);
  const { token } = await newUser(api, { username: 'searcher', email: 'me@example.net' });
  await registerAll(api, ['100%', 'a_b', 'axb', 'back\\slash', "O'Neil", 'star*', '[x]', '😀 smile', 'plus+', 'nul']);
  for (const [text, found] of [
    ['%', ['100%']],
    ['_', ['a_b']],
    ['a_b', ['a_b']],
    ['\\', ['back\\slash']],
    ["'", ["O'Neil"]],
    ['*', ['star*']],
    ['[x', ['[x]']],
    ['😀', ['😀 smile']],
    ['plus+', ['plus+']],
    ['"', []],
    ["' OR 1=1 --", []],
    ['nul\0', []],
    ['\uFFFD', []],
  ] as const) {
    t.strictSame(await usernames(api, token, { search: text }), found, JSON.stringify(text));
  }
  const broken = await api.request('GET', '/users?search=%E0%A4%A&q=%', { token });
  t.strictSame([broken.status, broken.body], [200, []], 'a broken escape is a text that no user has');
});

t.test('USER4 users are listed by username, in pages', async (t) => {
  const { api } = await startTestApp(t);
  const { token } = await newUser(api, { username: 'zz' });
  const names = Array.from({ length: 54 }, (_, index) => `user${String(index).padStart(2, '0')}`);
  const shuffled = names.map((name, index) => names[(index * 5) % names.length] ?? name);
  await Promise.all(shuffled.map((username) => register(api, { username })));
  const all = [...names, 'zz'];
  t.strictSame(await usernames(api, token, {}), all.slice(0, 50), 'fifty at a time');
  t.strictSame(await usernames(api, token, { offset: '50' }), all.slice(50));
  t.strictSame(await usernames(api, token, { limit: '200' }), all, 'two hundred at most');
  t.strictSame(await usernames(api, token, { limit: '3', offset: '7' }), all.slice(7, 10));
  const part = await usernames(api, token, { search: 'user1', limit: '4', offset: '4' });
  t.strictSame(part, names.slice(14, 18), 'of a search too');
  t.strictSame(await usernames(api, token, { offset: '1000' }), [], 'past the end');
  for (const [query, detail] of [
    ['limit=0', 'limit: must be 1 to 200'],
    ['limit=201', 'limit: must be 1 to 200'],
    ['limit=-1', 'limit: must be 1 to 200'],
    ['limit=', 'limit: must be a whole number'],
    ['limit=1.5', 'limit: must be a whole number'],
    ['limit=1e2', 'limit: must be a whole number'],
    ['limit=99999999999999999999', 'limit: must be a whole number'],
    ['offset=-1', /^offset: must be 0 to \d+$/],
    ['offset=NaN', 'offset: must be a whole number'],
  ] as const) {
    expectRefusal(t, await api.request('GET', `/users?${query}`, { token }), 422, detail, query);
  }
});
