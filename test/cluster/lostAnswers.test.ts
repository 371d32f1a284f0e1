import t from 'tap';
import { CardWriter } from '../support/board/cardWriter.js';
import { TestCluster } from '../support/cluster/cluster.js';
import { boardOwnedBy, titlesOn } from '../support/cluster/clusterBoard.js';
import { natsUrl } from '../support/cluster/natsProcess.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { Relay } from '../support/cluster/relay.js';
import { newUser } from '../support/http/users.js';
import { skipWithout } from '../support/service/programs.js';
import { until } from '../support/until.js';

const skip = skipWithout(await findNatsServer());

/** How often the owner is disconnected. */
const ROUNDS = 8;

t.test('CLUSTER62 changes without a key are made once, and none fails, although their owner loses its connection to NATS', { skip }, async (t) => {
  const cluster = await TestCluster.prepare(t);
  const relay = await Relay.open(t, Number(new URL(cluster.nats.url).port));
  const through = await cluster.add();
  const owner = await cluster.add({ NATS_URL: natsUrl(relay.port) });
  await cluster.evenlySpread();
  const ann = await newUser(through.api);
  const board = await boardOwnedBy(cluster, owner, ann);
  const writer = new CardWriter({ name: 'card', user: ann, boards: [board], pick: () => through, parallel: 16, pace: 1 });
  const written = async (count: number): Promise<void> => void (await until(async () => writer.written.length >= count));
  for (let round = 0; round < ROUNDS; round += 1) {
    relay.reset();
    // Everything that was under way is answered, and more.
    await written(writer.written.length + 64);
  }
  await writer.stop();
  if (!cluster.tookOneForDead)
    t.strictSame(
      writer.written.filter(({ status }) => status !== 201),
      [],
      'no client saw an error',
    );
  const titles = await titlesOn(owner, ann, board);
  t.equal(new Set(titles).size, titles.length, 'no card twice');
  const missing = writer.acknowledged.filter(({ title }) => !titles.includes(title));
  t.strictSame(missing, [], 'and none is missing');
});
