/** Composition root of a store thread: opens the partitions. */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { boardLimits, type LimitSettings } from './shard/boardLimits.js';
import { shardMemory } from './partitions/readCache.js';
import { directoryPartition } from './partitions/directoryPartition.js';
import { ShardPartition, type ShardPartitionOptions } from './shard/shardPartition.js';
import { servePartitions, type OpenPartition, type Partition } from './partitions/threadServer.js';
import type { Config } from './config.js';
import { openDirectory } from './store/directory/directory.js';
import { openShard } from './store/shard/shard.js';

/** The part of the configuration that a store thread needs. */
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
      const store = openDirectory({ dataDir, durability, folder, onError: host.onError });
      return orClose(store, () => directoryPartition(store, host));
    }
    const shard = Number(name.slice('shard '.length));
    // With several instances an upload may come through another one and continue after the shard moved.
    const store = openShard({ dataDir, shard, shards, durability, folder, keepsUploads: settings.natsUrl !== null });
    const options: ShardPartitionOptions = {
      name,
      store,
      budgetBytes: shardMemory(settings.boardMemoryBytes) / shards,
      idleSeconds: settings.boardIdleSeconds,
      presenceSeconds: settings.presenceTtlSeconds,
      limits: boardLimits(settings),
      retention: { events: settings.eventRetentionCount, days: settings.eventRetentionDays },
    };
    return orClose(store, () => new ShardPartition(options, host));
  };
}

/** Closes the store if the partition cannot be opened: the next attempt, here or elsewhere, needs its lock. */
function orClose(store: { close(): void }, open: () => Partition): Partition {
  try {
    return open();
  } catch (error) {
    store.close();
    throw error;
  }
}

if (!isMainThread && parentPort !== null) servePartitions(parentPort, partitionOpener(workerData as StoreSettings));
