/** Composition root of the directory's thread. It loads none of the modules of the shards, two thirds of the store. */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { closeOnFailure } from './partitions/thread/closeOnFailure.js';
import { DirectoryPartition } from './partitions/thread/directoryPartition.js';
import { servePartitions, type PartitionSource } from './partitions/thread/threadServer.js';
import type { Config } from './settings/config.js';
import { openDirectory } from './store/directory/directory.js';

/** The part of the configuration that the thread needs. */
export type DirectorySettings = Pick<Config, 'dataDir' | 'durability'> & {
  /** The id of the data folder. */
  readonly folder: string;
};

export function directorySource({ dataDir, durability, folder }: DirectorySettings): PartitionSource {
  return {
    open: (name, host) => {
      if (name !== 'directory') throw new Error(`${name} is in another thread`);
      const store = openDirectory({ dataDir, durability, folder, onError: host.onError });
      return closeOnFailure(store, () => new DirectoryPartition({ store, onDeposed: () => store.close() }, host));
    },
  };
}

if (!isMainThread && parentPort !== null) servePartitions(parentPort, directorySource(workerData as DirectorySettings));
