/** Composition root of a thread of shards. */
import { isMainThread, parentPort, threadId, workerData } from 'node:worker_threads';
import { ShardPartition } from './shard/shardPartition.js';
import { shardNumber } from './partitions/partitionNames.js';
import { boardMemory, partitionOptions, type ShardSettings } from './shard/shardSettings.js';
import { closeOnFailure } from './partitions/thread/closeOnFailure.js';
import { servePartitions, type OpenPartition, type PartitionSource } from './partitions/thread/threadServer.js';
import { openThreadLog, type ThreadLog } from './store/log/threadLog.js';
import { openShard } from './store/shard/openShard.js';

export function shardSource(settings: ShardSettings): PartitionSource {
  const { dataDir, durability, shards, folder } = settings;
  /** Opened with the first shard. Commits that need no flush need no log. */
  let log: ThreadLog | null = null;
  const memory = boardMemory(settings);

  const open: OpenPartition = (name, host) => {
    if (name === 'directory') throw new Error('the directory is in another thread');
    const { onError } = host;
    if (durability === 'full') log ??= openThreadLog({ dataDir, folder, thread: threadId, onError });
    const shard = shardNumber(name);
    // With several instances an upload may come through another one and continue after the shard moved.
    const keepsUploads = settings.natsUrl !== null;
    const store = openShard({ dataDir, shard, shards, durability, folder, keepsUploads, log, onError });
    const options = { ...partitionOptions(settings, name, memory, store), onDeposed: () => store.close() };
    return closeOnFailure(store, () => new ShardPartition(options, host));
  };

  return {
    open,
    endTurn: (later) => log?.endTurn(later),
    logBytes: () => log?.bytes ?? 0,
    close: () => {
      log?.close();
      log = null;
    },
  };
}

if (!isMainThread && parentPort !== null) servePartitions(parentPort, shardSource(workerData as ShardSettings));
