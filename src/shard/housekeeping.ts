/** Periodic work of a shard: boards go to sleep, presence expires, old data is deleted. */
import type { BoardKey } from '../domain/ids.js';
import type { ActiveBoards } from './activeBoards.js';
import type { BoardPresence } from './boardPresence.js';
import type { ShardStore } from './shardStore.js';
import type { PartitionHost } from '../partitions/threadServer.js';

export interface HousekeepingOptions {
  readonly store: ShardStore;
  readonly boards: ActiveBoards;
  readonly presence: BoardPresence;
  readonly eventDays: number;
  /** Whether the loose rows of this key belong to an import in progress. */
  readonly isImported: (key: BoardKey) => boolean;
  readonly host: PartitionHost;
  /** In milliseconds since the epoch. */
  readonly now: () => number;
  /** Monotonic, see `ShardPartitionOptions`. */
  readonly monotonic: () => number;
}

const HOUSEKEEPING_MS = 5_000;
/** How long the rows of a deleted board may wait for the sweep. */
const SWEEP_EVERY_MS = 1_000;
/** The pause between two steps of a sweep: most of the time is for commands. */
const SWEEP_MS = 20;
/** How late a presence may expire. */
const PRESENCE_CHECK_MS = 250;
/** Old events of all boards are deleted in steps of this many, so that no commit waits long. */
const PRUNE_STEP = 500;
const DAY_MS = 86_400_000;
/** At the slowest accepted speed this is more than a gigabyte: its sender is gone. */
const UPLOAD_MS = DAY_MS;

export function startHousekeeping(options: HousekeepingOptions): { stop(): void } {
  let sweeping: NodeJS.Timeout | null = null;
  const sweepOn = (): void => {
    sweeping = sweep(options) ? setTimeout(sweepOn, SWEEP_MS).unref() : null;
  };
  const timers = [
    setInterval(() => {
      if (sweeping === null) sweepOn();
    }, SWEEP_EVERY_MS).unref(),
    setInterval(() => keepHouse(options), HOUSEKEEPING_MS).unref(),
    setInterval(() => expirePresence(options), PRESENCE_CHECK_MS).unref(),
  ];
  return {
    stop: () => {
      timers.forEach(clearInterval);
      if (sweeping !== null) clearTimeout(sweeping);
    },
  };
}

function expirePresence({ presence, host, monotonic }: HousekeepingOptions): void {
  const gone = presence.expire(monotonic());
  if (gone.length > 0) host.publish(gone);
}

/** True if there may be more. */
function sweep({ store, isImported, host, now }: HousekeepingOptions): boolean {
  try {
    if (store.loose.isSwept(isImported)) return false;
    store.begin();
    store.loose.sweep(isImported, new Date(now()).toISOString());
    store.commit();
    return true;
  } catch (error) {
    store.rollback();
    host.onError(error);
    return false;
  }
}

function keepHouse({ store, boards, eventDays, host, now }: HousekeepingOptions): void {
  const time = now();
  boards.putToSleep(time);
  try {
    store.begin();
    store.events.pruneOlderThan(new Date(time - eventDays * DAY_MS).toISOString(), PRUNE_STEP);
    store.content.dropUploadsBefore(new Date(time - UPLOAD_MS).toISOString());
    store.commit();
  } catch (error) {
    store.rollback();
    host.onError(error);
  }
}
