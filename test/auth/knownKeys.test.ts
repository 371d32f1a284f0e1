import { NO_LOCALE } from '../../src/domain/account/user.js';
import t from 'tap';
import { hashApiKey, newApiKey } from '../../src/auth/apiKeys.js';
import { Callers } from '../../src/auth/callers.js';
import { KnownKeys } from '../../src/auth/knownKeys.js';
import { createTokens } from '../../src/auth/tokens.js';
import type { FoundKey } from '../../src/domain/account/apiKey.js';
import type { DirectoryPort } from '../../src/domain/commands/directoryCommands.js';
import { AppError } from '../../src/domain/errors.js';
import { IdSource } from '../../src/domain/ids.js';
import { publicUser } from '../support/publicUser.js';
import { until } from '../support/until.js';

const ids = new IdSource();
const ANN = publicUser('ann');
const ACCOUNT = { ...ANN, ...NO_LOCALE };

function foundKey(fields: Partial<FoundKey> = {}): FoundKey {
  return { id: ids.fresh(), user_id: ANN.id, scopes: ['read'], board_ids: null, expires_at: null, ...fields };
}

/** A directory of some keys of one user, which notes what it is asked. */
function setUp() {
  const keys = new Map<string, FoundKey>();
  const asked: string[][] = [];
  const state = { isAway: false, running: 0, most: 0, users: 0, live: [] as string[] };
  const ask = async (op: string, input: { hashes: string[] }): Promise<unknown> => {
    if (op === 'user.get') {
      state.users += 1;
      if (state.isAway) throw new AppError('unavailable', 'out of reach');
      return { ...ANN, live: { revoked_at: null, sessions: [], keys: [...state.live] } };
    }
    asked.push(input.hashes);
    state.running += 1;
    state.most = Math.max(state.most, state.running);
    await new Promise(setImmediate);
    state.running -= 1;
    if (state.isAway) throw new AppError('unavailable', 'out of reach');
    return input.hashes.map((hash) => keys.get(hash) ?? null);
  };
  const directory = { ask } as unknown as DirectoryPort;
  const make = (fields: Partial<FoundKey> = {}): { key: string; id: string } => {
    const { key, token_hash } = newApiKey();
    const found = foundKey(fields);
    keys.set(token_hash, found);
    state.live.push(found.id);
    return { key, id: found.id };
  };
  return { directory, known: new KnownKeys(directory), asked, state, make };
}

t.test('KEY1 a key is long and random, and recognisable by its beginning', async (t) => {
  const [first, second] = [newApiKey(), newApiKey()];
  t.match(first.key, /^swb_[\w-]{43}$/, '256 bits');
  t.not(first.key, second.key);
  t.equal(first.prefix, first.key.slice(0, 8));
  t.equal(first.token_hash, hashApiKey(first.key));
  t.notOk(first.token_hash.includes(first.key.slice(8, 16)));
});

t.test('a known key asks the directory nothing', async (t) => {
  const { known, asked, make } = setUp();
  const { key, id } = make({ scopes: ['write'] });
  t.equal(known.peek(key), undefined);
  const token = await known.verify(key);
  t.match(token, { userId: ANN.id, sessionId: id, expiresAt: Infinity });
  t.strictSame(token.key, { id, scopes: new Set(['read', 'write']), boards: null });
  t.equal(await known.verify(key), token);
  t.equal(known.peek(key), token);
  t.equal(asked.length, 1);
});

t.test('SESS25 an unknown key is asked for once, and a text that is no key never', async (t) => {
  const { known, asked } = setUp();
  const { key } = newApiKey();
  for (let n = 0; n < 3; n += 1) await t.rejects(known.verify(key), { code: 'unauthenticated' });
  t.equal(asked.length, 1);
  for (const text of ['swb_', 'swb_short', `${key}x`, `${key.slice(0, -1)}.`, 'swb_' + 'x'.repeat(5_000)]) {
    await t.rejects(known.verify(text), { code: 'unauthenticated' }, text.slice(0, 60));
  }
  t.equal(asked.length, 1);
});

t.test('SESS25 any number of unknown keys is one question at a time, and beyond a limit refused', async (t) => {
  const { known, asked, state, make } = setUp();
  const { key } = make();
  const flood = Array.from({ length: 2_500 }, () => known.verify(newApiKey().key));
  const outcomes = await Promise.allSettled(flood);
  const codes = outcomes.map((each) => (each.status === 'rejected' ? (each.reason as AppError).code : 'good'));
  t.equal(codes.filter((code) => code === 'unauthenticated').length, 2_000);
  t.equal(codes.filter((code) => code === 'unavailable').length, 500);
  t.equal(state.most, 1);
  t.equal(asked.length, 20);
  t.ok(await known.verify(key), 'afterwards keys are looked up as before');
});

