/** Periodic work of a shard: boards go to sleep, presence expires, old data is deleted, paused webhooks are counted. */
import { ANSWER_LIFETIME_MS } from '../domain/idempotency.js';
import type { BoardKey } from '../domain/ids.js';
import type { ActiveBoards } from './boards/activeBoards.js';
import type { FiringTimers } from './firingTimers.js';
import type { BoardPresence } from './presence/boardPresence.js';
import { expireBoards } from './trashedBoards.js';
import type { ShardJob, ShardJobs, ShardStore } from './shardStore.js';
import type { Notice, ShardName } from '../partitions/messages.js';
import type { PartitionHost } from '../partitions/runtime/partition.js';
import { MOVED_DAYS } from '../domain/board/moves/movesOnDisk.js';
import { VERSION_DAYS } from '../domain/board/versions/versionsOnDisk.js';
import { DAY_MS } from '../domain/content/time.js';

export interface HousekeepingOptions {
  readonly name: ShardName;
  readonly store: Pick<ShardStore, 'orphans'>;
  readonly boards: ActiveBoards;
  readonly presence: BoardPresence;
  readonly timers: Pick<FiringTimers, 'check' | 'stop'>;
  readonly jobs: ShardJobs;
  readonly eventDays: number;
  /** 0: for ever. */
  readonly activityDays: number;
  readonly trashDays: number;
  /** Whether the orphaned rows of this key belong to an import in progress. */
  readonly isImported: (key: BoardKey) => boolean;
  readonly host: Pick<PartitionHost, 'publish' | 'endTurn'>;
  readonly onError: (error: unknown) => void;
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
/** Old events of all boards, and old answers, are deleted in steps of this many, so that no commit waits long. */
const PRUNE_STEP = 500;
/** Rows of the trash, each with some hundred records: the contents of files are deleted later. */
const EXPIRE_STEP = 4;
/** Boards in the trash: of each one row goes here, and the rest with the sweep. */
const EXPIRE_BOARDS_STEP = 50;
/** Versions of texts, each with up to a quarter of a megabyte. */
const VERSION_STEP = 32;
/** At the slowest accepted speed this is more than a gigabyte: its sender is gone. */
const UPLOAD_MS = DAY_MS;

export class Housekeeping {
  readonly #options: HousekeepingOptions;
  readonly #timers: readonly NodeJS.Timeout[];
  /** The pause before the next step of a sweep. */
  #pause: NodeJS.Timeout | undefined;
  /** `stopped`: what is under way ends, and nothing follows it. */
  #sweep: 'resting' | 'under way' | 'stopped' = 'resting';
  #isPruning = false;
  #pausedWebhooks = 0;

  constructor(options: HousekeepingOptions) {
    this.#options = options;
    this.#timers = [
      setInterval(() => {
        if (this.#sweep === 'resting') this.#sweepOn();
        options.timers.check();
      }, SWEEP_EVERY_MS).unref(),
      setInterval(() => this.#keepHouse(), HOUSEKEEPING_MS).unref(),
      setInterval(() => this.#expirePresence(), PRESENCE_CHECK_MS).unref(),
    ];
  }

  /** Of boards, at the last look. */
  get pausedWebhooks(): number {
    return this.#pausedWebhooks;
  }

  stop(): void {
    this.#sweep = 'stopped';
    this.#timers.forEach(clearInterval);
    this.#options.timers.stop();
    clearTimeout(this.#pause);
  }

  #expirePresence(): void {
    const { presence, host, monotonic } = this.#options;
    const gone = presence.expire(monotonic());
    if (gone.length > 0) host.publish(gone);
  }

  #sweepOn(): void {
    const { isImported, now, onError } = this.#options;
    this.#sweep = this.#isSwept() ? 'resting' : 'under way';
    if (this.#sweep === 'resting') return;
    this.#run({
      write: (batch) => batch.write().orphans.sweep(isImported, new Date(now()).toISOString()),
      settled: (error) => {
        if (error !== null) onError(error);
        if (this.#sweep === 'stopped') return;
        if (error === null) this.#pause = setTimeout(() => this.#sweepOn(), SWEEP_MS).unref();
        else this.#sweep = 'resting';
      },
    });
  }

  /**
   * Only says whether a job is worth its while, so it may be read while a commit is under way: if that fails, the job
   * finds nothing to sweep, or the next look finds it.
   */
  #isSwept(): boolean {
    const { store, isImported, onError } = this.#options;
    try {
      return store.orphans.isSwept(isImported);
    } catch (error) {
      onError(error);
      return true;
    }
  }

  #keepHouse(): void {
    const { name, boards, eventDays, activityDays, trashDays, host, now, onError } = this.#options;
    const time = now();
    boards.putToSleep(time);
    if (this.#isPruning) return;
    this.#isPruning = true;
    let notices: readonly Notice[] = [];
    this.#run({
      write: (batch) => {
        const store = batch.write();
        const trashedBefore = new Date(time - trashDays * DAY_MS).toISOString();
        notices = expireBoards(store, name, trashedBefore, EXPIRE_BOARDS_STEP);
        store.events.pruneOlderThan(new Date(time - eventDays * DAY_MS).toISOString(), PRUNE_STEP);
        if (activityDays > 0) store.activity.pruneOlderThan(new Date(time - activityDays * DAY_MS).toISOString(), PRUNE_STEP);
        store.expireTrash(trashedBefore, new Date(time).toISOString(), EXPIRE_STEP);
        store.expireVersions(new Date(time - VERSION_DAYS * DAY_MS).toISOString(), new Date(time).toISOString(), VERSION_STEP);
        store.expireMoves(new Date(time - MOVED_DAYS * DAY_MS).toISOString(), new Date(time).toISOString(), PRUNE_STEP);
        store.content.dropUploadsBefore(new Date(time - UPLOAD_MS).toISOString());
        store.answers.removeOlderThan(new Date(time - ANSWER_LIFETIME_MS).toISOString(), PRUNE_STEP);
        this.#pausedWebhooks = store.webhooks.countPaused();
      },
      settled: (error) => {
        this.#isPruning = false;
        if (error === null) host.publish(notices);
        else onError(error);
      },
    });
  }

  /** A timer is no turn, so the commit is settled here. */
  #run(job: ShardJob): void {
    this.#options.jobs.add(job);
    this.#options.host.endTurn();
  }
}
