/**
 * One shard: its boards in memory and its file. Commands are decided in memory in order and committed together; nothing
 * is published before the commit is on disk.
 */
import { AppError, INTERNAL_ERROR, NotStored } from '../domain/errors.js';
import type { BoardKey } from '../domain/ids.js';
import type { BoardLimits } from '../domain/limits.js';
import { PRESENCE_REBUILD_MS } from '../domain/ports/presence.js';
import { ActiveBoards } from './activeBoards.js';
import { AskQueue } from './askQueue.js';
import { Batch } from './batch.js';
import { BoardCommands } from './boardCommands.js';
import { BoardPresence } from './boardPresence.js';
import { Clock } from './clock.js';
import { LogKeeper } from './eventRetention.js';
import { finishRemovals } from './finishingRemovals.js';
import { HeldBoards } from './heldBoards.js';
import { startHousekeeping } from './housekeeping.js';
import { ImportingBoards } from './importingBoards.js';
import { LoadingBoards } from './loadingBoards.js';
import { commandOf, queueOf } from './settledCommands.js';
import { ShardCommands } from './shardCommands.js';
import type { ShardStore } from './shardStore.js';
import type { Ask, Outcome, Reply, ShardName } from '../partitions/messages.js';
import { CommitStats, type PartitionStats } from '../partitions/partitionStats.js';
import { notOpen, refuseAll, TURN_MS, type Settlement, type Partition, type PartitionHost } from '../partitions/threadServer.js';

export interface ShardPartitionOptions {
  readonly name: ShardName;
  readonly store: ShardStore;
  readonly budgetBytes: number;
  readonly idleSeconds: number;
  readonly retention: Retention;
  readonly presenceSeconds: number;
  /** For each board. */
  readonly limits: BoardLimits;
  readonly now?: () => Date;
  /** Monotonic, in milliseconds: for durations, because the time of day can be set. */
  readonly monotonic?: () => number;
}

/** How many events are kept for clients that were away. */
export interface Retention {
  readonly events: number;
  readonly days: number;
}

/** Outbox rows read at a time when a shard is opened. */
const OUTBOX_PAGE = 500;
const DONE: Outcome = { ok: true, value: null };

export class ShardPartition implements Partition {
  readonly #name: ShardName;
  readonly #store: ShardStore;
  readonly #boards: ActiveBoards;
  readonly #commands: ShardCommands;
  readonly #importing: ImportingBoards;
  readonly #host: PartitionHost;
  readonly #clock: Clock;
  readonly #monotonic: () => number;
  readonly #stats = new CommitStats();
  readonly #housekeeping: { stop(): void };
  readonly #queue = new AskQueue<BoardKey>();
  readonly #held: HeldBoards;
  /** Sends a settlement. */
  #done: (settlement: Settlement) => void = () => undefined;
  #isAwaitingTurn = false;
  #isClosing = false;

