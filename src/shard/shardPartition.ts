/**
 * One shard: its boards in memory and its file. Commands are decided in memory in order and committed together; nothing
 * is published before the commit is stored.
 */
import { AppError, Deposed, INTERNAL_ERROR, NotStored } from '../domain/errors.js';
import type { BoardKey } from '../domain/ids.js';
import type { BoardLimits } from '../domain/limits.js';
import { oneByOne } from '../flow/oneByOne.js';
import { PRESENCE_REBUILD_MS } from '../domain/ports/presence.js';
import { ActiveBoards } from './boards/activeBoards.js';
import { Batch, Commits, Jobs } from './commits.js';
import { BoardCommands } from './commands/boardCommands.js';
import type { BoardMemory } from './boards/boardMemory.js';
import { BoardPresence } from './presence/boardPresence.js';
import { Clock } from './clock.js';
import { LogKeeper } from './eventRetention.js';
import { FinishingRemovals } from './boards/finishingRemovals.js';
import { HeldBoards } from './boards/heldBoards.js';
import { Housekeeping } from './housekeeping.js';
import { ImportingBoards } from './boards/importingBoards.js';
import { LoadingBoards } from './boards/loadingBoards.js';
import { undeliveredPage } from './commands/outboxEntries.js';
import { AskQueue, commandOf, queueOf } from './askQueue.js';
import { ShardCommands } from './commands/shardCommands.js';
import type { ShardStore } from './shardStore.js';
import { DONE, type Ask, type Notice, type Reply, type ShardName } from '../partitions/messages.js';
import type { PartitionStats } from '../partitions/health/partitionStats.js';
import {
  notOpen,
  outcomeOf,
  refuseAll,
  TURN_MS,
  type Settlement,
  type DeposablePartition,
  type PartitionHost,
} from '../partitions/thread/threadServer.js';

export interface ShardPartitionOptions {
  readonly name: ShardName;
  readonly store: ShardStore;
  /** Shared with the other shards of the thread. */
  readonly memory: BoardMemory;
  readonly idleSeconds: number;
  readonly retention: Retention;
  readonly presenceSeconds: number;
  /** For each board. */
  readonly limits: BoardLimits;
  /** The process no longer owns the shard. Called before `host.deposed`; closes the store. */
  readonly onDeposed: (error: Deposed) => void;
  readonly now?: () => Date;
  /** Monotonic, in milliseconds: for durations, because the time of day can be set. */
  readonly monotonic?: () => number;
}

/** How many events are kept for clients that were away. */
export interface Retention {
  readonly events: number;
  readonly days: number;
}

type State = 'open' | 'closing' | 'closed' | 'deposed';

export class ShardPartition implements DeposablePartition {
  readonly #options: ShardPartitionOptions;
  readonly #name: ShardName;
  readonly #store: ShardStore;
  readonly #boards: ActiveBoards;
  readonly #commands: ShardCommands;
  readonly #importing: ImportingBoards;
  readonly #host: PartitionHost;
  readonly #monotonic: () => number;
  readonly #housekeeping: Housekeeping;
  readonly #queue = new AskQueue<BoardKey>();
  readonly #jobs = new Jobs(() => this.#work());
  readonly #commits: Commits;
  readonly #held: HeldBoards;
  /** Sends a settlement. */
  #done: (settlement: Settlement) => void = () => undefined;
  #closed: () => void = () => undefined;
  #state: State = 'open';
  #isAwaitingTurn = false;
  /** Asks were served last, so a waiting job is next. */
  #isJobsTurn = false;
  #isClosingOn = false;

