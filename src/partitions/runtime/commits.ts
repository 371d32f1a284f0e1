/** The commits of a partition: the batch of asks or the job that each holds, and how it is settled, one at a time. */
import type { MarkedBytes } from '../../domain/board/marks.js';
import { isLarge } from '../../domain/events.js';
import { CommitStats, type PartitionStats } from '../health/partitionStats.js';
import { DONE, type BoardReply, type Notice, type Outcome } from '../messages.js';

/** What the runtime needs from the file of a partition. */
export interface PartitionStore {
  /** Throws if nothing can be written. Writes are made after it. If one throws or the commit fails, `rollback` must follow. */
  begin(): void;
  /**
   * Calls `settled` with null when the writes are stored for good, otherwise with the error, now or later. Never throws.
   * Until then nothing can be written. After any error but `Deposed` nothing was stored. If there were no writes, the
   * same as `confirm`: the batch may have read.
   */
  commitTogether(settled: (error: unknown) => void): void;
  /**
   * For a batch that only read: calls `settled` with null when what it read is known to be current, otherwise with the
   * error, now or later. Never throws.
   */
  confirm(settled: (error: unknown) => void): void;
  rollback(): void;
  /** Writes a page without changing data. Throws if nothing can be stored. */
  probe(): void;
  close(): void;
}

/**
 * Characters of events and answers in a batch; the last ask may exceed them. Their commit and messages take about as long
 * as the turn in which they were decided.
 */
export const MAX_BATCH_CHARACTERS = 256 * 1024;

const NO_MARKS: MarkedBytes = new Map();

/** The results so far of the asks, or of the job, of one commit. */
export class Batch<Store extends PartitionStore = PartitionStore> {
  /** The keys of what it changed in memory. */
  readonly touched = new Set<string>();
  /** The bytes of the marks in answers and events; only if the one ask of the batch was prepared. */
  marked: MarkedBytes = NO_MARKS;
  /** Published when the batch is stored. */
  readonly notices: Notice[] = [];
  /** Presence changes by ask, as published. They are in no file, and stay done if the commit fails. */
  readonly presence = new Map<number, readonly Notice[]>();
  /** The asks that wrote something. */
  readonly writers = new Set<number>();
  readonly #store: Store;
  #isWriting = false;
  #ask: number | null = null;
  #characters = 0;
  /** Of `notices`. */
  #counted = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** What follows is done for this ask. */
  startAsk(id: number): void {
    this.#ask = id;
  }

  /** The ask is done, and its notices are among `notices`. */
  noteReply(outcome: Outcome): void {
    const answer = outcome.ok ? (outcome.value as Partial<BoardReply> | null)?.outcome : undefined;
    if (answer?.ok === true) this.#characters += answer.json?.length ?? 0;
    for (; this.#counted < this.notices.length; this.#counted += 1) {
      const notice = this.notices[this.#counted];
      if (notice?.kind !== 'board.events') continue;
      for (const event of notice.events) this.#characters += isLarge(event) ? event.bytes.byteLength : event.json.length;
    }
  }

  /** Whether its commit and its messages are long enough. Other asks wait for the next batch. */
  get isFull(): boolean {
    return this.#characters >= MAX_BATCH_CHARACTERS;
  }

  /** Whether a transaction was begun. */
  get isWriting(): boolean {
    return this.#isWriting;
  }

  /** The store, inside a transaction. */
  begin(): Store {
    if (!this.#isWriting) {
      this.#store.begin();
      this.#isWriting = true;
    }
    return this.#store;
  }

  /** The ask has written something: if the owner is deposed, it may be unknown whether that is stored. */
  noteWritten(): void {
    if (this.#ask !== null) this.writers.add(this.#ask);
  }

  /** The store, inside a transaction, for an ask that writes. */
  write(): Store {
    const store = this.begin();
    this.noteWritten();
    return store;
  }

  /** Presence has changed, and that is published even if the commit fails. */
  publishPresence(ask: number, notices: readonly Notice[]): Outcome {
    this.notices.push(...notices);
    this.presence.set(ask, notices);
    return DONE;
  }
}

export interface CommitsOptions<Store extends PartitionStore> {
  readonly store: Store;
  /** Called when memory equals the store again. */
  readonly committed: () => void;
  /** Called when the batch is not stored: memory is ahead of the store. */
  readonly undone: (batch: Batch<Store>) => void;
}

/** Until a commit is settled, memory is ahead of the store and nothing may be decided. */
export class Commits<Store extends PartitionStore> {
  readonly #options: CommitsOptions<Store>;
  readonly #stats = new CommitStats();
  #isUnderWay = false;

  constructor(options: CommitsOptions<Store>) {
    this.#options = options;
  }

  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  get stats(): Pick<PartitionStats, 'commits' | 'batches'> {
    return this.#stats.data;
  }

  /**
   * Calls `settled` with null when the batch is stored, or only read and what it read is current. Otherwise with the
   * error, after the batch was undone. `commands` is 0 for a job.
   */
  commit(batch: Batch<Store>, commands: number, settled: (error: unknown) => void): void {
    const { store, committed } = this.#options;
    const startedAt = performance.now();
    this.#isUnderWay = true;
    const end = (error: unknown): void => {
      this.#isUnderWay = false;
      if (error !== null) {
        this.undo(batch);
      } else {
        if (batch.isWriting && commands > 0) this.#stats.count((performance.now() - startedAt) / 1000, commands);
        committed();
      }
      settled(error);
    };
    if (batch.isWriting) store.commitTogether(end);
    else store.confirm(end);
  }

  undo(batch: Batch<Store>): void {
    const { store, undone } = this.#options;
    undone(batch);
    if (batch.isWriting) store.rollback();
  }
}

/**
 * Writes of a partition that no ask waits for, or that take many commits: housekeeping, imports, the rest of large
 * removals. Each is a commit of its own. It starts when no other commit is under way, in turn with the asks.
 */
export interface Job<Store extends PartitionStore> {
  /** Decides and writes. Whatever it reads has been stored. If it throws, nothing is. */
  write(batch: Batch<Store>): void;
  /** Called once, with null when the writes are stored. The next step of the same work starts after it. */
  settled(error: unknown): void;
}

export class Jobs<Store extends PartitionStore> {
  readonly #waiting: Array<Job<Store>> = [];
  readonly #start: () => void;

  /** `start` runs a job now if nothing else is under way. */
  constructor(start: () => void) {
    this.#start = start;
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  add(job: Job<Store>): void {
    this.#waiting.push(job);
    this.#start();
  }

  next(): Job<Store> | undefined {
    return this.#waiting.shift();
  }

  /** The partition is closed: their owners end without them. */
  clear(): void {
    this.#waiting.length = 0;
  }
}
