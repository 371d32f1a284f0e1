/** The price of a replicated log: creates by one instance alone, and by one whose commits three nats-servers flush first. */
import { createStreams } from '../../src/log/clusterStreams.js';
import { partitionNames } from '../../src/partitions/partitionNames.js';
import { withLogServer } from '../../src/replication/logServer.js';
import { NatsCluster } from '../../test/support/cluster/natsCluster.js';
import { findClusterNats } from '../../test/support/cluster/natsServer.js';
import { Account } from './account.js';
import { createLane, type Writer } from './creates.js';
import type { Group, Stage } from './scenario.js';

/** Each shard has a log of its own, which every server flushes: fewer logs share more flushes. The last is the default. */
const SHARDS = [1, 4, 16];
const BOARDS = [1, 64];
const SERVERS = 3;

const SECRET = 'a secret that only the instances of this benchmark share';

export const machines: Group = {
  name: 'machines',
  summary: 'create cards with commits in a log of three nats-servers, and without',
  async prepare(stage) {
    const nats = await findClusterNats();
    if ('missing' in nats) {
      stage.note(`no scenarios with several machines: ${nats.missing}`);
      return [];
    }
    const servers = await NatsCluster.start({ teardown: (stop: () => unknown) => stage.onClear(stop) }, nats.path, SERVERS);
    const writers = [await startWriter(stage, 'alone', {})];
    for (const shards of SHARDS) {
      const prefix = `bench-${shards}`;
      await withLogServer(servers.urls, (server) =>
        createStreams(server, { prefix, partitions: partitionNames(shards), replicas: SERVERS, secret: SECRET }),
      );
      writers.push(
        await startWriter(stage, shards === SHARDS.at(-1) ? 'replicated' : `replicated, SHARDS=${shards}`, {
          SHARDS: String(shards),
          REPLICATION: 'jetstream',
          NATS_URL: servers.urls.join(),
          NATS_PREFIX: prefix,
          CLUSTER_SECRET: SECRET,
        }),
      );
    }
    const load = stage.load('http');
    return [
      {
        name: 'create',
        title: 'create card, alone and with a log on three nats-servers',
        operation: 'card',
        note:
          'The nats-servers and the load share the cores with the instance. No other instance follows the log. CPU and ' +
          'memory are those of the instance.',
        speedBy: 'rate',
        lanes: BOARDS.flatMap((boards) => writers.map((writer) => createLane(writer, load, boards))),
      },
    ];
  },
};

async function startWriter(stage: Stage, form: string, settings: Record<string, string>): Promise<Writer> {
  const contestant = await stage.start('switchboard', { SWITCHBOARD_SETTINGS: JSON.stringify(settings) });
  return { contestant, account: await Account.open(contestant.url), form };
}
