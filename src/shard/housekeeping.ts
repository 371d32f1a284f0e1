/** What a shard does by itself from time to time: boards fall asleep, presence runs out, what is old is forgotten. */
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
  /** Whether rows that belong to no board yet are going to. */
  readonly isImported: (key: BoardKey) => boolean;
  readonly host: PartitionHost;
  /** In milliseconds since the epoch. */
  readonly now: () => number;
  /** For what lasts, see `ShardPartitionOptions`. */
  readonly monotonic: () => number;
}

const HOUSEKEEPING_MS = 5_000;
/** How long a deleted board may lie around before it is swept up. */
const SWEEP_EVERY_MS = 1_000;
/** Between two steps of sweeping up what a deleted board left behind: most of the time is for others. */
const SWEEP_MS = 20;
/** How late a presence may expire. */
const PRESENCE_CHECK_MS = 250;
/** Old events of all boards are forgotten in steps of this many, so that no commit waits long for it. */
const PRUNE_STEP = 500;
const DAY_MS = 86_400_000;
/** At the slowest pace that is let in this is more than a gigabyte: whoever was sending it is gone. */
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

/** True when there may be more. */
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
