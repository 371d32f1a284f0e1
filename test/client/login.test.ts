/** Logins that the client renews, against a scripted service. */
import t, { type Test } from 'tap';
import { createClient, type Client, type ClientOptions } from '../../src/client/index.js';
import { BOARD_ID, FakeService, settled } from './fakeService.js';
import { ManualClock } from './manualClock.js';
import { startScriptedHttp, type ScriptedAnswer, type ScriptedHttp, type Script } from './scriptedHttp.js';

const REFUSED = { status: 401, body: { detail: 'The token expired' } };
const OVER = { status: 401, body: { detail: 'The refresh token is invalid' } };
const CREDENTIALS = { username: 'ann', password: 'secret' };

/** A token that ends so many seconds after the clock's time. */
function jwt(clock: ManualClock, seconds: number, name: string): string {
  const claims = { sub: 'u', exp: clock.now() / 1000 + seconds, name };
  return `header.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature`;
}

function pairOf(access_token: string, refresh_token: string): ScriptedAnswer {
  return { status: 200, body: { access_token, token_type: 'bearer', refresh_token } };
}

/** What was sent: the path, and the token, or the refresh token in the body. */
function sent({ seen }: ScriptedHttp): string[] {
  return seen.map(({ path, headers, body }) => {
    if (path === '/auth/refresh') return `refresh ${(JSON.parse(body) as { refresh_token?: string }).refresh_token ?? 'cookie'}`;
    return path === '/auth/login' ? 'login' : `${path} ${headers.authorization?.replace('Bearer ', '') ?? '-'}`;
  });
}

interface Setting {
  readonly client: Client;
  readonly service: ScriptedHttp;
  readonly ends: unknown[];
}

async function start(t: Test, script: Script[], options: Partial<ClientOptions> = {}): Promise<Setting> {
  const service = await startScriptedHttp(t, ...script);
  const client = createClient({ baseUrl: service.url, clock: new ManualClock(), retry: false, ...options });
  const ends: unknown[] = [];
  client.on('sessionEnded', ({ error }) => ends.push(error));
  return { client, service, ends };
}

t.test('CLIENT50 a token is refreshed before it expires, with the latest refresh token, once for all calls', async (t) => {
  const clock = new ManualClock();
  const [first, second, third] = [jwt(clock, 3600, 'a'), jwt(clock, 7200, 'b'), jwt(clock, 10_800, 'c')];
  const { client, service, ends } = await start(t, [pairOf(first, 'r1'), { status: 200 }, pairOf(second, 'r2')], { clock });
  await client.auth.login(CREDENTIALS);
  await client.board.list();
  clock.pass(3_571_000);
  await Promise.all([client.board.list(), client.board.list(), client.auth.me()]);
  t.strictSame(sent(service).slice(0, 3), ['login', `/boards ${first}`, 'refresh r1']);
  t.strictSame(sent(service).slice(3).sort(), [`/auth/me ${second}`, `/boards ${second}`, `/boards ${second}`]);
  t.equal(client.token, second);
  service.script.push(pairOf(third, 'r3'));
  clock.pass(3_600_000);
  await client.board.list();
  t.strictSame(sent(service).slice(6), ['refresh r2', `/boards ${third}`]);
  t.strictSame(ends, []);
});

t.test('CLIENT50 a refused token is refreshed once a call, once for all calls', async (t) => {
  const { client, service } = await start(t, [pairOf('a', 'r1'), REFUSED, REFUSED, pairOf('b', 'r2')]);
  await client.auth.login(CREDENTIALS);
  await Promise.all([client.board.list(), client.board.list()]);
  t.strictSame(sent(service), ['login', '/boards a', '/boards a', 'refresh r1', '/boards b', '/boards b']);
  service.script.push(REFUSED, pairOf('c', 'r3'), REFUSED);
  await t.rejects(client.board.list(), { name: 'ApiError', status: 401 });
  t.strictSame(sent(service).slice(6), ['/boards b', 'refresh r2', '/boards c'], 'no second attempt');
});

