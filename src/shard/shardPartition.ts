/** One shard: its boards in memory and its file. Commands are decided in memory and written to the file in one commit. */
import { keepsNumbers } from '../domain/board/laterFields.js';
import { Deposed } from '../domain/errors.js';
import type { BoardKey } from '../domain/ids.js';
import type { BoardLimits } from '../domain/limits.js';
import { PRESENCE_REBUILD_MS } from '../domain/ports/presence.js';
import type { HeldStats } from '../partitions/health/partitionStats.js';
import type { Ask, Outcome, ShardName } from '../partitions/messages.js';
import { notOpen, type DeposablePartition, type PartitionHost, type Settlement } from '../partitions/runtime/partition.js';
import { PartitionRuntime, type PartitionLogic, type PartitionRuntimeOptions } from '../partitions/runtime/partitionRuntime.js';
import { ActiveBoards } from './boards/activeBoards.js';
import type { BoardMemory } from './boards/boardMemory.js';
import { FinishingRemovals } from './boards/finishingRemovals.js';
import { commandOf, HeldBoards, queueOf } from './boards/heldBoards.js';
import { ImportingBoards } from './boards/importingBoards.js';
import { LoadingBoards } from './boards/loadingBoards.js';
import { Clock } from './clock.js';
import { BoardCommands } from './commands/boardCommands.js';
import { undeliveredPage } from './commands/outboxEntries.js';
import { ShardCommands } from './commands/shardCommands.js';
import { LogKeeper } from './eventRetention.js';
import { FiringTimers } from './firingTimers.js';
import { Housekeeping } from './housekeeping.js';
import { BoardPresence } from './presence/boardPresence.js';
import type { ShardBatch, ShardStore } from './shardStore.js';

export interface ShardPartitionOptions extends PartitionRuntimeOptions<ShardStore> {
  readonly name: ShardName;
  /** Shared with the other shards of the thread. */
  readonly memory: BoardMemory;
  readonly idleSeconds: number;
  readonly retention: Retention;
  readonly presenceSeconds: number;
  /** For each board. */
  readonly limits: BoardLimits;
  /** Commits must be readable for programs that know this schema. Absent: no older one runs. */
  readonly schema?: number;
  readonly now?: () => Date;
}

/** How many events are kept for clients that were away, and how long the activity and the trash are. */
export interface Retention {
  readonly events: number;
  readonly days: number;
  /** Of the activity; 0: for ever. */
  readonly activityDays?: number;
  /** Of what was deleted; 0 or absent: none. */
  readonly trashDays?: number;
}

/** Throws if the undelivered entries cannot be read. */
export function openShardPartition(options: ShardPartitionOptions, host: PartitionHost): DeposablePartition {
  return new PartitionRuntime(options, host, (runtime) => new ShardLogic(options, host, runtime));
}

class ShardLogic implements PartitionLogic<ShardStore> {
  readonly #name: ShardName;
  readonly #boards: ActiveBoards;
  readonly #clock: Clock;
  readonly #commands: ShardCommands;
  readonly #importing: ImportingBoards;
  readonly #housekeeping: Housekeeping;
  readonly #held: HeldBoards;

