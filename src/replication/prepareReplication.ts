/** Finds the logs of the cluster at the start of an instance. */
import type { Logger } from 'pino';
import type { Config } from '../settings/config.js';
import { AppError } from '../domain/errors.js';
import { findLog, removeFirstSequence, requireAllShards, type FoundLog } from '../log/clusterStreams.js';
import { machineNow } from '../domain/machineClock.js';
import { JetStream } from '../log/jetStream.js';
import { streamInfo } from '../log/jetStreamLog.js';
import { healthOf } from '../log/logHealth.js';
import { streamName } from '../log/logNames.js';
import { isSufficient, LEAST_SERVER_VERSION } from '../log/serverVersion.js';
import { Leases } from '../partitions/leases.js';
import type { PartitionName } from '../partitions/messages.js';
import { partitionNames } from '../partitions/partitionNames.js';
import { tokenDigest } from '../wire/tokenDigest.js';
import { LogWatch } from './logWatch.js';
import { withoutRepetition } from './repeatedErrors.js';
import type { ReplicationSettings } from './replicationSettings.js';
import { shardsOfStart } from './shardCount.js';

/** Longer than NATS needs to elect leaders after a start of all its servers. */
const PATIENCE_MS = 30_000;
const RETRY_MS = 500;

export interface Replication {
  readonly settings: ReplicationSettings;
  readonly leases: Leases;
  /** The id of the cluster. */
  readonly cluster: string;
  readonly watch: LogWatch;
  /** As many have a log, and should have a copy. */
  readonly machines: number;
  /** The digest of what access tokens are checked with here, which other instances compare with theirs. */
  readonly tokens: string;
}

/** Changes nothing in the data folder: a start that is refused here leaves none behind. */
export async function prepareReplication(config: Config, instance: string, log: Logger): Promise<Replication> {
  const { natsUrl, natsPrefix: prefix, clusterSecret, readLeaseMs, dataDir } = config;
  if (natsUrl === null || clusterSecret === null) throw new Error('replication without NATS_URL and CLUSTER_SECRET');
  const onError = withoutRepetition((error) => log.warn({ err: error }, 'an error in a connection to NATS'), machineNow);
  const connect = (purpose: string): JetStream => new JetStream({ urls: natsUrl, name: `switchboard ${purpose} ${instance}`, onError });
  const server = connect('start');
  try {
    const { shards: made } = await waitForLog(server, prefix, 'directory', log);
    const shards = shardsOfStart(config, made);
    const partitions = partitionNames(shards);
    const logs = new Map<PartitionName, FoundLog>();
    for (const partition of partitions) {
      const found = await waitForLog(server, prefix, partition, log);
      logs.set(partition, found);
      if (await removeFirstSequence(server, found)) {
        log.warn({ partition, stream: found.address.stream }, 'removed first_seq from a log: a restart of a nats-server could have emptied it');
      }
    }
    if (made === null) await requireAllShards(server, prefix, shards);
    const clusters = new Set([...logs.values()].map(({ identity }) => identity.cluster));
    const [cluster] = clusters;
    if (cluster === undefined || clusters.size !== 1) {
      throw new AppError('unavailable', `the logs in NATS belong to different clusters: ${[...clusters].join(', ')}`);
    }
    const leases = new Leases(shards);
    const settings = {
      urls: natsUrl,
      prefix,
      instance,
      logs: new Map([...logs].map(([name, { identity, address }]) => [name, { identity, address }])),
      leaseMs: readLeaseMs,
      leases: leases.memory,
      secret: clusterSecret,
      dataDir,
      shards,
    };
    const watched = connect('watch');
    const watch = new LogWatch({
      partitions,
      ask: (partition) => streamInfo(watched, streamName(prefix, partition)).then(healthOf),
      now: machineNow,
      close: () => watched.close(),
    });
    await watched.connected();
    await watch.start();
    const tokens = [config.jwtSecret, config.jwtAlgorithm, config.jwtAudience];
    return { settings, leases, cluster, watch, machines: config.logReplicas, tokens: tokenDigest({ clusterSecret, tokens, context: cluster }) };
  } finally {
    await server.close();
  }
}

async function waitForLog(server: JetStream, prefix: string, partition: PartitionName, log: Logger): Promise<FoundLog> {
  let failure: unknown = null;
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end;) {
    await Promise.race([server.connected(), pause(RETRY_MS)]);
    const { serverVersion } = server;
    if (serverVersion !== null && !isSufficient(serverVersion)) {
      throw new AppError('unavailable', `nats-server ${serverVersion} is too old for replication: at least ${LEAST_SERVER_VERSION} is needed`);
    }
    try {
      const found = await findLog(server, prefix, partition);
      if (found !== null) return found;
      throw new AppError(
        'unavailable',
        `NATS has no log of the ${partition}. For a new cluster run \`switchboard cluster init\` once; ` +
          'if the cluster existed, SHARDS is more than it was made with, or the log is lost: see `switchboard cluster reseed`.',
      );
    } catch (error) {
      if (error instanceof AppError) throw error;
      if (failure === null) log.warn({ err: error }, 'waiting for the log in NATS');
      failure = error;
    }
    await pause(RETRY_MS);
  }
  throw new AppError('unavailable', `the log of the ${partition} in NATS cannot be reached`, { cause: failure });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