t.test('CLIENT50 a refresh without an answer is repeated, and a valid token is used meanwhile', async (t) => {
  const clock = new ManualClock();
  const [first, second] = [jwt(clock, 60, 'a'), jwt(clock, 120, 'b')];
  const { client, service, ends } = await start(t, [pairOf(first, 'r1'), { status: 503, body: { detail: 'busy' } }], { clock });
  await client.auth.login(CREDENTIALS);
  clock.pass(50_000);
  await client.board.list();
  service.script.push(pairOf(second, 'r2'));
  await client.board.list();
  t.strictSame(sent(service), ['login', 'refresh r1', `/boards ${first}`, 'refresh r1', `/boards ${second}`]);
  t.strictSame(ends, []);
});

t.test('CLIENT50 a session is resumed by its refresh token', async (t) => {
  const { client, service } = await start(t, [pairOf('a', 'r2'), REFUSED, pairOf('b', 'r3')]);
  await client.auth.refresh({ refresh_token: 'r1' });
  await client.board.list();
  t.strictSame(sent(service), ['refresh r1', '/boards a', 'refresh r2', '/boards b']);
});

t.test('CLIENT52 a refused refresh ends the session: one event, no further refresh, until the next login', async (t) => {
  const { client, service, ends } = await start(t, [pairOf('a', 'r1'), REFUSED, REFUSED, OVER]);
  await client.auth.login(CREDENTIALS);
  const calls = await Promise.allSettled([client.board.list(), client.board.list()]);
  for (const call of calls) t.match(call, { status: 'rejected', reason: { name: 'ApiError', status: 401, detail: OVER.body.detail } });
  t.match(ends, [{ name: 'ApiError', status: 401 }]);
  t.equal(client.token, null);
  service.script.push(REFUSED);
  await t.rejects(client.board.list(), { name: 'ApiError', status: 401 });
  t.strictSame(sent(service).slice(4), ['/boards -'], 'no refresh');
  t.equal(ends.length, 1);
  t.throws(() => client.connect(BOARD_ID), /log in first/);
  service.script.push(pairOf('b', 'r9'), REFUSED, OVER);
  await client.auth.login(CREDENTIALS);
  t.equal(client.token, 'b');
  await t.rejects(client.board.list(), { name: 'ApiError', status: 401 });
  t.equal(ends.length, 2, 'once for each session');
});

t.test('CLIENT52 after a logout, or with a token that was set, nothing is refreshed', async (t) => {
  const { client, service, ends } = await start(t, [pairOf('a', 'r1'), { status: 200 }, REFUSED]);
  await client.auth.login(CREDENTIALS);
  await client.auth.logout();
  await t.rejects(client.board.list(), { name: 'ApiError', status: 401 });
  service.script.push(pairOf('b', 'r2'), REFUSED);
  await client.auth.login(CREDENTIALS);
  client.token = 'mine';
  await t.rejects(client.board.list(), { name: 'ApiError', status: 401 });
  t.strictSame(sent(service), ['login', '/auth/logout a', '/boards -', 'login', '/boards mine']);
  t.strictSame(ends, []);
});

t.test('CLIENT50 with a cookie the script has no token, and a refused call refreshes once', async (t) => {
  const requests: RequestInit[] = [];
  const { client, service, ends } = await start(t, [REFUSED, REFUSED, pairOf('a', 'r1')], {
    cookie: true,
    fetch: (url, init) => {
      requests.push(init ?? {});
      return fetch(url, init);
    },
  });
  await Promise.all([client.board.list(), client.board.list()]);
  t.strictSame(sent(service), ['/boards -', '/boards -', 'refresh cookie', '/boards -', '/boards -']);
  t.equal(client.token, null);
  t.ok(requests.every(({ credentials }) => credentials === 'include'));
  service.script.push(REFUSED, OVER);
  await t.rejects(client.board.list(), { name: 'ApiError', status: 401 });
  service.script.push(REFUSED);
  await t.rejects(client.board.list(), { name: 'ApiError', status: 401 });
  t.strictSame(sent(service).slice(5), ['/boards -', 'refresh cookie', '/boards -']);
  t.equal(ends.length, 1);
  service.script.push(pairOf('b', 'r2'), REFUSED, pairOf('c', 'r3'));
  await client.auth.login(CREDENTIALS);
  t.equal(client.token, null);
  await client.board.list();
  t.strictSame(sent(service).slice(8), ['login', '/boards -', 'refresh cookie', '/boards -']);
});

