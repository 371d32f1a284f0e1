/** The part of the configuration that a thread of shards needs, and what a shard makes of it. */
import type { SettledConfig } from '../settings/config.js';
import type { PartitionName } from '../partitions/messages.js';
import { shardMemory } from '../partitions/cache/readCache.js';
import { BoardMemory } from './boards/boardMemory.js';
import { boardLimits, type LimitSettings } from './boardLimits.js';
import type { ShardPartitionOptions } from './shardPartition.js';

export type ShardSettings = LimitSettings &
  Pick<
    SettledConfig,
    | 'dataDir'
    | 'natsUrl'
    | 'durability'
    | 'shards'
    | 'boardMemoryBytes'
    | 'boardIdleSeconds'
    | 'eventRetentionCount'
    | 'eventRetentionDays'
    | 'activityDays'
    | 'trashDays'
    | 'presenceTtlSeconds'
  > & {
    /** The id of the data folder. */
    readonly folder: string;
  };

/** For the shards of one thread. */
export function boardMemory({ boardMemoryBytes, shards }: ShardSettings): BoardMemory {
  return new BoardMemory(shardMemory(boardMemoryBytes) / shards);
}

export function partitionOptions(
  settings: ShardSettings,
  name: PartitionName,
  memory: BoardMemory,
  store: ShardPartitionOptions['store'],
): Omit<ShardPartitionOptions, 'onDeposed'> {
  if (name === 'directory') throw new Error('the directory is in another thread');
  return {
    name,
    store,
    memory,
    idleSeconds: settings.boardIdleSeconds,
    presenceSeconds: settings.presenceTtlSeconds,
    limits: boardLimits(settings),
    retention: {
      events: settings.eventRetentionCount,
      days: settings.eventRetentionDays,
      activityDays: settings.activityDays,
      trashDays: settings.trashDays,
    },
  };
}