t.test('SESS25 equal keys at the same time share one answer, and a failure is remembered by nobody', async (t) => {
  const { known, asked, state, make } = setUp();
  const { key } = make();
  state.isAway = true;
  const failed = await Promise.allSettled([known.verify(key), known.verify(key)]);
  t.match(failed, [{ reason: { code: 'unavailable' } }, { reason: { code: 'unavailable' } }]);
  state.isAway = false;
  await Promise.all([known.verify(key), known.verify(key), known.verify(key)]);
  t.strictSame(asked, [[hashApiKey(key)], [hashApiKey(key)]]);
});

t.test('KEY10 a key that has expired is refused, also one that was cached before', async (t) => {
  const { known, make } = setUp();
  const past = make({ expires_at: new Date(Date.now() - 1_000).toISOString() });
  await t.rejects(known.verify(past.key), { code: 'unauthenticated', detail: 'The API key has expired' });
  t.equal(known.peek(past.key), undefined);
  const soon = make({ expires_at: new Date(Math.ceil(Date.now() / 1000 + 1) * 1000).toISOString() });
  t.ok(await known.verify(soon.key));
  await until(() => known.peek(soon.key) === undefined);
  await t.rejects(known.verify(soon.key), { code: 'unauthenticated', detail: 'The API key has expired' });
});

function callersOf({ directory }: { directory: DirectoryPort }, now = Date.now): Callers {
  return new Callers(createTokens({ secret: 'x'.repeat(32), algorithm: 'HS256', lifetimeSeconds: 60, audience: 'tests' }), directory, null, now);
}

t.test('KEY10 a revoked key is refused as soon as the change is reported', async (t) => {
  const service = setUp();
  const { state, make, asked } = service;
  const callers = callersOf(service);
  const board = ids.fresh();
  const [kept, revoked] = [make(), make({ board_ids: [board] })];
  t.strictSame((await callers.identify(kept.key)).user, ACCOUNT);
  const { user, key } = await callers.identify(revoked.key);
  t.strictSame(user, ACCOUNT);
  t.strictSame([...(key?.boards?.values() ?? [])], [board]);
  t.equal(state.users, 1, 'the keys of a user share the cached user');
  state.live = [kept.id];
  t.ok(callers.identify(revoked.key), 'not yet reported');
  callers.forget(ANN.id);
  const refusal = { code: 'unauthenticated', detail: 'The API key is unknown or was revoked' };
  for (let n = 0; n < 3; n += 1) await t.rejects(async () => callers.identify(revoked.key), refusal);
  t.equal(state.users, 2);
  t.strictSame((await callers.identify(kept.key)).user, ACCOUNT);
  t.equal(asked.length, 2, 'each key was looked up once');
});

t.test('SESS20 while the directory is out of reach, a key is good for as long as an access token would be', async (t) => {
  const service = setUp();
  const clock = { ms: 0 };
  const callers = callersOf(service, () => clock.ms);
  const { key } = service.make();
  await callers.identify(key);
  service.state.isAway = true;
  callers.doubtAll();
  clock.ms = 60_000;
  t.strictSame((await callers.identify(key)).user, ACCOUNT);
  clock.ms = 60_001;
  await t.rejects(async () => callers.identify(key), { code: 'unavailable' }, 'it may have been revoked long ago');
  service.state.isAway = false;
  t.strictSame((await callers.identify(key)).user, ACCOUNT);
});

t.test('SESS25 revoked keys without end are forgotten, and still refused', async (t) => {
  const service = setUp();
  const { state, make } = service;
  const callers = callersOf(service);
  const keys = Array.from({ length: 1_200 }, () => make().key);
  state.live = [];
  for (const key of keys) await t.rejects(async () => callers.identify(key), { code: 'unauthenticated' });
  t.equal(state.users, 1_200);
  await t.rejects(async () => callers.identify(keys.at(-1) ?? ''), { code: 'unauthenticated' });
  t.equal(state.users, 1_200, 'a recent one is remembered');
  await t.rejects(async () => callers.identify(keys[0] ?? ''), { code: 'unauthenticated' });
  t.equal(state.users, 1_201, 'an old one is asked for again');
});

t.test('the hot path of a known key has no promise', async (t) => {
  const service = setUp();
  const callers = callersOf(service);
  const { key } = service.make();
  await callers.identify(key);
  t.notOk(callers.identify(key) instanceof Promise);
  t.match(await callers.verify(key), { user: ANN, token: { expiresAt: Infinity } });
});

t.test('KEY3 requests note which keys are used', async (t) => {
  const service = setUp();
  const callers = callersOf(service);
  const { key, id } = service.make();
  for (let n = 0; n < 3; n += 1) await callers.identify(key);
  t.strictSame(callers.takeSeen(), [id]);
  t.strictSame(callers.takeSeen(), []);
});
