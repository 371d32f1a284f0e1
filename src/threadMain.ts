/** Composition root of a store thread: opens the partitions. */
import { isMainThread, parentPort, threadId, workerData } from 'node:worker_threads';
import { boardLimits, type LimitSettings } from './shard/boardLimits.js';
import { shardMemory } from './partitions/readCache.js';
import { directoryPartition } from './partitions/directoryPartition.js';
import { ShardPartition, type ShardPartitionOptions } from './shard/shardPartition.js';
import { servePartitions, type Partition, type PartitionHost, type PartitionSource } from './partitions/threadServer.js';
import type { ShardName } from './partitions/messages.js';
import type { Config } from './config.js';
import { openThreadLog, type ThreadLog } from './store/log/threadLog.js';
import { openDirectory } from './store/directory/directory.js';
import { openShard } from './store/shard/openShard.js';

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

export function partitionSource(settings: StoreSettings): PartitionSource {
  const { dataDir, durability, shards, folder } = settings;
  /** Opened with the first shard. Commits that need no flush need no log. */
  let log: ThreadLog | null = null;

  function openShardPartition(name: ShardName, host: PartitionHost): Partition {
    const { onError } = host;
    if (durability === 'full') log ??= openThreadLog({ dataDir, folder, thread: threadId, onError });
    const shard = Number(name.slice('shard '.length));
    // With several instances an upload may come through another one and continue after the shard moved.
    const keepsUploads = settings.natsUrl !== null;
    const store = openShard({ dataDir, shard, shards, durability, folder, keepsUploads, log, onError });
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
  }

  function openDirectoryPartition(host: PartitionHost): Partition {
    const store = openDirectory({ dataDir, durability, folder, onError: host.onError });
    return orClose(store, () => directoryPartition(store, host));
  }

  return {
    open: (name, host) => (name === 'directory' ? openDirectoryPartition(host) : openShardPartition(name, host)),
    endTurn: () => log?.flush(),
    logBytes: () => log?.bytes ?? 0,
    close: () => {
      log?.close();
      log = null;
    },
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

if (!isMainThread && parentPort !== null) servePartitions(parentPort, partitionSource(workerData as StoreSettings));
