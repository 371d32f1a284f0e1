import type { OutboxEntry } from '../partitions/messages.js';
import type { Attempt, DeliveryOutcome } from './deliveryKind.js';

export const RETRY_MS = 250;

export interface TargetQueueOptions {
  /** One attempt to deliver. */
  attempt(entry: OutboxEntry, attempt: Attempt): Promise<DeliveryOutcome>;
  /** Whether a later entry makes this one superfluous. */
  isReplaced(entry: OutboxEntry, later: OutboxEntry): boolean;
  /** Whether the entry does not wait for the end of an attempt whose entry it replaces. */
  isUrgent(entry: OutboxEntry): boolean;
  /** The entry is delivered or replaced. */
  onDone(entry: OutboxEntry): void;
  /** An attempt failed. Returns false if the line must give up its entries; their rows are still in the outbox. */
  onFailed(entry: OutboxEntry, error: unknown): boolean;
  /** The line has no entries left and does nothing more. */
  onEnd(): void;
}

interface Waiting {
  readonly upTo: number;
  resolve(): void;
}

/** The entries of one source for one target. They are delivered one after another, each until it arrives. */
export class TargetQueue {
  readonly #options: TargetQueueOptions;
  /** By ascending id. The first is being delivered. */
  #entries: OutboxEntry[] = [];
  #waiting: Waiting[] = [];
  #isDelivering = false;
  /** The latest one. */
  #attempt: Attempt | null = null;

  constructor(options: TargetQueueOptions) {
    this.#options = options;
  }

  get length(): number {
    return this.#entries.length;
  }

  /** False if the line has the entry already. */
  take(entry: OutboxEntry): boolean {
    const last = this.#entries.at(-1);
    if (entry.id <= (last?.id ?? 0)) return false;
    // Not the first, which is being delivered. Otherwise a line would grow while its first entry waits for its turns.
    if (last !== undefined && this.#entries.length > 1 && this.#options.isReplaced(last, entry)) {
      this.#entries.pop();
      this.#options.onDone(last);
    }
    this.#entries.push(entry);
    if (this.#attempt !== null && this.#replacement() === entry && this.#options.isUrgent(entry)) overtake(this.#attempt);
    if (!this.#isDelivering) void this.#deliverAll();
    return true;
  }

  /** Resolves when no entry up to this id is left, or the line gave up. */
  async arrived(upTo: number): Promise<void> {
    if (this.#has(upTo)) await new Promise<void>((resolve) => this.#waiting.push({ upTo, resolve }));
  }

  /** Ends all waiting. */
  release(): void {
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  /** Whether an entry up to this id is left. */
  #has(upTo: number): boolean {
    const [first] = this.#entries;
    return first !== undefined && first.id <= upTo;
  }

  /** Never rejects. */
  async #deliverAll(): Promise<void> {
    const { attempt, onFailed, onEnd } = this.#options;
    this.#isDelivering = true;
    let before: Attempt['before'] = null;
    for (let entry = this.#next(); entry !== undefined; entry = this.#next()) {
      this.#attempt = { before, isOvertaken: false, onOvertaken: () => undefined };
      try {
        const outcome = await attempt(entry, this.#attempt);
        before = outcome === 'outdated' ? outcome : null;
        if (outcome === 'delivered') this.#remove(entry);
      } catch (error) {
        if (!onFailed(entry, error)) break;
        before = 'failed';
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
    this.#isDelivering = false;
    this.#entries = [];
    this.release();
    onEnd();
  }

  #next(): OutboxEntry | undefined {
    for (;;) {
      const [first] = this.#entries;
      if (first === undefined || this.#replacement() === null) return first;
      this.#remove(first);
    }
  }

  /** What replaces the first entry. */
  #replacement(): OutboxEntry | null {
    const [first, second] = this.#entries;
    return first !== undefined && second !== undefined && this.#options.isReplaced(first, second) ? second : null;
  }

  #remove(entry: OutboxEntry): void {
    this.#entries.shift();
    const waiting = this.#waiting;
    this.#waiting = waiting.filter(({ upTo }) => this.#has(upTo));
    for (const { upTo, resolve } of waiting) if (!this.#has(upTo)) resolve();
    this.#options.onDone(entry);
  }
}

function overtake(attempt: Attempt): void {
  attempt.isOvertaken = true;
  attempt.onOvertaken();
}
