import t, { type Test } from 'tap';
import { createClient, type Client, type ClientOptions } from '../../src/client/index.js';
import { ManualClock } from './manualClock.js';
import { startScriptedHttp, type ScriptedHttp, type Script } from './scriptedHttp.js';

const REFUSED = { status: 401, body: { detail: 'The token expired' } };

interface Setting {
  readonly client: Client;
  readonly service: ScriptedHttp;
  readonly clock: ManualClock;
  /** The tokens that were supplied. */
  readonly supplied: string[];
}

async function start(t: Test, script: Script[], options: Partial<ClientOptions> = {}): Promise<Setting> {
  const service = await startScriptedHttp(t, ...script);
  const clock = new ManualClock();
  const supplied: string[] = [];
  const getToken = async (): Promise<string> => {
    supplied.push(`token ${supplied.length + 1}`);
    return supplied.at(-1) ?? '';
  };
  const client = createClient({ baseUrl: service.url, clock, getToken, ...options });
  return { client, service, clock, supplied };
}

function sentTokens({ seen }: ScriptedHttp): Array<string | undefined> {
  return seen.map(({ headers }) => headers.authorization?.replace('Bearer ', ''));
}

/** Ends so many seconds after the clock's time. */
function jwt(clock: ManualClock, seconds: number): string {
  const claims = { sub: 'ü', exp: clock.now() / 1000 + seconds };
  return `header.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature`;
}

t.test('CLIENT35 a token is asked for if there is none, once for all calls', async (t) => {
  const { client, service, supplied } = await start(t, []);
  await Promise.all([client.board.list(), client.auth.me(), client.board.list()]);
  t.strictSame(sentTokens(service), ['token 1', 'token 1', 'token 1']);
  await client.board.list();
  t.equal(supplied.length, 1, 'and then kept');
  t.equal(client.token, 'token 1');
});

t.test('CLIENT35 a refused token is replaced once a call, once for all calls', async (t) => {
  const { client, service, supplied } = await start(t, [REFUSED, REFUSED], { token: 'old' });
  await Promise.all([client.board.list(), client.auth.me()]);
  t.strictSame(supplied, ['token 1']);
  t.strictSame(sentTokens(service).sort(), ['old', 'old', 'token 1', 'token 1']);

  const never = await start(t, [REFUSED, REFUSED, REFUSED], { token: 'old' });
  await t.rejects(never.client.board.list(), { name: 'ApiError', status: 401 });
  t.strictSame(sentTokens(never.service), ['old', 'token 1']);

  const without = await start(t, [REFUSED, REFUSED], { token: 'old' });
  const plain = createClient({ baseUrl: without.service.url, token: 'old' });
  await t.rejects(plain.board.list(), { name: 'ApiError', status: 401 });
  t.equal(without.service.seen.length, 1, 'without getToken there is nothing to try');
});

t.test('CLIENT35 a token that soon expires is replaced before it is used', async (t) => {
  const clock = new ManualClock();
  const tokens = [jwt(clock, 3600), jwt(clock, 7200)];
  const getToken = (): string => tokens.shift() ?? '';
  const { client, service } = await start(t, [], { clock, getToken });
  const [first = '', second = ''] = tokens;
  await client.board.list();
  clock.pass(3_569_000);
  await client.board.list();
  t.strictSame(sentTokens(service), [first, first], 'half a minute before its end it is still used');
  clock.pass(2_000);
  await client.board.list();
  t.equal(sentTokens(service)[2], second);
});

t.test('CLIENT35 operations that need no token ask for none, so getToken can use them', async (t) => {
  const login = { username: 'ann', password: 'secret' };
  const client: Client = createClient({
    baseUrl: (await startLogin(t)).url,
    getToken: async () => (await client.auth.login(login)).access_token,
  });
  t.strictSame(await client.health(), { access_token: 'fresh' });
  t.equal(client.token, null);
  await client.board.list();
  t.equal(client.token, 'fresh');

  const failing = await start(t, [REFUSED]);
  await t.rejects(failing.client.auth.login(login), { name: 'ApiError', status: 401 });
  t.strictSame(failing.supplied, []);
});

function startLogin(t: Test): Promise<ScriptedHttp> {
  const answer = { status: 200, body: { access_token: 'fresh' } };
  return startScriptedHttp(t, answer, answer, answer);
}

t.test('CLIENT35 an opaque token, and one that has expired by our clock, are used until they are refused', async (t) => {
  for (const makeToken of [() => 'swb_opaque', () => 'a.%.c', () => 'a.bnVsbA.c', (clock: ManualClock) => jwt(clock, -60)]) {
    let questions = 0;
    const clock = new ManualClock();
    const token = makeToken(clock);
    const getToken = (): string => {
      questions += 1;
      return token;
    };
    const { client, service } = await start(t, [], { clock, getToken });
    for (let n = 0; n < 3; n += 1) await client.board.list();
    t.strictSame([sentTokens(service), questions], [[token, token, token], 1], token);
  }
});

t.test('CLIENT35 if no token can be had, the call fails with the reason; a valid one is used meanwhile', async (t) => {
  const clock = new ManualClock();
  const soonOver = jwt(clock, 60);
  const getToken = async (): Promise<string> => {
    throw new Error('logged out');
  };
  const { client, service } = await start(t, [{ status: 200 }, REFUSED], { token: soonOver, clock, getToken });
  clock.pass(50_000);
  await client.board.list();
  t.strictSame(sentTokens(service), [soonOver]);
  await t.rejects(client.board.list(), { message: 'logged out' }, 'it was refused');
  client.token = null;
  await t.rejects(client.board.list(), { message: 'logged out' });
  t.equal(service.seen.length, 2);
});

t.test('CLIENT35 a signal ends the wait for a token', async (t) => {
  const controller = new AbortController();
  const { client } = await start(t, [], { getToken: () => new Promise<string>(() => undefined) });
  const call = client.board.list({}, { signal: controller.signal });
  controller.abort();
  await t.rejects(call, { name: 'AbortError' });
});
