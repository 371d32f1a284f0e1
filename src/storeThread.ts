/**
 * Composition root of a store thread: the directory, or some of the shards; each with a file of its own, or as copies of
 * replicated logs. It loads what it needs: for the directory that is a third of the store.
 */
import { isMainThread, parentPort, threadId, workerData } from 'node:worker_threads';
import type { LogIdentity } from './domain/ports/partitionLog.js';
import { shardNumber } from './partitions/partitionNames.js';
import { servePartitions, type PartitionSource } from './partitions/thread/threadServer.js';
import type { ReplicationSettings } from './replication/replicationSettings.js';
import type { ShardSettings } from './shard/shardSettings.js';
import type { DirectoryCopy } from './store/directory/directoryCopy.js';
import { currentSchema } from './store/folder/dataFolder.js';
import type { ThreadLog } from './store/log/threadLog.js';
import type { ShardCopy } from './store/shard/shardCopy.js';

export type StoreKind = 'directory' | 'shards';

export type StoreSettings = ShardSettings & {
  /** Null if the files are the only ones. */
  readonly replicated: ReplicationSettings | null;
};

/** The data of the worker. */
export interface StoreWork {
  readonly kind: StoreKind;
  readonly settings: StoreSettings;
}

export function storeSource({ kind, settings }: StoreWork): Promise<PartitionSource> {
  const { replicated } = settings;
  if (kind === 'directory') return replicated === null ? directorySource(settings) : replicatedDirectory(settings, replicated);
  return replicated === null ? shardSource(settings) : replicatedShards(settings, replicated);
}

async function directorySource({ dataDir, durability, folder }: StoreSettings): Promise<PartitionSource> {
  const { openDirectory } = await import('./store/directory/directory.js');
  const { openDirectoryPartition } = await import('./partitions/runtime/directoryPartition.js');
  return {
    open: (name, host) => {
      if (name !== 'directory') throw new Error(`${name} is in another thread`);
      const store = openDirectory({ dataDir, durability, folder, onError: host.onError });
      return closeOnFailure(store, () => openDirectoryPartition({ store, onDeposed: () => store.close() }, host));
    },
  };
}

async function replicatedDirectory({ dataDir, folder }: StoreSettings, replicated: ReplicationSettings): Promise<PartitionSource> {
  const { openDirectoryCopy } = await import('./store/directory/directoryCopy.js');
  const { openDirectoryPartition } = await import('./partitions/runtime/directoryPartition.js');
  const { replicatedSource } = await import('./replication/replica/replicatedSource.js');
  const { Seal } = await import('./wire/sealing.js');
  const seal = new Seal(Buffer.from(replicated.secret));
  return replicatedSource<DirectoryCopy>({
    settings: replicated,
    folder,
    openCopy: (_, identity, onError) => openDirectoryCopy({ dataDir, folder, identity, seal, onError }),
    openPartition: (_, { store }, { host, schema, onDeposed }) => {
      store.writeFor(schema);
      return openDirectoryPartition({ store, onDeposed: ({ cause }) => onDeposed(cause) }, host);
    },
  });
}

async function shardSource(settings: StoreSettings): Promise<PartitionSource> {
  const { openShard } = await import('./store/shard/openShard.js');
  const { openThreadLog } = await import('./store/log/threadLog.js');
  const { openShardPartition } = await import('./shard/shardPartition.js');
  const { boardMemory, partitionOptions } = await import('./shard/shardSettings.js');
  const { dataDir, durability, shards, folder } = settings;
  /** Opened with the first shard. Commits that need no flush need no log. */
  let log: ThreadLog | null = null;
  const memory = boardMemory(settings);
  return {
    open: (name, host) => {
      if (name === 'directory') throw new Error('the directory is in another thread');
      const { onError } = host;
      if (durability === 'full') log ??= openThreadLog({ dataDir, folder, thread: threadId, onError });
      // With several instances an upload may come through another one and continue after the shard moved.
      const keepsUploads = settings.natsUrl !== null;
      const store = openShard({ dataDir, shard: shardNumber(name), shards, durability, folder, keepsUploads, log, onError });
      const options = { ...partitionOptions(settings, name, memory, store), onDeposed: () => store.close() };
      return closeOnFailure(store, () => openShardPartition(options, host));
    },
    endTurn: (later) => log?.endTurn(later),
    logBytes: () => log?.bytes ?? 0,
    close: () => {
      log?.close();
      log = null;
    },
  };
}

async function replicatedShards(settings: StoreSettings, replicated: ReplicationSettings): Promise<PartitionSource> {
  const { openShardCopy } = await import('./store/shard/shardCopy.js');
  const { openShardPartition } = await import('./shard/shardPartition.js');
  const { boardMemory, partitionOptions } = await import('./shard/shardSettings.js');
  const { replicatedSource } = await import('./replication/replica/replicatedSource.js');
  const { dataDir, shards, folder } = settings;
  const memory = boardMemory(settings);
  return replicatedSource<ShardCopy>({
    settings: replicated,
    folder,
    openCopy: (name, identity: LogIdentity, onError) => openShardCopy({ dataDir, shard: shardNumber(name), shards, folder, identity, onError }),
    openPartition: (name, { store }, { host, schema, onDeposed }) => {
      store.writeFor(schema);
      return openShardPartition(
        { ...partitionOptions(settings, name, memory, store), ...writesFor(schema), onDeposed: ({ cause }) => onDeposed(cause) },
        host,
      );
    },
  });
}

/** Nothing, if no program that knows only an older schema runs. */
function writesFor(schema: number): { readonly schema?: number } {
  return schema < currentSchema('shard') ? { schema } : {};
}

/** Closes the store if its partition cannot be opened: the next attempt, here or elsewhere, needs its lock. */
function closeOnFailure<Opened>(store: { close(): void }, open: () => Opened): Opened {
  try {
    return open();
  } catch (error) {
    store.close();
    throw error;
  }
}

const port = parentPort;
if (!isMainThread && port !== null) void storeSource(workerData as StoreWork).then((source) => servePartitions(port, source));
