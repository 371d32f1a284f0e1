import t from 'tap';
import { Callers } from '../../src/auth/callers.js';
import { createTokens } from '../../src/auth/tokens.js';
import { ContactTime } from '../../src/cluster/userTrust.js';
import type { DirectoryPort } from '../../src/domain/commands/directoryCommands.js';
import { AppError } from '../../src/domain/errors.js';
import type { Remembrance } from '../../src/domain/ports/remembrance.js';
import type { LiveSession } from '../../src/domain/account/session.js';
import type { Whereabouts } from '../../src/partitions/ownership.js';
import type { PublicUser } from '../../src/domain/account/user.js';
import { publicUser } from '../support/publicUser.js';

const HOUR_MS = 3_600_000;
const ANN = { ...publicUser('ann'), language: null, time_zone: 'Europe/Vienna' };
const [FIRST, SECOND, THIRD] = [
  '11111111-1111-4111-8111-111111111111',
  '22222222-2222-4222-8222-222222222222',
  '33333333-3333-4333-8333-333333333333',
];

function sessionWith(id: string): LiveSession {
  return { id, refreshed_at: new Date().toISOString(), expires_at: new Date(Date.now() + 3_600_000).toISOString() };
}

/** A directory of one user, who can be changed; it can be out of reach. */
async function setUp(remembrance: Remembrance | null = null) {
  const directory = { user: ANN as PublicUser | null, isAway: false, asked: 0, meanwhile: () => undefined as void };
  const ask = async (): Promise<PublicUser | null> => {
    directory.asked += 1;
    if (directory.isAway) throw new AppError('unavailable', 'out of reach');
    const { user } = directory;
    directory.meanwhile();
    return user;
  };
  const tokens = createTokens({ secret: 'x'.repeat(32), algorithm: 'HS256', lifetimeSeconds: 60, audience: 'tests' });
  const callers = new Callers(tokens, { ask } as unknown as DirectoryPort, remembrance);
  const token = await tokens.issue(ANN.id);
  return { directory, callers, tokens, identify: async () => (await callers.identify(token)).user };
}

t.test('AUTH17 a user is cached until a change is reported', async (t) => {
  const { directory, callers, identify } = await setUp();
  t.strictSame(await identify(), ANN);
  t.strictSame(await identify(), ANN);
  t.equal(directory.asked, 1);
  directory.user = { ...ANN, firstname: 'Ann' };
  callers.forget(ANN.id);
  t.match(await identify(), { firstname: 'Ann' });
});

t.test('AUTH17 an answer that left the directory before the change is not cached', async (t) => {
  const { directory, callers, identify } = await setUp();
  directory.meanwhile = () => {
    directory.meanwhile = () => undefined;
    directory.user = { ...ANN, is_active: false };
    callers.forget(ANN.id);
  };
  t.strictSame(await identify(), ANN, 'as it was at the time of the ask');
  await t.rejects(identify(), { code: 'unauthenticated' });
});

t.test('a token whose session is not cached asks the directory once', async (t) => {
  const { directory, callers, tokens, identify } = await setUp();
  const tokenOf = (id: string): Promise<string> => tokens.issue(ANN.id, sessionWith(id));
  const live = (...ids: string[]): void => {
    directory.user = { ...ANN, live: { revoked_at: null, sessions: ids.map(sessionWith), keys: [] } } as PublicUser;
  };
  live(FIRST);
  const [first, second] = [await tokenOf(FIRST), await tokenOf(SECOND)];
  for (let n = 0; n < 3; n += 1) t.strictSame((await callers.identify(first)).user, ANN, 'without its sessions');
  t.equal(directory.asked, 1);
  for (let n = 0; n < 3; n += 1) await t.rejects(async () => callers.identify(second), { code: 'unauthenticated' });
  t.equal(directory.asked, 2, 'a session that has ended');
  await callers.identify(first);
  await identify();
  t.equal(directory.asked, 2, 'the others are still known');
  live(FIRST, THIRD);
  t.strictSame((await callers.identify(await tokenOf(THIRD))).user, ANN, 'a new session');
  t.equal(directory.asked, 3);
  live(THIRD);
  t.strictSame((await callers.identify(first)).user, ANN, 'not yet reported');
  callers.forget(ANN.id);
  await t.rejects(async () => callers.identify(first), { code: 'unauthenticated', detail: 'The session has ended' });
});

t.test('SESS8 a token without a session is refused if it is older than the last revocation', async (t) => {
  const { directory, callers, identify } = await setUp();
  const revokedAt = (milliseconds: number): void => {
    directory.user = { ...ANN, live: { revoked_at: new Date(milliseconds).toISOString(), sessions: [], keys: [] } } as PublicUser;
    callers.forget(ANN.id);
  };
  revokedAt(Date.now() - 60_000);
  t.strictSame(await identify(), ANN);
  revokedAt(Date.now() + 1_000);
  await t.rejects(identify(), { code: 'unauthenticated' });
});

