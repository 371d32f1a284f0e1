/**
 * A partition in its thread: asks wait in queues, are decided in order, committed together and answered; nothing is
 * published before the commit is stored. A shard and the directory differ in their `PartitionLogic` alone.
 */
import { AppError, Deposed, INTERNAL_ERROR, NotStored } from '../../domain/errors.js';
import { oneByOne } from '../../flow/oneByOne.js';
import type { HeldStats, PartitionStats } from '../health/partitionStats.js';
import { DONE, type Ask, type Notice, type Outcome, type PartitionName, type Reply } from '../messages.js';
import { AskQueue } from './askQueue.js';
import { Batch, Commits, Jobs, type PartitionStore } from './commits.js';
import { notOpen, outcomeOf, refuseAll, TURN_MS, type DeposablePartition, type PartitionHost, type Settlement } from './partition.js';

/** How asks are decided. Optional are the parts for state in memory and for work that takes longer than a turn. */
export interface PartitionLogic<Store extends PartitionStore> {
  /** Asks with the same key stay in order; keys take turns. */
  keyOf(ask: Ask): string;
  /**
   * Decides the ask on the state that the asks before it left. A refusal is a result. If it throws, the batch is undone and
   * each of its asks tried alone.
   */
  perform(ask: Ask, batch: Batch<Store>): Outcome;
  /** What it has in memory. */
  readonly held: HeldStats;

  /** True if it has taken the ask, which needs commits of its own and is answered by `done`. */
  start?(ask: Ask, done: (settlement: Settlement) => void): boolean;
  /** True if other work comes first: it holds the key in the queue and calls `proceed` when it has ended. */
  mustWait?(key: string, ask: Ask): boolean;
  /** Whether the ask shares its commit with no other. */
  isAlone?(ask: Ask): boolean;
  /** Memory is ahead of the store, which is rolled back next. */
  undone?(batch: Batch<Store>): void;
  /** Memory equals the store. */
  committed?(): void;
  /** True if it sends the settlement of a stored batch later. */
  sendLater?(asks: readonly Ask[], settlement: Settlement, batch: Batch<Store>): boolean;
  /** After the replies of a batch have left, or a job has ended, stored or not. */
  settled?(batch: Batch<Store>): void;
  /** The partition is being closed or was deposed: long work ends, and none is begun. */
  stop?(): void;
  /** Waiting asks and jobs are refused next, and nothing follows. */
  abandon?(): void;
}

export interface PartitionRuntimeOptions<Store extends PartitionStore> {
  readonly name: PartitionName;
  readonly store: Store;
  /** The process no longer owns the partition. Called before `host.deposed`; closes the store. */
  readonly onDeposed: (error: Deposed) => void;
  /** Monotonic, in milliseconds: for durations, because the time of day can be set. */
  readonly monotonic?: (() => number) | undefined;
}

/** As many boards as send long commands at once, with room to spare. */
const MAX_LONG_KEYS = 256;

type State = 'open' | 'closing' | 'closed' | 'deposed';

export class PartitionRuntime<Store extends PartitionStore> implements DeposablePartition {
  readonly queue = new AskQueue();
  readonly jobs = new Jobs<Store>(() => this.proceed());
  readonly #options: PartitionRuntimeOptions<Store>;
  readonly #name: PartitionName;
  readonly #host: PartitionHost;
  readonly #monotonic: () => number;
  readonly #commits: Commits<Store>;
  readonly #logic: PartitionLogic<Store>;
  /** Sends a settlement. */
  #done: (settlement: Settlement) => void = () => undefined;
  #closed: () => void = () => undefined;
  #state: State = 'open';
  #isAwaitingTurn = false;
  /** Asks were served last, so a waiting job is next. */
  #isJobsTurn = false;
  #isClosingOn = false;
  /** Keys whose latest ask took longer than a turn: the next one does not join the batch of others. */
  readonly #long = new Set<string>();

