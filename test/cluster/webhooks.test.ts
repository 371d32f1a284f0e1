/** Webhooks while shards change their owners. */
import t from 'tap';
import { first, TestCluster } from '../support/cluster/cluster.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { skipWithout } from '../support/service/programs.js';
import { until } from '../support/until.js';
import { ALLOWED, HookScene } from '../support/webhooks/hookScene.js';
import { Receiver } from '../support/webhooks/receiver.js';
import { skipFile } from '../support/runner/skippedFile.js';

const skip = skipWithout(await findNatsServer());
if (skip !== false) skipFile('HOOK1', skip);

t.test('HOOK1 the next owner of a shard goes on with its deliveries, without a gap and in order', async (t) => {
  const cluster = await TestCluster.start(t, 2, ALLOWED);
  const scene = await HookScene.on(first(cluster.instances).api);
  const receiver = await Receiver.start(t);
  receiver.behaviour = (response) => setTimeout(() => response.writeHead(204).end(), 30);
  await scene.hook({ url: receiver.url });
  let seq = 0;
  for (const way of ['kill', 'stop'] as const) {
    const owner = await cluster.ownerOf(scene.boardId);
    const [other] = cluster.others(owner);
    if (other === undefined) throw new Error('there is no other instance');
    const through = new HookScene(other.api, scene.owner, scene.boardId);
    for (let n = 0; n < 20; n += 1) await through.rename(`Title ${(seq += 1)}`);
    await receiver.until((got) => (got.at(-1)?.body.seq ?? 0) >= seq - 15);
    await owner[way]();
    await until(async () => (await other.api.request('GET', `/boards/${scene.boardId}`, { token: scene.owner.token })).status === 200);
    await through.rename(`Title ${(seq += 1)}`);
    await receiver.until((got) => got.at(-1)?.body.seq === seq);
    if (way === 'kill') {
      await cluster.add();
      await cluster.evenlySpread();
    }
  }
  const seqs = receiver.all.map(({ body }) => body.seq);
  t.strictSame(
    [...new Set(seqs)].sort((a, b) => a - b),
    Array.from({ length: seq }, (_, index) => index + 1),
    'every event',
  );
  for (const [index, number] of seqs.entries()) {
    const furthest = Math.max(0, ...seqs.slice(0, index));
    t.ok(number <= furthest + 1, `after ${furthest} comes ${number}`);
  }
});