  constructor(options: ShardPartitionOptions, host: PartitionHost, runtime: PartitionRuntime<ShardStore>) {
    const { name, store, limits } = options;
    const { queue, jobs } = runtime;
    const { later } = host;
    // Being deposed is reported once, by `onDeposed`.
    const onError = (error: unknown): void => {
      if (!(error instanceof Deposed)) host.onError(error);
    };
    const clock = new Clock(options.now ?? (() => new Date()));
    const monotonic = options.monotonic ?? (() => performance.now());
    const boards = new ActiveBoards({
      memory: options.memory,
      idleMs: options.idleSeconds * 1000,
      // Another shard may ask while a commit of this one is under way: what is in memory is not on disk then.
      mayDrop: (key) => !runtime.isCommitting && !queue.has(key) && !queue.isHeld(key),
    });
    this.#name = name;
    this.#boards = boards;
    this.#clock = clock;
    this.#held = new HeldBoards({
      queue,
      boards,
      loading: new LoadingBoards({ store, onError, later }),
      removals: new FinishingRemovals({ jobs, onError, later, timestamp: () => clock.now().text, mayNumber: keepsNumbers(options.schema) }),
      host,
      monotonic,
      now: () => clock.now().ms,
      send: (settlement) => runtime.send(settlement),
      work: () => runtime.proceed(),
    });
    const timers = new FiringTimers({ name, store, jobs, host, onError, now: () => clock.now().ms });
    this.#importing = new ImportingBoards({ name, store, jobs, timers, onError, later, now: () => clock.now().text, schema: options.schema });
    const presenceMs = options.presenceSeconds * 1000;
    const presence = new BoardPresence(presenceMs, monotonic(), Math.min(PRESENCE_REBUILD_MS, presenceMs));
    const { trashDays = 0 } = options.retention;
    const logs = new LogKeeper(store, options.retention.events);
    const onBoards = new BoardCommands({
      name,
      store,
      boards,
      held: this.#held,
      logs,
      timers,
      limits,
      schema: options.schema,
      trashDays,
      clock,
      monotonic,
      onError,
    });
    this.#commands = new ShardCommands({ name, store, boards, onBoards, presence, clock, monotonic, onError });
    // Rows that were committed before a restart and not confirmed: their targets may or may not have them.
    // May throw, so it comes before anything that would have to be stopped.
    host.publish([undeliveredPage(store.outbox, name, 0)]);
    this.#housekeeping = new Housekeeping({
      name,
      store,
      boards,
      presence,
      timers,
      jobs,
      eventDays: options.retention.days,
      activityDays: options.retention.activityDays ?? 0,
      trashDays,
      isImported: (key) => this.#importing.has(key),
      host,
      onError,
      now: () => clock.now().ms,
      monotonic,
    });
  }

  get held(): HeldStats {
    return { activeBoards: this.#boards.size, boardBytes: this.#boards.bytes, pausedWebhooks: this.#housekeeping.pausedWebhooks };
  }

  keyOf(ask: Ask): BoardKey {
    return queueOf(commandOf(ask));
  }

  perform(ask: Ask, batch: ShardBatch): Outcome {
    return this.#commands.perform(ask.id, commandOf(ask), batch);
  }

  /** True for an import. It is answered when its last slice is stored; other boards continue meanwhile. */
  start({ id, command }: Ask, done: (settlement: Settlement) => void): boolean {
    if (!('kind' in command) || command.kind !== 'import') return false;
    this.#importing.start(command.plan, command.keep ?? null, (outcome, notices) => {
      done({ replies: [{ id, outcome: outcome === 'abandoned' ? notOpen(this.#name) : outcome }], notices });
    });
    return true;
  }

  mustWait(key: BoardKey, ask: Ask): boolean {
    return this.#held.mustWait(key, ask);
  }

  /** Other replies must not wait until the large texts of a prepared ask are encoded. */
  isAlone(ask: Ask): boolean {
    return this.#held.isPrepared(ask);
  }

  /** The touched boards are loaded again when needed. */
  undone({ touched }: ShardBatch): void {
    for (const key of touched) this.#boards.drop(key);
  }

  committed(): void {
    this.#boards.putToSleep(this.#clock.now().ms);
  }

  sendLater([first]: readonly Ask[], settlement: Settlement, { marked }: ShardBatch): boolean {
    if (first === undefined || (marked.size === 0 && !this.#held.isPrepared(first))) return false;
    this.#held.sendInSlices(this.keyOf(first), settlement, marked);
    return true;
  }

  settled({ touched }: ShardBatch): void {
    this.#held.batchSettled(touched);
  }

  stop(): void {
    this.#held.close();
    this.#housekeeping.stop();
  }

  abandon(): void {
    this.#importing.abandon();
    this.#boards.close();
  }
}
