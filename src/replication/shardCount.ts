/** The number of shards. It never changes, so only new data needs SHARDS or its default: later the folder or the cluster knows it. */
import { AppError } from '../domain/errors.js';
import type { Config } from '../settings/config.js';
import { shardsOfFolder } from '../store/folder/examineFolder.js';

const DEFAULT_SHARDS = 16;
/** Each log is flushed on its own on every NATS server: changes that share one cost a fraction. */
const CLUSTER_SHARDS = 4;

/**
 * For a start. `made`: what the cluster was made with; null without a cluster, or if an earlier program made it. Throws if
 * that is another number: boards would be looked for, and created, in the wrong shards.
 */
export function shardsOfStart({ shards, dataDir }: Config, made: number | null): number {
  const known = shardsOfFolder(dataDir);
  const wanted = shards ?? known ?? made ?? DEFAULT_SHARDS;
  if (made === null || wanted === made) return wanted;
  const message =
    shards === null
      ? `The data folder ${dataDir} has ${wanted} shards, and the cluster was made with ${made}. Start with an empty data folder.`
      : `SHARDS is ${wanted}, and the cluster was made with ${made}. Set that, or leave it out.`;
  throw new AppError('conflict', message);
}

/** For a command on data that exist: what they were made with counts, also if SHARDS is set differently where the command runs. */
export async function shardsOfCommand(config: Config, dataDir: string = config.dataDir): Promise<number> {
  return shardsOfFolder(dataDir) ?? config.shards ?? (await shardsOfCluster(config)) ?? DEFAULT_SHARDS;
}

/** For a new cluster. `folder`: where its data come from, null if it begins without. */
export function shardsOfNewCluster({ shards, dataDir }: Config, folder: string | null): number {
  return shards ?? shardsOfFolder(folder ?? dataDir) ?? (folder === null ? CLUSTER_SHARDS : DEFAULT_SHARDS);
}

/** Null without replication, if the cluster does not say it, or if NATS does not answer. Loaded only when it is needed, as the NATS client is. */
async function shardsOfCluster({ replication, natsUrl, natsPrefix }: Config): Promise<number | null> {
  if (replication === 'off' || natsUrl === null) return null;
  const { withLogServer } = await import('./logServer.js');
  const { findShards } = await import('../log/clusterStreams.js');
  try {
    return await withLogServer(natsUrl, (server) => findShards(server, natsPrefix));
  } catch (error) {
    // The command meets the same, and says so.
    if (error instanceof AppError && error.code === 'unavailable') return null;
    throw error;
  }
}
