import t from 'tap';
import { Callers } from '../../src/auth/callers.js';
import { createTokens } from '../../src/auth/tokens.js';
import type { DirectoryPort } from '../../src/domain/commands/directoryCommands.js';
import { AppError } from '../../src/domain/errors.js';
import type { PublicUser } from '../../src/domain/user.js';
import { publicUser } from '../support/publicUser.js';

const ANN = publicUser('ann');

/** A directory of one user, who can be changed; it can be out of reach. */
async function setUp() {
  const directory = { user: ANN as PublicUser | null, isAway: false, asked: 0, meanwhile: () => undefined as void };
  const ask = async (): Promise<PublicUser | null> => {
    directory.asked += 1;
    if (directory.isAway) throw new AppError('unavailable', 'out of reach');
    const { user } = directory;
    directory.meanwhile();
    return user;
  };
  const tokens = createTokens({ secret: 'x'.repeat(32), algorithm: 'HS256', lifetimeSeconds: 60, audience: 'tests' });
  const callers = new Callers(tokens, { ask } as unknown as DirectoryPort);
  const token = await tokens.issue(ANN.id);
  return { directory, callers, identify: async () => callers.identify(token) };
}

t.test('CALLER1 a user is cached until a change is reported', async (t) => {
  const { directory, callers, identify } = await setUp();
  t.strictSame(await identify(), ANN);
  t.strictSame(await identify(), ANN);
  t.equal(directory.asked, 1);
  directory.user = { ...ANN, firstname: 'Ann' };
  callers.forget(ANN.id);
  t.match(await identify(), { firstname: 'Ann' });
});

t.test('CALLER1 an answer that left the directory before the change is not cached', async (t) => {
  const { directory, callers, identify } = await setUp();
  directory.meanwhile = () => {
    directory.meanwhile = () => undefined;
    directory.user = { ...ANN, is_active: false };
    callers.forget(ANN.id);
  };
  t.strictSame(await identify(), ANN, 'as it was at the time of the ask');
  await t.rejects(identify(), { code: 'unauthenticated' });
});

t.test('CALLER2 after changes may have been missed, every cached user is read again', async (t) => {
  const { directory, callers, identify } = await setUp();
  await identify();
  directory.user = { ...ANN, is_active: false };
  callers.doubtAll();
  await t.rejects(identify(), { code: 'unauthenticated' });
  directory.user = null;
  await t.rejects(identify(), { code: 'unauthenticated' }, 'and stays refused');
});

t.test('CALLER3 a cached user is accepted while the directory is out of reach, and only then', async (t) => {
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

t.test('CALLER3 a cached user is accepted also if the connection comes and goes while the user is read again', async (t) => {
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
