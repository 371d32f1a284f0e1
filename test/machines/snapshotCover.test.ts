/** A snapshot that an operator asks for, of a log that has lost more than the file of the copy knows of. */
import { mkdir, rm } from 'node:fs/promises';
import t from 'tap';
import { streamName } from '../../src/log/logNames.js';
import type { PartitionName } from '../../src/partitions/messages.js';
import { partitionNames } from '../../src/partitions/partitionNames.js';
import { Machines } from '../support/cluster/machines.js';
import { until } from '../support/until.js';
import { NatsCluster } from '../support/cluster/natsCluster.js';
import { findClusterNats } from '../support/cluster/natsServer.js';
import { SnapshotView } from '../support/cluster/snapshotView.js';
import { newUser } from '../support/http/users.js';
import { pathOf, skipWithout } from '../support/service/programs.js';

const nats = await findClusterNats();
const PARTITIONS = partitionNames(1);
/** With a short lease the reads of a second append several records. */
const SETTINGS = { SHARDS: '1', READ_LEASE_MS: '200' };

t.test(
  'SNAPSHOT1 `cluster snapshot` covers what the log has lost, on a running cluster and without a change',
  { skip: skipWithout(nats) },
  async (t) => {
    const machines = await Machines.over(t, await NatsCluster.start(t, pathOf(nats), 1), SETTINGS, 1);
    await machines.command(0, 'cluster', 'init');
    await machines.startInstance(0);
    const view = new SnapshotView(t, machines);
    await view.server.connected();
    const { token } = await newUser(machines.api(0));
    const { body: board } = await machines.api(0).request<{ id: string }>('POST', '/boards', { token, json: { title: 'Kept' } });
    const read = () => machines.api(0).request('GET', `/boards/${board.id}`, { token });
    // Reads renew leases: their records are in the log, and no commit stores the position in the file.
    const placeIn = (partition: PartitionName): number => view.fileState(0, partition).followed.position.applied;
    for (const partition of PARTITIONS) {
      const { last } = await until(async () => {
        await Promise.all([read(), machines.api(0).request('GET', '/boards', { token })]);
        const bounds = await view.bounds(partition);
        return bounds.last > placeIn(partition) + 2 && bounds;
      });
      await view.server.call(`STREAM.PURGE.${streamName('boards', partition)}`, { seq: last });
      t.ok((await view.bounds(partition)).first > placeIn(partition) + 1, 'the log begins after what the file knows');
    }

    const said = await machines.command(0, 'cluster', 'snapshot');
    t.match(said, /^directory: a snapshot has everything up to record \d+\.$/m);
    for (const partition of PARTITIONS) {
      const [newest] = await view.manifests(partition);
      t.ok((newest?.seq ?? 0) + 1 >= (await view.bounds(partition)).first, `the newest snapshot of the ${partition} can be used with its log`);
    }
    await machines.service(0).kill();
    await rm(machines.machine(0).dataDir, { recursive: true });
    await mkdir(machines.machine(0).dataDir);
    await machines.startInstance(0);
    t.match(await read(), { status: 200, body: { title: 'Kept' } }, 'an empty machine begins with it');
    t.strictSame(
      machines.service(0).warnings.filter((text) => /does not follow/.test(text)),
      [],
    );
  },
);
