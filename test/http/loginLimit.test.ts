import t, { type Test } from 'tap';
import type { Api, ApiResponse } from '../support/http/api.js';
import { startTestApp } from '../support/service/app.js';
import { sendRaw } from '../support/http/rawHttp.js';
import { rawRequest } from '../support/http/rawRequest.js';
import { expectRefusal } from '../support/http/refusals.js';
import { newUser, register } from '../support/http/users.js';

const LIMIT = 10;
const TOO_MANY = 'Too many wrong passwords; try again later';

/** A proxy on this machine is trusted, so tests can use any address. */
function loginFrom(api: Api, address: string, username: string, password: string): Promise<ApiResponse> {
  return api.request('POST', '/auth/login', { form: { username, password }, headers: { 'x-forwarded-for': address } });
}

function expectLimited(t: Test, response: ApiResponse, name: string): void {
  expectRefusal(t, response, 429, TOO_MANY, name);
  const wait = Number(response.headers.get('retry-after'));
  t.ok(Number.isInteger(wait) && wait >= 1 && wait <= 60, `${name}: has Retry-After`, { wait });
}

t.test('AUTH19 guesses at an account from many addresses are slowed down, while the correct password is still accepted', async (t) => {
  const { api, close } = await startTestApp(t);
  const { email, username, password } = await register(api);
  for (let failure = 0; failure < LIMIT; failure += 1) {
    const name = failure % 2 === 0 ? email.toUpperCase() : username;
    t.equal((await loginFrom(api, `192.0.2.${failure}`, name, 'wrong')).status, 401, `failure ${failure + 1}`);
  }
  let isOver = false;
  let checked = 0;
  const guess = async (address: string): Promise<void> => {
    while (!isOver) {
      const { status } = await loginFrom(api, address, email, 'wrong');
      if (status === 401) checked += 1;
    }
  };
  const startedAt = performance.now();
  const guessers = Array.from({ length: LIMIT }, (_, index) => guess(`192.0.2.${index}`));
  for (let success = 0; success < 3; success += 1) {
    const before = performance.now();
    const welcome = await loginFrom(api, `203.0.113.${success}`, email, password);
    t.equal(welcome.status, 200, 'from another address');
    t.ok(performance.now() - before < 3_000, 'soon');
  }
  const before = performance.now();
  t.equal((await loginFrom(api, '203.0.113.0', email, password)).status, 200, 'an address that logged in before does not wait');
  t.ok(performance.now() - before < 3_000);
  const seconds = (performance.now() - startedAt) / 1000;
  t.ok(checked <= seconds / 3 + 1, 'addresses that guessed before get one attempt in three seconds', { checked, seconds });
  isOver = true;
  const closedAt = performance.now();
  await close();
  t.ok(performance.now() - closedAt < 5_000, 'waiting attempts do not delay a stop');
  await Promise.all(guessers);
});

t.test('LIMIT2 ten failures from an address block it for a while, for every account', async (t) => {
  const { api, url } = await startTestApp(t);
  const { email, password } = await register(api);
  for (let failure = 0; failure < LIMIT; failure += 1) {
    // The client sets the other entries; the last one is the proxy's.
    const forwarded = `198.51.100.${failure}, 203.0.113.7`;
    const response = await loginFrom(api, forwarded, `nobody-${failure}@example.org`, 'wrong');
    t.equal(response.status, 401, `failure ${failure + 1}`);
  }
  expectLimited(t, await loginFrom(api, '203.0.113.7', email, password), 'the right password too');
  t.equal((await loginFrom(api, '203.0.113.8', email, password)).status, 200, 'other addresses are not affected');
  const form = new URLSearchParams({ username: email, password }).toString();
  const { status } = await sendRaw(
    url,
    rawRequest(
      'POST /auth/login',
      [
        'X-Forwarded-For: 203.0.113.8',
        'X-Forwarded-For: 203.0.113.7',
        'Content-Type: application/x-www-form-urlencoded',
        `Content-Length: ${form.length}`,
      ],
      form,
    ),
  );
  t.equal(status, 429, 'a proxy may add its entry as a line of its own');
});

t.test('LIMIT2 successful logins do not count towards a limit', async (t) => {
  const { api } = await startTestApp(t);
  const { email, password } = await register(api);
  for (let success = 0; success < LIMIT + 5; success += 1) {
    t.equal((await loginFrom(api, '192.0.2.1', email, password)).status, 200);
  }
  t.equal((await loginFrom(api, '192.0.2.1', email, 'wrong')).status, 401, 'and do not count');
});

t.test('LIMIT2 parallel guesses are limited like consecutive ones', async (t) => {
  const { api } = await startTestApp(t);
  const { email, password } = await register(api);
  const wrong = Array.from({ length: 29 }, (_, index) => loginFrom(api, '192.0.2.1', email, `guess ${index}`));
  // By then the others wait, and the correct one comes after them: a first attempt would be admitted.
  await Promise.race(wrong);
  const right = loginFrom(api, '192.0.2.1', email, password);
  const statuses = (await Promise.all([...wrong, right])).map(({ status }) => status);
  t.equal(statuses.filter((status) => status === 401).length, LIMIT, 'ten get 401');
  t.equal(statuses.filter((status) => status === 429).length, 20, 'the rest get 429, also the correct one');
});

t.test('AUTH8 a wrong current password in a password change counts as a failed login', async (t) => {
  const { api } = await startTestApp(t);
  const { email, password, token } = await newUser(api);
  const other = await register(api);
  const change = (current_password: string): Promise<ApiResponse> =>
    api.request('POST', '/auth/change-password', { token, json: { current_password, new_password: 'new secret' } });
  for (let failure = 0; failure < LIMIT; failure += 1) t.equal((await change('wrong')).status, 403);
  expectLimited(t, await change(password), 'the right one too');
  expectLimited(t, await api.request('POST', '/auth/login', { form: { username: email, password } }), 'a login');
  const neighbour = { username: other.email, password: other.password };
  expectLimited(t, await api.request('POST', '/auth/login', { form: neighbour }), 'a first login from there');
  t.equal((await loginFrom(api, '192.0.2.1', email, password)).status, 200, 'elsewhere it is the right one');
});
