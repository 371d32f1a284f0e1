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
import { undeliveredPage } from './outboxEntries.js';
import { commandOf, queueOf } from './settledCommands.js';
import { ShardCommands } from './shardCommands.js';
import type { ShardStore } from './shardStore.js';
import type { Ask, Notice, Outcome, Reply, ShardName } from '../partitions/messages.js';
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
  #isCommitting = false;
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
    this.#commands = new ShardCommands({ name, store, boards, onBoards, presence, clock, monotonic, onError });
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
    do {
      this.#work();
      this.#host.endTurn();
    } while (this.#queue.isWaiting);
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
    // Memory is ahead of the disk: what is decided on it waits for the commit.
    if (this.#isCommitting) return;
    const batch = new Batch(this.#store);
    const taken: Ask[] = [];
    let replies: readonly Reply[];
    try {
      replies = this.#performTogether(taken, batch);
    } catch (error) {
      this.#undo(batch);
      return this.#workApart(taken, batch, error);
    }
    this.#commit(batch, taken.length, (error) => {
      if (error !== null) return this.#workApart(taken, batch, error);
      try {
        this.#send(taken, { replies, notices: batch.notices }, batch);
      } catch (fault) {
        // The changes are on disk. The answers only say that something went wrong.
        this.#host.onError(fault);
        this.#done(refuseAll(taken, { ok: false, error: INTERNAL_ERROR }));
      }
      this.#finish(batch);
    });
  }

  #workLater(): void {
    if (this.#isAwaitingTurn) return;
    this.#isAwaitingTurn = true;
    this.#host.later(() => {
      this.#isAwaitingTurn = false;
      this.#work();
    });
  }

  #send(taken: readonly Ask[], settlement: Settlement, batch: Batch): void {
    const [first] = taken;
    if (first === undefined) return;
    if (this.#held.isPrepared(first) || batch.marked.size > 0) {
      this.#held.sendInSlices(queueOf(commandOf(first)), settlement, batch.marked);
    } else {
      this.#done(settlement);
    }
  }

  /** After the replies of a batch have left. */
  #finish(batch: Batch): void {
    for (const key of batch.touched) this.#held.finishRemovals(key);
    if (this.#queue.isWaiting) this.#workLater();
  }

  /** One of the asks, or the disk, is at fault. Tried alone, each gets its own result. */
  #workApart(asks: readonly Ask[], failed: Batch, error: unknown): void {
    this.#host.onError(error);
    const settlements: Settlement[] = [];
    let next = 0;
    let isRunning = false;
    // A loop where commits end at once, so that a long list does not become a deep stack.
    const run = (): void => {
      if (isRunning) return;
      isRunning = true;
      while (settlements.length === next) {
        const ask = asks[next];
        if (ask === undefined) {
          this.#done({
            replies: settlements.flatMap(({ replies }) => replies),
            notices: settlements.flatMap(({ notices }) => notices),
          });
          this.#finish(failed);
          break;
        }
        next += 1;
        this.#workAlone(ask, failed.presence.get(ask.id), (settlement) => {
          settlements.push(settlement);
          run();
        });
      }
      isRunning = false;
    };
    run();
  }

  /** `published`: its presence changes, if the failed batch has made them. */
  #workAlone(ask: Ask, published: readonly Notice[] | undefined, settled: (settlement: Settlement) => void): void {
    if (published !== undefined) return settled({ replies: [{ id: ask.id, outcome: DONE }], notices: published });
    const batch = new Batch(this.#store);
    const refuse = (error: unknown): void => {
      const known = error instanceof AppError;
      if (!known || error instanceof NotStored) this.#host.onError(error);
      settled({ replies: [{ id: ask.id, outcome: { ok: false, error: known ? error.toData() : INTERNAL_ERROR } }], notices: [] });
    };
    let reply: Reply;
    try {
      reply = this.#performAsk(ask, batch);
    } catch (error) {
      this.#undo(batch);
      return refuse(error);
    }
    this.#commit(batch, 1, (error) => {
      if (error !== null) refuse(error);
      else settled({ replies: [reply], notices: batch.notices });
    });
  }

  #performTogether(taken: Ask[], batch: Batch): Reply[] {
    const endsAt = this.#isClosing ? Infinity : this.#monotonic() + TURN_MS;
    const replies: Reply[] = [];
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
    return replies;
  }

  #performAsk(ask: Ask, batch: Batch): Reply {
    return { id: ask.id, outcome: this.#commands.perform(ask.id, commandOf(ask), batch) };
  }

  /** Calls `settled` with null when the batch is on disk or wrote nothing; otherwise it was undone. */
  #commit(batch: Batch, commands: number, settled: (error: unknown) => void): void {
    const putToSleep = (): void => this.#boards.putToSleep(this.#clock.now().ms, (key) => this.#queue.has(key));
    if (!batch.isWriting) {
      putToSleep();
      return settled(null);
    }
    const startedAt = performance.now();
    this.#isCommitting = true;
    this.#store.commitTogether((error) => {
      this.#isCommitting = false;
      if (error === null) {
        this.#stats.count((performance.now() - startedAt) / 1000, commands);
        putToSleep();
      } else {
        this.#undo(batch);
      }
      settled(error);
    });
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

  /** Publishes rows that were committed before a restart and not confirmed: their targets may or may not have them. */
  #publishUndelivered(): void {
    this.#host.publish([undeliveredPage(this.#store.outbox, this.#name, 0)]);
  }
}