t.test('CLIENT50 with a cookie a call in the session of another user is refused and reported, from login to logout', async (t) => {
  const { client, service, ends } = await start(t, [pairOf('a', 'r1')], { cookie: true });
  const refusals: unknown[] = [];
  client.on('userRefused', ({ error }) => refusals.push(error));
  const expected = (): unknown[] => service.seen.splice(0).map(({ path, headers }) => `${path} ${String(headers['expected-user'] ?? '-')}`);
  await client.auth.login(CREDENTIALS);
  await client.auth.me();
  client.resume('ann');
  await client.board.list();
  await client.board.list(undefined, { asUser: 'ben' });
  t.strictSame(expected(), ['/auth/login -', '/auth/me -', '/boards ann', '/boards ben']);
  await Promise.all([client.auth.me(), client.auth.methods(), client.auth.login(CREDENTIALS)]);
  t.strictSame(expected().sort(), ['/auth/login -', '/auth/me -', '/auth/methods -']);
  service.script.push(REFUSED, pairOf('b', 'r2'), REFUSED);
  await t.rejects(client.board.list(), { name: 'ApiError', status: 401 });
  t.strictSame(expected(), ['/boards ann', '/auth/refresh -', '/boards ann']);
  t.strictSame([refusals.length, ends.length], [1, 0]);
  service.script.push(REFUSED, OVER);
  await t.rejects(client.board.list(), { name: 'ApiError', status: 401 });
  t.strictSame([refusals.length, ends.length], [1, 1], 'a session that ended is reported as such');
  client.suspend();
  expected();
  await client.auth.login(CREDENTIALS);
  await client.board.list();
  t.strictSame(expected(), ['/auth/login -', '/boards -']);
});

t.test('CLIENT50 with a cookie a token is refreshed before it expires, as far as that is known', async (t) => {
  const clock = new ManualClock();
  const { client, service } = await start(t, [pairOf(jwt(clock, 3600, 'a'), 'r1')], { cookie: true, clock });
  await client.auth.login(CREDENTIALS);
  clock.pass(3_571_000);
  service.script.push(pairOf(jwt(clock, 3600, 'b'), 'r2'));
  await client.board.list();
  await client.board.list();
  t.strictSame(sent(service), ['login', 'refresh cookie', '/boards -', '/boards -']);
});

t.test('CLIENT50 an API key is sent as it is, and never refreshed', async (t) => {
  const { client, service, ends } = await start(t, [{ status: 200 }, REFUSED], { key: 'swb_key', token: 'unused' });
  await client.board.list();
  await t.rejects(client.board.list(), { name: 'ApiError', status: 401 });
  t.strictSame(sent(service), ['/boards swb_key', '/boards swb_key']);
  t.strictSame(ends, []);
});

t.test('CLIENT52 what happens during a refresh counts: a login, a logout', async (t) => {
  const answers: Array<(answer: Response) => void> = [];
  const paths: string[] = [];
  const hold = (url: unknown): Promise<Response> => {
    paths.push(new URL(String(url)).pathname);
    return new Promise((resolve) => answers.push(resolve));
  };
  const client = createClient({ baseUrl: 'http://service', retry: false, fetch: hold });
  const answer = (status: number, body: object): void => answers.shift()?.(new Response(JSON.stringify(body), { status }));
  const logIn = async (name: string): Promise<void> => {
    const login = client.auth.login(CREDENTIALS);
    answers.pop()?.(new Response(JSON.stringify({ access_token: name, refresh_token: `r ${name}` })));
    await login;
  };
  const ends: unknown[] = [];
  client.on('sessionEnded', (event) => ends.push(event));
  for (const status of [200, 401]) {
    await logIn('old');
    const call = client.board.list();
    await settled();
    answer(401, { detail: 'The token expired' });
    await settled();
    t.equal(paths.at(-1), '/auth/refresh');
    await logIn('new');
    answer(status, { access_token: 'late', refresh_token: 'late' });
    await settled();
    t.equal(client.token, 'new', `the refresh was answered with ${status}`);
    answer(200, []);
    await call;
  }
  t.strictSame(ends, []);
});

