import t from 'tap';
import { NatsCluster } from '../support/cluster/natsCluster.js';
import { findClusterNats, findNatsServer, natsVersion } from '../support/cluster/natsServer.js';
import { TestStream } from '../support/cluster/testStream.js';
import { pathOf, skipWithout } from '../support/service/programs.js';

const nats = await findClusterNats();
const skip = skipWithout(nats);

/** Servers elect, and instances start, more slowly on a busy machine. */

t.test('MACHINE1 three servers with the configuration for operators flush each record to disk', { skip }, async (t) => {
  const cluster = await NatsCluster.start(t, pathOf(nats));
  const infos = await cluster.infoWithLeader();
  const version = await natsVersion(pathOf(nats));
  t.strictSame(
    infos.map((info) => info.version),
    [version, version, version],
  );
  t.strictSame(
    infos.map(({ syncAlways }) => syncAlways),
    [true, true, true],
  );

  await t.test('and one that was killed and lost its disk gets its copy back', async (t) => {
    const stream = await TestStream.create(cluster, 3);
    await stream.append(0, 'before');
    // Not a leader, for which the others would need an election.
    const leader = await cluster.leaderOf(stream.name);
    const lost = infos.findIndex(({ name, metaLeader }, server) => server !== leader && name !== metaLeader);
    const other = (lost + 1) % 3;
    await cluster.kill(lost);
    await cluster.wipe(lost);
    await stream.append(other, 'meanwhile');
    await cluster.start(lost);
    await stream.untilCopiesAgree();
    t.strictSame(await stream.contentOf(lost), ['before', 'meanwhile']);
  });
});

t.test('MACHINE1 servers that are restarted one by one lose nothing', { skip }, async (t) => {
  const cluster = await NatsCluster.start(t, pathOf(nats));
  const stream = await TestStream.create(cluster, 3);
  for (const server of [0, 1, 2]) {
    await cluster.stop(server);
    await stream.append((server + 1) % 3, `without ${server}`);
    await cluster.start(server);
    await stream.untilCopiesAgree();
  }
  t.strictSame(await stream.contentOf(0), ['without 0', 'without 1', 'without 2']);
});

t.test('MACHINE1 one server keeps its streams when it is killed', { skip }, async (t) => {
  const cluster = await NatsCluster.start(t, pathOf(nats), 1);
  const stream = await TestStream.create(cluster, 1);
  await stream.append(0, 'before');
  await cluster.kill(0);
  await cluster.start(0);
  await stream.append(0, 'after');
  t.strictSame(await stream.contentOf(0), ['before', 'after']);
});

t.test('a server that is too old is not used, and a missing one is explained', async (t) => {
  t.match(await findNatsServer({ atLeast: '999.0.0' }), { missing: /999\.0\.0 or later/ });
});
