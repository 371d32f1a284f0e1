/** Composition root of a thread of replicated shards. */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { servePartitions, type PartitionSource } from './partitions/thread/threadServer.js';
import { replicatedSource } from './replication/replica/replicatedSource.js';
import type { ReplicationSettings } from './replication/replicationSettings.js';
import { ShardPartition } from './shard/shardPartition.js';
import { shardNumber } from './partitions/partitionNames.js';
import { boardMemory, partitionOptions, type ShardSettings } from './shard/shardSettings.js';
import { openShardCopy, type ShardCopy } from './store/shard/shardCopy.js';

export type ReplicatedShardSettings = ShardSettings & { readonly replicated: ReplicationSettings };

export function replicatedShards(settings: ReplicatedShardSettings): PartitionSource {
  const { dataDir, shards, folder, replicated } = settings;
  const memory = boardMemory(settings);
  return replicatedSource<ShardCopy>({
    settings: replicated,
    folder,
    openCopy: (name, identity, onError) => openShardCopy({ dataDir, shard: shardNumber(name), shards, folder, identity, onError }),
    openPartition: (name, { store }, { host, onDeposed }) =>
      new ShardPartition({ ...partitionOptions(settings, name, memory, store), onDeposed: ({ cause }) => onDeposed(cause) }, host),
  });
}

if (!isMainThread && parentPort !== null) servePartitions(parentPort, replicatedShards(workerData as ReplicatedShardSettings));