  /** Throws if the logic cannot be made. */
  constructor(options: PartitionRuntimeOptions<Store>, host: PartitionHost, logic: (runtime: PartitionRuntime<Store>) => PartitionLogic<Store>) {
    this.#options = options;
    this.#name = options.name;
    this.#host = host;
    this.#monotonic = options.monotonic ?? (() => performance.now());
    this.#commits = new Commits({
      store: options.store,
      committed: () => this.#logic.committed?.(),
      undone: (batch) => this.#logic.undone?.(batch),
    });
    this.#logic = logic(this);
  }

  take(asks: readonly Ask[], done: (settlement: Settlement) => void): void {
    if (this.#state !== 'open') return done(refuseAll(asks, notOpen(this.#name)));
    this.#done = done;
    for (const ask of asks) {
      if (this.#logic.start?.(ask, done) !== true) this.queue.push(this.#logic.keyOf(ask), ask);
    }
    if (this.#host.isTurnOver()) this.#proceedLater();
    else this.proceed();
  }

  stats(): PartitionStats {
    return { ...this.#commits.stats, ...this.#logic.held };
  }

  probe(): 'busy' | 'works' {
    if (this.#commits.isUnderWay) return 'busy';
    this.#options.store.probe();
    return 'works';
  }

  /** Answers earlier asks, except those that wait for other work, and ends the job that is under way. */
  close(closed: () => void): void {
    this.#state = 'closing';
    this.#closed = closed;
    this.#logic.stop?.();
    this.#closeOn();
  }

  depose(): void {
    const isOver = this.#state === 'closed' || this.#state === 'deposed';
    if (!isOver && !this.#commits.isUnderWay) this.#depose(new Deposed('no'));
  }

  /** Whether memory is ahead of the store. */
  get isCommitting(): boolean {
    return this.#commits.isUnderWay;
  }

  /** Sends what is stored. */
  send(settlement: Settlement): void {
    this.#done(settlement);
  }

  /** Settles asks for one turn, or one job. The rest follows after other partitions. */
  proceed(): void {
    // Memory is ahead of the store: what is decided on it waits for the commit.
    if (this.#commits.isUnderWay || this.#state === 'closed' || this.#state === 'deposed') return;
    const isJobNext = this.jobs.isWaiting && (this.#isJobsTurn || !this.queue.isWaiting);
    if (isJobNext && this.#state === 'open') this.#runJob();
    else this.#settleAsks();
  }

  #proceedLater(): void {
    if (this.#isAwaitingTurn) return;
    this.#isAwaitingTurn = true;
    this.#host.later(() => {
      this.#isAwaitingTurn = false;
      this.proceed();
    });
  }

  /** Continues after the commit that is under way. */
  #closeOn(): void {
    // A commit was settled inside the loop below.
    if (this.#isClosingOn) return;
    this.#isClosingOn = true;
    do {
      this.proceed();
      this.#host.endTurn();
    } while (this.queue.isWaiting && !this.#commits.isUnderWay && this.#state === 'closing');
    this.#isClosingOn = false;
    if (this.#commits.isUnderWay || this.#state !== 'closing') return;
    this.#state = 'closed';
    this.#refuseWaiting();
    this.#options.store.close();
    this.#closed();
  }

  /** The commit or the answers of this process count no more: the next owner gets the asks. */
  #depose(error: Deposed): void {
    this.#state = 'deposed';
    this.#logic.stop?.();
    this.#refuseWaiting();
    try {
      this.#options.onDeposed(error);
    } catch (fault) {
      this.#host.onError(fault);
    }
    this.#host.deposed();
    this.#closed();
  }

  #refuseWaiting(): void {
    this.jobs.clear();
    this.#logic.abandon?.();
    this.#done(refuseAll(this.queue.takeAll(), notOpen(this.#name)));
  }

  #runJob(): void {
    this.#isJobsTurn = false;
    const job = this.jobs.next();
    if (job === undefined) return;
    const batch = new Batch(this.#options.store);
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
    const batch = new Batch(this.#options.store);
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
        const settlement = { replies, notices: batch.notices };
        if (this.#logic.sendLater?.(taken, settlement, batch) !== true) this.#done(settlement);
      } catch (fault) {
        // The changes are stored. The answers only say that something went wrong.
        this.#host.onError(fault);
        this.#done(refuseAll(taken, { ok: false, error: INTERNAL_ERROR }));
      }
      this.#finish(batch);
    });
  }

  /** After the replies of a batch have left, or a job has ended. */
  #finish(batch: Batch<Store>): void {
    this.#logic.settled?.(batch);
    if (this.#state === 'closing') this.#closeOn();
    else if (this.queue.isWaiting || this.jobs.isWaiting) this.#proceedLater();
  }

  #failed(asks: readonly Ask[], batch: Batch<Store>, error: unknown): void {
    if (!(error instanceof Deposed)) return this.#settleApart(asks, batch, error);
    this.#done(this.#refusal(asks, batch, error));
    this.#depose(error);
  }

  /** Presence changes stay done, and are published. The next owner learns of them from the ask. */
  #refusal(asks: readonly Ask[], batch: Batch<Store>, error: Deposed): Settlement {
    const outcome = outcomeOf(error, this.#name);
    const replies = asks.map(({ id }) => ({ id, outcome: batch.writers.has(id) ? outcome : notOpen(this.#name) }));
    return { replies, notices: [...batch.presence.values()].flat() };
  }

  /** One of the asks, or the disk, is at fault. Tried alone, each gets its own result. */
  #settleApart(asks: readonly Ask[], failed: Batch<Store>, error: unknown): void {
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
        this.#settleAlone(ask, failed.presence.get(ask.id), (settlement, deposed) => {
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
  #settleAlone(ask: Ask, published: readonly Notice[] | undefined, settled: (settlement: Settlement, deposed: Deposed | null) => void): void {
    if (published !== undefined) return settled({ replies: [{ id: ask.id, outcome: DONE }], notices: published }, null);
    const batch = new Batch(this.#options.store);
    const refuse = (error: unknown, isRefusal: boolean): void => {
      if (error instanceof Deposed) return settled(this.#refusal([ask], batch, error), error);
      if (!isRefusal) this.#host.onError(error);
      settled(refuseAll([ask], { ok: false, error: error instanceof AppError ? error.toData() : INTERNAL_ERROR }), null);
    };
    let reply: Reply;
    try {
      reply = this.#perform(ask, batch);
    } catch (error) {
      this.#commits.undo(batch);
      return refuse(error, error instanceof AppError && !(error instanceof NotStored));
    }
    this.#commits.commit(batch, 1, (error) => {
      if (error !== null) refuse(error, false);
      else settled({ replies: [reply], notices: batch.notices }, null);
    });
  }

  #performTogether(taken: Ask[], batch: Batch<Store>): Reply[] {
    let now = this.#monotonic();
    const endsAt = this.#state === 'closing' ? Infinity : now + TURN_MS;
    const replies: Reply[] = [];
    for (let next = this.#nextReady(); next !== null; next = now < endsAt ? this.#nextReady() : null) {
      const { key, ask } = next;
      const isAlone = this.#logic.isAlone?.(ask) === true;
      if ((isAlone || this.#long.has(key)) && taken.length > 0) {
        this.queue.putBack(key, ask);
        break;
      }
      taken.push(ask);
      const reply = this.#perform(ask, batch);
      replies.push(reply);
      batch.noteReply(reply.outcome);
      const startedAt = now;
      now = this.#monotonic();
      this.#noteTime(key, now - startedAt);
      if (isAlone || batch.isFull) break;
    }
    return replies;
  }

  #noteTime(key: string, ms: number): void {
    this.#long.delete(key);
    if (ms <= TURN_MS) return;
    this.#long.add(key);
    for (const oldest of this.#long) if (this.#long.size > MAX_LONG_KEYS) this.#long.delete(oldest);
  }

  #perform(ask: Ask, batch: Batch<Store>): Reply {
    batch.startAsk(ask.id);
    return { id: ask.id, outcome: this.#logic.perform(ask, batch) };
  }

  /** The next ask that can be settled at once. */
  #nextReady(): { readonly key: string; readonly ask: Ask } | null {
    for (let next = this.queue.next(); next !== null; next = this.queue.next()) {
      if (this.#logic.mustWait?.(next.key, next.ask) !== true) return next;
    }
    return null;
  }
}
