/** What a shard does by itself from time to time: boards fall asleep, presence runs out, what is old is forgotten. */
import type { ActiveBoards } from './activeBoards.js';
import type { BoardPresence } from './boardPresence.js';
import type { ShardStore } from './shardStore.js';
import type { StationSurroundings } from './stations.js';

export interface HousekeepingOptions {
  readonly store: ShardStore;
  readonly boards: ActiveBoards;
  readonly presence: BoardPresence;
  readonly eventDays: number;
  readonly surroundings: StationSurroundings;
  /** In milliseconds since the epoch. */
  readonly now: () => number;
  /** For what lasts, see `ShardStationOptions`. */
  readonly clock: () => number;
}

const HOUSEKEEPING_MS = 5_000;
/** How late a presence may expire. */
const PRESENCE_CHECK_MS = 250;
/** Old events of all boards are forgotten in steps of this many, so that no commit waits long for it. */
const PRUNE_STEP = 500;
const DAY_MS = 86_400_000;
/** At the slowest pace that is let in this is more than a gigabyte: whoever was sending it is gone. */
const UPLOAD_MS = DAY_MS;

export function startHousekeeping(options: HousekeepingOptions): { stop(): void } {
  const timers = [
    setInterval(() => keepHouse(options), HOUSEKEEPING_MS).unref(),
    setInterval(() => expirePresence(options), PRESENCE_CHECK_MS).unref(),
  ];
  return { stop: () => timers.forEach(clearInterval) };
}

function expirePresence({ presence, surroundings, clock }: HousekeepingOptions): void {
  const gone = presence.expire(clock());
  if (gone.length > 0) surroundings.tell(gone);
}

function keepHouse({ store, boards, eventDays, surroundings, now }: HousekeepingOptions): void {
  const time = now();
  boards.putToSleep(time);
  try {
    store.begin();
    store.events.pruneOlderThan(new Date(time - eventDays * DAY_MS).toISOString(), PRUNE_STEP);
    store.content.dropUploadsBefore(new Date(time - UPLOAD_MS).toISOString());
    store.commit();
  } catch (error) {
    store.rollback();
    surroundings.onError(error);
  }
}
