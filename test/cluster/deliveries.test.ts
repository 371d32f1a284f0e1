/** Outbox entries of one partition for another arrive, also if their owners freeze, die or change. */
import { join } from 'node:path';
import t from 'tap';
import { first, TestCluster, type Instance } from '../support/cluster/cluster.js';
import { boardOwnedBy, type ClusterBoard } from '../support/cluster/clusterBoard.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { IS_LONG_FORM } from '../support/runner/testProcess.js';
import { skipWithout } from '../support/service/programs.js';
import { query } from '../support/store/sqlFile.js';
import { newUser, type TestUser } from '../support/http/users.js';
import { until } from '../support/until.js';
import { skipFile } from '../support/runner/skippedFile.js';

const skip = skipWithout(await findNatsServer());
if (skip !== false) skipFile('OUTBOX12', skip);

/** Restarts of the owner of the directory. */
const ROUNDS = IS_LONG_FORM ? 5 : 2;

const cluster = await TestCluster.start(t, 3, { MAX_PROFILE_CHANGES_PER_MINUTE: '1000' });

async function ownerOfDirectory(): Promise<Instance> {
  const owner = (await cluster.evenlySpread()).find(({ owns }) => owns.includes('directory'));
  return first(cluster.running.filter(({ pid }) => pid === owner?.pid));
}

/** The user's first name as the board shows it; null while the board is out of reach. */
async function nameOn(through: Instance, { id, token }: TestUser, board: ClusterBoard): Promise<string | null> {
  const { status, body } = await through.api.request<Array<{ user_id: string; user: { firstname: string } }>>('GET', `/boards/${board.id}/members`, {
    token,
  });
  return status === 200 ? (body.find(({ user_id }) => user_id === id)?.user.firstname ?? null) : null;
}

async function rename(through: Instance, { token }: TestUser, firstname: string): Promise<void> {
  await until(async () => {
    return (await through.api.request('PATCH', '/auth/me', { token, json: { firstname } })).status === 200;
  });
}

t.test('OUTBOX10 a changed profile reaches a frozen board although the owner of the users died meanwhile', async (t) => {
  const owner = await ownerOfDirectory();
  const [frozen, other] = cluster.others(owner);
  if (frozen === undefined || other === undefined) throw new Error('three were started');
  const ann = await newUser(other.api);
  const boards = [await boardOwnedBy(cluster, frozen, ann), await boardOwnedBy(cluster, other, ann)] as const;
  frozen.freeze();
  await rename(other, ann, 'First');
  await until(async () => (await nameOn(other, ann, boards[1])) === 'First');
  await owner.kill();
  await rename(other, ann, 'Second');
  await until(async () => (await nameOn(other, ann, boards[1])) === 'Second');
  frozen.resume();
  for (const board of boards) await until(async () => (await nameOn(other, ann, board)) === 'Second');
  const file = join(cluster.dataDir, 'directory.sqlite');
  await until(async () => query(file, 'SELECT 1 FROM pending_profile').length === 0);
  for (const board of boards) t.equal(await nameOn(frozen, ann, board), 'Second');
  await cluster.add();
});

t.test('OUTBOX10 profiles and memberships that change while partitions move are the same everywhere afterwards', async (t) => {
  const instance = first(cluster.running);
  const [ann, ben] = [await newUser(instance.api), await newUser(instance.api)];
  const boards = await Promise.all(cluster.running.map((each) => boardOwnedBy(cluster, each, ann)));
  let last = '';
  for (let round = 0; round < ROUNDS; round += 1) {
    const [victim, ...rest] = [await ownerOfDirectory(), ...cluster.others(await ownerOfDirectory())];
    const through = first(rest);
    const leaving = victim.stop();
    for (let n = 0; n < 10; n += 1) {
      last = `${round} ${n}`;
      await rename(through, ann, last);
    }
    for (const { id } of boards) {
      const invited = { token: ann.token, json: { user_id: ben.id } };
      await until(async () => {
        const { status } = await through.api.request('POST', `/boards/${id}/invite`, invited);
        return status === 200 || status === 409;
      });
    }
    await leaving;
    await cluster.add();
    for (const board of boards) {
      await until(async () => (await nameOn(through, ann, board)) === last);
      const { status } = await through.api.request('DELETE', `/boards/${board.id}/members/${ben.id}`, { token: ann.token });
      t.equal(status, 204);
    }
    // The answers waited two seconds at most for the list of the user.
    for (const { api } of cluster.running) {
      await until(async () => {
        const { status, body } = await api.request<unknown[]>('GET', '/boards', { token: ben.token });
        return status === 200 && body.length === 0;
      });
    }
  }
  await cluster.evenlySpread();
  for (const board of boards) t.equal(await nameOn(instance.isRunning ? instance : first(cluster.running), ann, board), last);
});
