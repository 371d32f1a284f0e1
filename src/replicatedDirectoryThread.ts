/** Composition root of the replicated directory's thread. */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import type { DirectorySettings } from './directoryThread.js';
import { DirectoryPartition } from './partitions/thread/directoryPartition.js';
import { servePartitions, type PartitionSource } from './partitions/thread/threadServer.js';
import { replicatedSource } from './replication/replica/replicatedSource.js';
import type { ReplicationSettings } from './replication/replicationSettings.js';
import { openDirectoryCopy, type DirectoryCopy } from './store/directory/directoryCopy.js';
import { Seal } from './wire/sealing.js';

export type ReplicatedDirectorySettings = DirectorySettings & { readonly replicated: ReplicationSettings };

export function replicatedDirectory({ dataDir, folder, replicated }: ReplicatedDirectorySettings): PartitionSource {
  const seal = new Seal(Buffer.from(replicated.secret));
  return replicatedSource<DirectoryCopy>({
    settings: replicated,
    folder,
    openCopy: (_, identity, onError) => openDirectoryCopy({ dataDir, folder, identity, seal, onError }),
    openPartition: (_, { store }, { host, schema, onDeposed }) => {
      store.writeFor(schema);
      return new DirectoryPartition({ store, onDeposed: ({ cause }) => onDeposed(cause) }, host);
    },
  });
}

if (!isMainThread && parentPort !== null) servePartitions(parentPort, replicatedDirectory(workerData as ReplicatedDirectorySettings));