/** Nearly an hour with heartbeats; then the next timer is that of the renewal. */
async function untilRenewal(clock: ManualClock, { socket }: FakeService): Promise<void> {
  clock.pass(3_560_000);
  socket.say({ type: 'ping' });
  clock.fire();
  await settled();
}

async function liveSocket(options: Partial<ClientOptions>, answers: Record<string, () => Response>) {
  const service = new FakeService({
    ...options,
    fetch: async (url) => {
      const path = new URL(String(url)).pathname;
      const answer = answers[path];
      if (answer !== undefined) return answer();
      return new Response('{}', { headers: { etag: '"5"' } });
    },
  });
  return service;
}

t.test('CLIENT50 the open socket is renewed with auth before its token expires', async (t) => {
  const clock = new ManualClock();
  let refreshes = 0;
  const token = (): string => jwt(clock, 3600, `token ${refreshes}`);
  const pair = (): Response => new Response(JSON.stringify({ access_token: token(), refresh_token: `r${refreshes}` }));
  const made = await liveSocket(
    { clock, token: undefined as never },
    {
      '/auth/login': pair,
      '/auth/refresh': () => {
        refreshes += 1;
        return pair();
      },
    },
  );
  const { client } = made;
  await client.auth.login(CREDENTIALS);
  client.connect(BOARD_ID);
  await settled();
  const opened = client.token;
  t.equal(made.socket.token, opened);
  made.socket.admit(3_600_000, clock.now());
  await settled();
  for (let n = 1; n <= 3; n += 1) {
    await untilRenewal(clock, made);
    t.equal(refreshes, n);
    t.strictSame(
      made.socket
        .sentOf('auth')
        .map((message) => message.token)
        .at(-1),
      client.token,
    );
    t.not(client.token, opened);
    made.socket.admit(3_600_000, clock.now());
  }
  t.equal(made.sockets.length, 1, 'without reconnecting');
  t.equal(made.socket.sentOf('auth').length, 3);
});

t.test('CLIENT50 with a cookie the socket has no token in its address, and is renewed by a refresh alone', async (t) => {
  const clock = new ManualClock();
  let refreshes = 0;
  const made = await liveSocket(
    { clock, cookie: true, token: undefined as never },
    {
      '/auth/refresh': () => {
        refreshes += 1;
        return new Response(JSON.stringify({ access_token: jwt(clock, 3600, 'x'), refresh_token: 'y' }));
      },
    },
  );
  made.client.connect(BOARD_ID);
  await settled();
  t.equal(made.socket.token, null);
  made.socket.admit(3_600_000, clock.now());
  const since = clock.now();
  for (let n = 1; n <= 3; n += 1) {
    await untilRenewal(clock, made);
    t.equal(refreshes, n);
  }
  t.equal(clock.now() - since, 3 * 3_570_000, 'each half a minute before the end of the one before');
  t.strictSame(made.socket.sentOf('auth'), []);
  t.equal(made.sockets.length, 1);
});

t.test('CLIENT52 a socket whose session has ended is not opened again and again', async (t) => {
  for (const options of [{}, { cookie: true }]) {
    const clock = new ManualClock();
    let refreshes = 0;
    const made = await liveSocket(
      { clock, token: undefined as never, ...options },
      {
        '/auth/login': () => new Response(JSON.stringify({ access_token: 'a', refresh_token: 'r' })),
        '/auth/refresh': () => {
          refreshes += 1;
          return new Response('{"detail":"over"}', { status: 401 });
        },
      },
    );
    const ends: unknown[] = [];
    made.client.on('sessionEnded', (event) => ends.push(event));
    await made.client.auth.login(CREDENTIALS);
    const connection = made.client.connect(BOARD_ID);
    connection.ready.catch(() => undefined);
    await settled();
    made.socket.admit(3_600_000, clock.now());
    made.socket.end(1008, 'The session has ended');
    while (connection.state.kind !== 'closed') {
      clock.fire();
      await settled();
    }
    t.strictSame([refreshes, ends.length, made.sockets.length], [1, 1, 1], JSON.stringify(options));
    t.strictSame(clock.waits, [], 'nothing is waiting');
  }
});
