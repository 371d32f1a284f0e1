/** Composition root of a store thread: which partitions there are and what they are made of. */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { boardLimits, type LimitSettings } from './shard/boardLimits.js';
import { directoryPartition } from './partitions/directoryPartition.js';
import { ShardPartition, type ShardPartitionOptions } from './shard/shardPartition.js';
import { servePartitions, type OpenPartition } from './partitions/threadServer.js';
import type { Config } from './config.js';
import { openDirectory } from './store/directory/directory.js';
import { openShard } from './store/shard/shard.js';

/** What a store thread needs of the configuration. */
export type StoreSettings = LimitSettings & Pick<
  Config,
  | 'dataDir'
  | 'natsUrl'
  | 'durability'
  | 'shards'
  | 'shardThreads'
  | 'boardMemoryBytes'
  | 'boardIdleSeconds'
  | 'eventRetentionCount'
  | 'eventRetentionDays'
  | 'presenceTtlSeconds'
> & {
  /** The id of the data folder. */
  readonly folder: string;
};

export function partitionOpener(settings: StoreSettings): OpenPartition {
  const { dataDir, durability, shards, folder } = settings;
  return (name, host) => {
    if (name === 'directory') {
      return directoryPartition(openDirectory({ dataDir, durability, folder, onError: host.onError }));
    }
    const shard = Number(name.slice('shard '.length));
    // Beside other instances an upload may have come through one of them, and go on after the shard was moved.
    const store = openShard({ dataDir, shard, shards, durability, folder, keepsUploads: settings.natsUrl !== null });
    const options: ShardPartitionOptions = {
      name,
      store,
      budgetBytes: settings.boardMemoryBytes / shards,
      idleSeconds: settings.boardIdleSeconds,
      presenceSeconds: settings.presenceTtlSeconds,
      limits: boardLimits(settings),
      retention: { events: settings.eventRetentionCount, days: settings.eventRetentionDays },
    };
    try {
      return new ShardPartition(options, host);
    } catch (error) {
      // Whoever tries again, here or elsewhere, needs its lock.
      store.close();
      throw error;
    }
  };
}

if (!isMainThread && parentPort !== null) servePartitions(parentPort, partitionOpener(workerData as StoreSettings));