t.test('SESS1 requests note which sessions are used', async (t) => {
  const { directory, callers, tokens, identify } = await setUp();
  directory.user = { ...ANN, live: { revoked_at: null, sessions: [sessionWith(FIRST)], keys: [] } } as PublicUser;
  const [first, ended] = [await tokens.issue(ANN.id, sessionWith(FIRST)), await tokens.issue(ANN.id, sessionWith(SECOND))];
  for (let n = 0; n < 3; n += 1) await callers.identify(first);
  await identify();
  await t.rejects(async () => callers.identify(ended));
  t.strictSame(callers.takeSeen(), [FIRST]);
  t.strictSame(callers.takeSeen(), []);
});

t.test('SESS20 a session is honoured while the directory is out of reach if it was live before', async (t) => {
  const { directory, callers, tokens } = await setUp();
  directory.user = { ...ANN, live: { revoked_at: null, sessions: [sessionWith(FIRST)], keys: [] } } as PublicUser;
  const [first, unknown] = [await tokens.issue(ANN.id, sessionWith(FIRST)), await tokens.issue(ANN.id, sessionWith(SECOND))];
  await callers.identify(first);
  callers.doubtAll();
  directory.isAway = true;
  t.strictSame((await callers.identify(first)).user, ANN);
  await t.rejects(async () => callers.identify(unknown), { code: 'unavailable' }, 'an unknown one is not accepted, and not ended');
  directory.isAway = false;
  directory.user = { ...ANN, live: { revoked_at: null, sessions: [sessionWith(SECOND)], keys: [] } } as PublicUser;
  await t.rejects(async () => callers.identify(first), { code: 'unauthenticated' }, 'compared again');
  t.strictSame((await callers.identify(unknown)).user, ANN);
});

t.test('a session that the directory does not name has ended', async (t) => {
  const { callers, tokens } = await setUp();
  await t.rejects(async () => callers.identify(await tokens.issue(ANN.id, sessionWith(FIRST))), { code: 'unauthenticated' });
});

t.test('SESS20 after changes may have been missed, every cached user is read again', async (t) => {
  const { directory, callers, identify } = await setUp();
  await identify();
  directory.user = { ...ANN, is_active: false };
  callers.doubtAll();
  await t.rejects(identify(), { code: 'unauthenticated' });
  directory.user = null;
  await t.rejects(identify(), { code: 'unauthenticated' }, 'and stays refused');
});

t.test('SESS20 a cached user is accepted while the directory is out of reach, and only then', async (t) => {
  const { directory, callers, identify } = await setUp();
  directory.isAway = true;
  await t.rejects(identify(), { code: 'unavailable' }, 'an unknown user is not accepted');
  directory.isAway = false;
  await identify();
  callers.doubtAll();
  directory.isAway = true;
  t.strictSame(await identify(), ANN);
  directory.isAway = false;
  directory.user = { ...ANN, is_active: false };
  await t.rejects(identify(), { code: 'unauthenticated' }, 'the accepted answer is not cached');
  directory.isAway = true;
  await t.rejects(identify(), { code: 'unavailable' }, 'a refused user is no longer accepted');
});

t.test('SESS20 a cached user is accepted also if the connection comes and goes while the user is read again', async (t) => {
  const { directory, callers, identify } = await setUp();
  await identify();
  callers.doubtAll();
  directory.meanwhile = () => callers.doubtAll();
  t.strictSame(await identify(), ANN);
  directory.isAway = true;
  t.strictSame(await identify(), ANN);
  callers.forget(ANN.id);
  await t.rejects(identify(), { code: 'unavailable' }, 'but not after a change of the user was heard of');
});

t.test('LEASE26 with replicated data what is remembered is not used once the directory may have another owner', async (t) => {
  const remembrance = { current: true, isCurrent: () => remembrance.current, isUsable: () => false };
  const { directory, callers, identify } = await setUp(remembrance);
  t.strictSame(await identify(), ANN);
  t.strictSame(await identify(), ANN);
  t.equal(directory.asked, 1, 'within the lease nobody is asked');
  remembrance.current = false;
  directory.user = { ...ANN, is_superuser: true };
  t.match(await identify(), { is_superuser: true }, 'after it the directory is asked');
  directory.isAway = true;
  await t.rejects(identify(), { code: 'unavailable' }, 'and if it does not answer, the request is refused');
  callers.doubtAll();
  await t.rejects(identify(), { code: 'unavailable' });
  directory.isAway = false;
  directory.user = { ...ANN, is_active: false };
  await t.rejects(identify(), { code: 'unauthenticated' }, 'a deactivation takes the same way');
});

t.test('LEASE26 on a shared folder what is remembered is used for an hour since the directory was in reach', async (t) => {
  const world = { now: 0, where: 'elsewhere' as Whereabouts };
  const contact = new ContactTime(
    () => world.where,
    () => world.now,
  );
  t.teardown(() => contact.stop());
  const { directory, callers, identify } = await setUp(contact);
  t.strictSame(await identify(), ANN);
  world.now = 10 * HOUR_MS;
  contact.note();
  world.where = 'out of reach';
  directory.isAway = true;
  world.now += HOUR_MS - 1;
  contact.note();
  t.strictSame(await identify(), ANN, 'nobody is asked');
  callers.doubtAll();
  t.strictSame(await identify(), ANN, 'nor does a failed ask matter');
  world.now += 1;
  await t.rejects(identify(), { code: 'unavailable' });
  world.where = 'elsewhere';
  directory.isAway = false;
  contact.note();
  t.strictSame(await identify(), ANN);
});
