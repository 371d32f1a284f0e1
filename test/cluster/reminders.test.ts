/** Reminders while a shard changes its owner. */
import t from 'tap';
import { DueCards } from '../support/board/dueCards.js';
import { first, TestCluster } from '../support/cluster/cluster.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { skipFile } from '../support/runner/skippedFile.js';
import { skipWithout } from '../support/service/programs.js';
import { until } from '../support/until.js';

const skip = skipWithout(await findNatsServer());
if (skip !== false) skipFile('REMIND2', skip);

t.test('REMIND2 the next owner of a shard goes on with its reminders, and repeats none', async (t) => {
  const cluster = await TestCluster.start(t, 2);
  const scene = await DueCards.on(first(cluster.instances).api, 60);
  await until(async () => (await scene.reminded()).length > 0);
  const owner = await cluster.ownerOf(scene.boardId);
  const [other] = cluster.others(owner);
  if (other === undefined) throw new Error('there is no other instance');
  await owner.kill();
  scene.api = other.api;
  await until(async () => (await scene.reminded().catch(() => [])).length >= scene.cards.length);
  t.strictSame((await scene.reminded()).sort(), scene.cards.toSorted());
});
