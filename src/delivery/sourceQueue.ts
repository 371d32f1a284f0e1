/**
 * The undelivered entries of one partition that are in memory: a line for each target, and a bound on all lines
 * together. Rows beyond the bound stay in the outbox and are read from there as entries leave, page by page, in rounds:
 * each begins with the first row, and the next follows while a row was passed over.
 */
import { OUTBOX_PAGE } from '../domain/ports/outbox.js';
import { NotServedHere } from '../partitions/askPort.js';
import type { OutboxEntry, OutboxPage } from '../partitions/messages.js';
import { TargetQueue, RETRY_MS, type TargetQueueOptions } from './targetQueue.js';

/** Entries in memory above which a new one stays in the outbox. */
export const WINDOW = 1_000;
/** Pause after a page could not be read. */
const READ_AGAIN_MS = 1_000;
/** The pause between rounds, as a multiple of the time that reading took: a long outbox is not read all the time. */
const PAUSE_PER_READING = 4;

export interface SourceQueueOptions extends Pick<TargetQueueOptions, 'attempt' | 'isReplaced' | 'isUrgent' | 'onDone'> {
  /** Makes the partition publish the page of its outbox after this id. The page comes before the answer. */
  push(after: number): Promise<unknown>;
  /** An attempt failed and will be repeated. */
  onFailed(entry: OutboxEntry, error: unknown): void;
  /** A page could not be read and will be asked for again. */
  onUnread(error: unknown): void;
}

/**
 * The rows that are still to be read in this round: those after an id, among them the entries of new commits; or those
 * of a partition that has moved, which its next owner reads. The last entries of such a partition may still come.
 */
type Unread = 'nothing' | 'moved' | { readonly after: number };

export class SourceQueue {
  readonly #options: SourceQueueOptions;
  readonly #lines = new Map<string, TargetQueue>();
  /** The number of entries in all lines. */
  #held = 0;
  #unread: Unread = 'nothing';
  /**
   * Targets that failed while rows were unread. Their entries gave way to entries of other targets. Later ones stay in
   * the outbox until the next round, or they would overtake.
   */
  readonly #postponed = new Set<string>();
  /** The first entry that was committed since the round began. Rows before it are all that the round must reach. */
  #roundEnd = Infinity;
  #nextRound: NodeJS.Timeout | null = null;
  #isReading = false;
  /** Time spent on reading in this round. */
  #readingMs = 0;
  /** Called after each page. */
  #awaitingPage: Array<() => void> = [];
  #isStopped = false;

  constructor(options: SourceQueueOptions) {
    this.#options = options;
  }

  /** Takes the entry of a commit. */
  take(entry: OutboxEntry): void {
    this.#roundEnd = Math.min(this.#roundEnd, entry.id);
    if (this.#options.isUrgent(entry)) return this.#enqueue(entry);
    if (this.#unread !== 'nothing' || this.#postponed.has(entry.target)) return;
    if (this.#held < WINDOW) this.#enqueue(entry);
    else this.#unread = { after: entry.id - 1 };
  }

  takePage({ after, entries, next }: OutboxPage): void {
    // The partition was opened, or a round begins.
    if (after === 0) this.#beginRound();
    if (!this.#isUnreadAfter(after)) return;
    for (const entry of entries) if (!this.#postponed.has(entry.target)) this.#enqueue(entry);
    this.#unread = next === null ? 'nothing' : { after: next };
    // Not only at the last row: while users add rows all the time, that is never reached.
    if (next === null || next >= this.#roundEnd) this.#endRound();
    if (next !== null) void this.#readOn();
    this.#releaseAwaitingPage();
  }

  /** Resolves when no entry for the target up to this id is left, or the target cannot be reached for now. */
  async arrived(target: string, upTo: number): Promise<void> {
    while (!this.#isStopped) {
      await this.#lines.get(target)?.arrived(upTo);
      if (typeof this.#unread === 'string' || this.#unread.after >= upTo || this.#postponed.has(target)) return;
      await new Promise<void>((resolve) => this.#awaitingPage.push(resolve));
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#leaveUnread();
    for (const line of this.#lines.values()) line.release();
  }

  #enqueue(entry: OutboxEntry): void {
    const line = this.#lines.get(entry.target) ?? this.#openLine(entry.target);
    if (line.take(entry)) this.#held += 1;
  }

  #openLine(target: string): TargetQueue {
    const { attempt, isReplaced, isUrgent } = this.#options;
    const line: TargetQueue = new TargetQueue({
      attempt,
      isReplaced,
      isUrgent,
      onDone: (entry) => {
        this.#held -= 1;
        this.#options.onDone(entry);
        void this.#readOn();
      },
      onFailed: (entry, error) => {
        if (this.#isStopped) return false;
        this.#options.onFailed(entry, error);
        if (typeof this.#unread === 'string') return true;
        this.#postponed.add(target);
        this.#held -= line.length;
        return false;
      },
      onEnd: () => {
        this.#lines.delete(target);
        void this.#readOn();
      },
    });
    this.#lines.set(target, line);
    return line;
  }

  /** Reads while there is room for a page. Never rejects. */
  async #readOn(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    while (typeof this.#unread === 'object' && this.#held + OUTBOX_PAGE <= WINDOW) await this.#readPage(this.#unread.after);
    this.#isReading = false;
  }

  async #readPage(after: number): Promise<void> {
    const startedAt = performance.now();
    try {
      await this.#options.push(after);
      this.#readingMs += performance.now() - startedAt;
      if (this.#isUnreadAfter(after)) throw new Error('a page of an outbox did not arrive');
    } catch (error) {
      if (this.#isStopped || error instanceof NotServedHere) return this.#leaveUnread();
      this.#options.onUnread(error);
      await new Promise((resolve) => setTimeout(resolve, READ_AGAIN_MS));
    }
  }

  #isUnreadAfter(after: number): boolean {
    return typeof this.#unread === 'object' && this.#unread.after === after;
  }

  #beginRound(): void {
    if (this.#nextRound !== null) clearTimeout(this.#nextRound);
    this.#nextRound = null;
    this.#postponed.clear();
    this.#readingMs = 0;
    this.#roundEnd = Infinity;
    this.#unread = { after: 0 };
  }

  #endRound(): void {
    if (this.#postponed.size === 0) return;
    const pause = Math.max(RETRY_MS, PAUSE_PER_READING * this.#readingMs);
    this.#nextRound ??= setTimeout(() => {
      this.#beginRound();
      void this.#readOn();
    }, pause);
  }

  /** Until the partition is opened here again. */
  #leaveUnread(): void {
    if (this.#nextRound !== null) clearTimeout(this.#nextRound);
    this.#nextRound = null;
    this.#unread = 'moved';
    this.#releaseAwaitingPage();
  }

  #releaseAwaitingPage(): void {
    for (const resolve of this.#awaitingPage.splice(0)) resolve();
  }
}
