/** Composition root of a store thread: which stations there are and what they are made of. */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { boardLimits, type LimitSettings } from './shard/boardLimits.js';
import { directoryStation } from './partitions/directoryPartition.js';
import { ShardStation, type ShardStationOptions } from './shard/shardPartition.js';
import { serveStations, type OpenStation } from './partitions/threadServer.js';
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

export function stationOpener(settings: StoreSettings): OpenStation {
  const { dataDir, durability, shards, folder } = settings;
  return (name, surroundings) => {
    if (name === 'directory') {
      return directoryStation(openDirectory({ dataDir, durability, folder, onError: surroundings.onError }));
    }
    const shard = Number(name.slice('shard '.length));
    // Beside other instances an upload may have come through one of them, and go on after the shard was moved.
    const store = openShard({ dataDir, shard, shards, durability, folder, keepsUploads: settings.natsUrl !== null });
    const options: ShardStationOptions = {
      name,
      store,
      budgetBytes: settings.boardMemoryBytes / shards,
      idleSeconds: settings.boardIdleSeconds,
      presenceSeconds: settings.presenceTtlSeconds,
      limits: boardLimits(settings),
      retention: { events: settings.eventRetentionCount, days: settings.eventRetentionDays },
    };
    try {
      return new ShardStation(options, surroundings);
    } catch (error) {
      // Whoever tries again, here or elsewhere, needs its lock.
      store.close();
      throw error;
    }
  };
}

if (!isMainThread && parentPort !== null) serveStations(parentPort, stationOpener(workerData as StoreSettings));