  constructor(options: ShardPartitionOptions, host: PartitionHost) {
    const { name, store, limits } = options;
    const { onError, later } = host;
    const clock = new Clock(options.now ?? (() => new Date()));
    const monotonic = options.monotonic ?? (() => performance.now());
    const boards = new ActiveBoards(options.budgetBytes, options.idleSeconds * 1000);
    this.#name = name;
    this.#store = store;
    this.#boards = boards;
    this.#host = host;
    this.#clock = clock;
    this.#monotonic = monotonic;
    this.#held = new HeldBoards({
      queue: this.#queue,
      boards,
      loading: new LoadingBoards({ store, onError, later }),
      finish: (key, board) => finishRemovals({ store, onError, timestamp: () => clock.now().text }, key, board),
      host,
      monotonic,
      now: () => clock.now().ms,
      send: (settlement) => this.#done(settlement),
      work: () => this.#work(),
    });
    this.#importing = new ImportingBoards({ name, store, onError, later, now: () => clock.now().text });
    const presenceMs = options.presenceSeconds * 1000;
    const presence = new BoardPresence(presenceMs, monotonic(), Math.min(PRESENCE_REBUILD_MS, presenceMs));
    const logs = new LogKeeper(store.events, options.retention.events);
    const onBoards = new BoardCommands({ name, store, boards, held: this.#held, logs, limits, clock, onError });
    this.#commands = new ShardCommands({ store, boards, onBoards, presence, clock, monotonic, onError });
    // May throw, so it comes before anything that would have to be stopped.
    this.#publishUndelivered();
    this.#housekeeping = startHousekeeping({
      store,
      boards,
      presence,
      eventDays: options.retention.days,
      isImported: (key) => this.#importing.has(key),
      host,
      now: () => clock.now().ms,
      monotonic,
    });
  }

  take(asks: readonly Ask[], done: (settlement: Settlement) => void): void {
    this.#done = done;
    for (const ask of asks) {
      if (!this.#isImport(ask, done)) this.#queue.push(queueOf(commandOf(ask)), ask);
    }
    if (this.#host.isTurnOver()) this.#workLater();
    else this.#work();
  }

  stats(): PartitionStats {
    return { ...this.#stats.data, activeBoards: this.#boards.size, boardBytes: this.#boards.bytes };
  }

  probe(): void {
    this.#store.probe();
  }

  /** Answers earlier asks, except those that wait for a load. */
  close(): void {
    this.#isClosing = true;
    this.#held.close();
    while (this.#settle([]));
    this.#housekeeping.stop();
    this.#importing.abandon();
    this.#done(refuseAll(this.#queue.takeAll(), notOpen(this.#name)));
    this.#store.close();
  }

  /** True for an import. It is answered when its last slice is on disk; other boards continue meanwhile. */
  #isImport({ id, command }: Ask, done: (settlement: Settlement) => void): boolean {
    if (!('kind' in command) || command.kind !== 'import') return false;
    this.#importing.start(command.plan, (outcome, notices) => {
      done({ replies: [{ id, outcome: outcome === 'abandoned' ? notOpen(this.#name) : outcome }], notices });
    });
    return true;
  }

  /** Settles asks for one turn; the rest follows after other partitions. */
  #work(): void {
    if (this.#settle([])) this.#workLater();
  }

  #workLater(): void {
    if (this.#isAwaitingTurn) return;
    this.#isAwaitingTurn = true;
    this.#host.later(() => {
      this.#isAwaitingTurn = false;
      this.#work();
    });
  }

  /** Takes asks into the list and answers them. True if more asks are waiting. */
  #settle(taken: Ask[]): boolean {
    const batch = new Batch(this.#store);
    try {
      const settlement = { replies: this.#commitTogether(taken, batch), notices: batch.notices };
      const [first] = taken;
      if (first === undefined) return false;
      if (this.#held.isPrepared(first) || batch.marked.size > 0) this.#held.sendInSlices(queueOf(commandOf(first)), settlement, batch.marked);
      else this.#done(settlement);
    } catch (error) {
      this.#host.onError(error);
      // One of them, or the disk, is at fault. Tried alone, each gets its own result.
      const settlements = taken.map((ask): Settlement => {
        const notices = batch.presence.get(ask.id);
        return notices === undefined ? this.#commitAlone(ask) : { replies: [{ id: ask.id, outcome: DONE }], notices };
      });
      this.#done({
        replies: settlements.flatMap(({ replies }) => replies),
        notices: settlements.flatMap(({ notices }) => notices),
      });
    }
    for (const key of batch.touched) this.#held.finishRemovals(key);
    return this.#queue.isWaiting;
  }

  #commitAlone(ask: Ask): Settlement {
    const batch = new Batch(this.#store);
    try {
      const replies = [this.#performAsk(ask, batch)];
      this.#finish(batch, 1);
      return { replies, notices: batch.notices };
    } catch (error) {
      this.#undo(batch);
      const known = error instanceof AppError;
      if (!known || error instanceof NotStored) this.#host.onError(error);
      return { replies: [{ id: ask.id, outcome: { ok: false, error: known ? error.toData() : INTERNAL_ERROR } }], notices: [] };
    }
  }

  #commitTogether(taken: Ask[], batch: Batch): Reply[] {
    const endsAt = this.#isClosing ? Infinity : this.#monotonic() + TURN_MS;
    const replies: Reply[] = [];
    try {
      for (let next = this.#nextReady(); next !== null; next = this.#monotonic() < endsAt ? this.#nextReady() : null) {
        const isPrepared = this.#held.isPrepared(next);
        // Other replies must not wait until its large texts are encoded.
        if (isPrepared && taken.length > 0) {
          this.#queue.putBack(queueOf(commandOf(next)), next);
          break;
        }
        taken.push(next);
        replies.push(this.#performAsk(next, batch));
        if (isPrepared) break;
      }
      this.#finish(batch, taken.length);
      return replies;
    } catch (error) {
      this.#undo(batch);
      throw error;
    }
  }

  #performAsk(ask: Ask, batch: Batch): Reply {
    return { id: ask.id, outcome: this.#commands.perform(ask.id, commandOf(ask), batch) };
  }

  #finish(batch: Batch, commands: number): void {
    if (batch.isWriting) this.#commit(commands);
    this.#boards.putToSleep(this.#clock.now().ms, (key) => this.#queue.has(key));
  }

  /** Memory is ahead of the disk: the touched boards are dropped and loaded again when needed. */
  #undo(batch: Batch): void {
    for (const key of batch.touched) this.#boards.drop(key);
    if (batch.isWriting) this.#store.rollback();
  }

  /** The next ask that can be settled at once. Asks that need long work first are held. */
  #nextReady(): Ask | null {
    for (let next = this.#queue.next(); next !== null; next = this.#queue.next()) {
      if (!this.#held.mustWait(next.key, next.ask)) return next.ask;
    }
    return null;
  }

  #commit(commands: number): void {
    const startedAt = performance.now();
    this.#store.commit();
    this.#stats.count((performance.now() - startedAt) / 1000, commands);
  }

  /** Publishes rows that were committed before a restart and not confirmed: the directory may or may not have them. */
  #publishUndelivered(): void {
    for (let after = 0, more = true; more; ) {
      const page = this.#store.outbox.list(after, OUTBOX_PAGE);
      this.#host.publish(
        page.map(({ id, payload }) => ({
          kind: 'outbox',
          shard: this.#name,
          id,
          changes: { ...JSON.parse(payload), version: id },
        })),
      );
      more = page.length === OUTBOX_PAGE;
      after = page.at(-1)?.id ?? after;
    }
  }
}