  constructor(options: ShardPartitionOptions, host: PartitionHost) {
    const { name, store, limits } = options;
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
      mayDrop: (key) => !this.#commits.isUnderWay && !this.#queue.has(key) && !this.#queue.isHeld(key),
    });
    const jobs = this.#jobs;
    this.#options = options;
    this.#name = name;
    this.#store = store;
    this.#boards = boards;
    this.#host = host;
    this.#monotonic = monotonic;
    this.#commits = new Commits({ store, boards, committed: () => boards.putToSleep(clock.now().ms) });
    this.#held = new HeldBoards({
      queue: this.#queue,
      boards,
      loading: new LoadingBoards({ store, onError, later }),
      removals: new FinishingRemovals({ jobs, onError, later, timestamp: () => clock.now().text }),
      host,
      monotonic,
      now: () => clock.now().ms,
      send: (settlement) => this.#done(settlement),
      work: () => this.#work(),
    });
    this.#importing = new ImportingBoards({ name, store, jobs, onError, later, now: () => clock.now().text });
    const presenceMs = options.presenceSeconds * 1000;
    const presence = new BoardPresence(presenceMs, monotonic(), Math.min(PRESENCE_REBUILD_MS, presenceMs));
    const logs = new LogKeeper(store.events, options.retention.events);
    const onBoards = new BoardCommands({ name, store, boards, held: this.#held, logs, limits, clock, onError });
    this.#commands = new ShardCommands({ name, store, boards, onBoards, presence, clock, monotonic, onError });
    // May throw, so it comes before anything that would have to be stopped.
    this.#publishUndelivered();
    this.#housekeeping = new Housekeeping({
      store,
      boards,
      presence,
      jobs,
      eventDays: options.retention.days,
      isImported: (key) => this.#importing.has(key),
      host,
      onError,
      now: () => clock.now().ms,
      monotonic,
    });
  }

  take(asks: readonly Ask[], done: (settlement: Settlement) => void): void {
    if (this.#state !== 'open') return done(refuseAll(asks, notOpen(this.#name)));
    this.#done = done;
    for (const ask of asks) {
      if (!this.#isImport(ask, done)) this.#queue.push(queueOf(commandOf(ask)), ask);
    }
    if (this.#host.isTurnOver()) this.#workLater();
    else this.#work();
  }

  stats(): PartitionStats {
    return { ...this.#commits.stats, activeBoards: this.#boards.size, boardBytes: this.#boards.bytes };
  }

  probe(): 'busy' | 'works' {
    if (this.#commits.isUnderWay) return 'busy';
    this.#store.probe();
    return 'works';
  }

  /** Answers earlier asks, except those that wait for a load, and ends the job that is under way. */
  close(closed: () => void): void {
    this.#state = 'closing';
    this.#closed = closed;
    this.#held.close();
    this.#housekeeping.stop();
    this.#closeOn();
  }

  depose(): void {
    const isOver = this.#state === 'closed' || this.#state === 'deposed';
    if (!isOver && !this.#commits.isUnderWay) this.#depose(new Deposed('no'));
  }

  /** Continues after the commit that is under way. */
  #closeOn(): void {
    // A commit was settled inside the loop below.
    if (this.#isClosingOn) return;
    this.#isClosingOn = true;
    do {
      this.#work();
      this.#host.endTurn();
    } while (this.#queue.isWaiting && !this.#commits.isUnderWay && this.#state === 'closing');
    this.#isClosingOn = false;
    if (this.#commits.isUnderWay || this.#state !== 'closing') return;
    this.#state = 'closed';
    this.#refuseWaiting();
    this.#boards.close();
    this.#store.close();
    this.#closed();
  }

  /** The commit or the answers of this process count no more: the next owner gets the asks. */
  #depose(error: Deposed): void {
    this.#state = 'deposed';
    this.#held.close();
    this.#housekeeping.stop();
    this.#refuseWaiting();
    this.#boards.close();
    try {
      this.#options.onDeposed(error);
    } catch (fault) {
      this.#host.onError(fault);
    }
    this.#host.deposed();
    this.#closed();
  }

  #refuseWaiting(): void {
    this.#jobs.clear();
    this.#importing.abandon();
    this.#done(refuseAll(this.#queue.takeAll(), notOpen(this.#name)));
  }

  /** True for an import. It is answered when its last slice is stored; other boards continue meanwhile. */
  #isImport({ id, command }: Ask, done: (settlement: Settlement) => void): boolean {
    if (!('kind' in command) || command.kind !== 'import') return false;
    this.#importing.start(command.plan, command.keep ?? null, (outcome, notices) => {
      done({ replies: [{ id, outcome: outcome === 'abandoned' ? notOpen(this.#name) : outcome }], notices });
    });
    return true;
  }

  /** Settles asks for one turn, or one job. The rest follows after other partitions. */
  #work(): void {
    // Memory is ahead of the store: what is decided on it waits for the commit.
    if (this.#commits.isUnderWay || this.#state === 'closed' || this.#state === 'deposed') return;
    const isJobNext = this.#jobs.isWaiting && (this.#isJobsTurn || !this.#queue.isWaiting);
    if (isJobNext && this.#state === 'open') this.#runJob();
    else this.#settleAsks();
  }

  #workLater(): void {
    if (this.#isAwaitingTurn) return;
    this.#isAwaitingTurn = true;
    this.#host.later(() => {
      this.#isAwaitingTurn = false;
      this.#work();
    });
  }

  #runJob(): void {
    this.#isJobsTurn = false;
    const job = this.#jobs.next();
    if (job === undefined) return;
    const batch = new Batch(this.#store);
    const settled = (error: unknown): void => {
      job.settled(error);
      if (error instanceof Deposed) this.#depose(error);
      else this.#finish(batch);
    };
    try {
      job.write(batch);
    } catch (error) {
      this.#commits.undo(batch);
      return settled(error);
    }
    this.#commits.commit(batch, 0, settled);
  }

  #settleAsks(): void {
    this.#isJobsTurn = true;
    const batch = new Batch(this.#store);
    const taken: Ask[] = [];
    let replies: readonly Reply[];
    try {
      replies = this.#performTogether(taken, batch);
    } catch (error) {
      this.#commits.undo(batch);
      return this.#failed(taken, batch, error);
    }
    if (taken.length === 0) return this.#finish(batch);
    this.#commits.commit(batch, taken.length, (error) => {
      if (error !== null) return this.#failed(taken, batch, error);
      try {
        this.#send(taken, { replies, notices: batch.notices }, batch);
      } catch (fault) {
        // The changes are stored. The answers only say that something went wrong.
        this.#host.onError(fault);
        this.#done(refuseAll(taken, { ok: false, error: INTERNAL_ERROR }));
      }
      this.#finish(batch);
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

  /** After the replies of a batch have left, or a job has ended. */
  #finish(batch: Batch): void {
    this.#held.batchSettled(batch.touched);
    if (this.#state === 'closing') this.#closeOn();
    else if (this.#queue.isWaiting || this.#jobs.isWaiting) this.#workLater();
  }

  #failed(asks: readonly Ask[], batch: Batch, error: unknown): void {
    if (!(error instanceof Deposed)) return this.#workApart(asks, batch, error);
    this.#done(this.#refusal(asks, batch, error));
    this.#depose(error);
  }

  /** Presence changes stay done, and are published. The next owner learns of them from the ask. */
  #refusal(asks: readonly Ask[], batch: Batch, error: Deposed): Settlement {
    const outcome = outcomeOf(error, this.#name);
    const replies = asks.map(({ id }) => ({ id, outcome: batch.writers.has(id) ? outcome : notOpen(this.#name) }));
    return { replies, notices: [...batch.presence.values()].flat() };
  }

  /** One of the asks, or the disk, is at fault. Tried alone, each gets its own result. */
  #workApart(asks: readonly Ask[], failed: Batch, error: unknown): void {
    this.#host.onError(error);
    const settlements: Settlement[] = [];
    const sendAll = (): void =>
      this.#done({
        replies: settlements.flatMap(({ replies }) => replies),
        notices: settlements.flatMap(({ notices }) => notices),
      });
    oneByOne(
      asks.entries(),
      ([index, ask], next) => {
        this.#workAlone(ask, failed.presence.get(ask.id), (settlement, deposed) => {
          settlements.push(settlement);
          if (deposed === null) return next();
          settlements.push(refuseAll(asks.slice(index + 1), notOpen(this.#name)));
          sendAll();
          this.#depose(deposed);
        });
      },
      () => {
        sendAll();
        this.#finish(failed);
      },
    );
  }

  /** `published`: its presence changes, if the failed batch has made them. */
  #workAlone(ask: Ask, published: readonly Notice[] | undefined, settled: (settlement: Settlement, deposed: Deposed | null) => void): void {
    if (published !== undefined) return settled({ replies: [{ id: ask.id, outcome: DONE }], notices: published }, null);
    const batch = new Batch(this.#store);
    const refuse = (error: unknown): void => {
      if (error instanceof Deposed) return settled(this.#refusal([ask], batch, error), error);
      const known = error instanceof AppError;
      if (!known || error instanceof NotStored) this.#host.onError(error);
      settled(refuseAll([ask], { ok: false, error: known ? error.toData() : INTERNAL_ERROR }), null);
    };
    let reply: Reply;
    try {
      reply = this.#performAsk(ask, batch);
    } catch (error) {
      this.#commits.undo(batch);
      return refuse(error);
    }
    this.#commits.commit(batch, 1, (error) => {
      if (error !== null) refuse(error);
      else settled({ replies: [reply], notices: batch.notices }, null);
    });
  }

  #performTogether(taken: Ask[], batch: Batch): Reply[] {
    const endsAt = this.#state === 'closing' ? Infinity : this.#monotonic() + TURN_MS;
    const replies: Reply[] = [];
    for (let next = this.#nextReady(); next !== null; next = this.#monotonic() < endsAt ? this.#nextReady() : null) {
      const isPrepared = this.#held.isPrepared(next);
      // Other replies must not wait until its large texts are encoded.
      if (isPrepared && taken.length > 0) {
        this.#queue.putBack(queueOf(commandOf(next)), next);
        break;
      }
      taken.push(next);
      const reply = this.#performAsk(next, batch);
      replies.push(reply);
      batch.noteReply(reply.outcome);
      if (isPrepared || batch.isFull) break;
    }
    return replies;
  }

  #performAsk(ask: Ask, batch: Batch): Reply {
    batch.startAsk(ask.id);
    return { id: ask.id, outcome: this.#commands.perform(ask.id, commandOf(ask), batch) };
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
