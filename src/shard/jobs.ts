/**
 * Writes of a shard that no ask waits for, or that take many commits: housekeeping, imports, the rest of large removals.
 * Each job is a commit of its own. It starts when no other commit is under way, in turn with the asks.
 */
import type { Batch } from './batch.js';

export interface Job {
  /** Decides and writes. Whatever it reads has been stored. If it throws, nothing is. */
  write(batch: Batch): void;
  /** Called once, with null when the writes are stored. The next step of the same work starts after it. */
  settled(error: unknown): void;
}

export class Jobs {
  readonly #waiting: Job[] = [];
  readonly #start: () => void;

  /** `start` runs a job now if nothing else is under way. */
  constructor(start: () => void) {
    this.#start = start;
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  add(job: Job): void {
    this.#waiting.push(job);
    this.#start();
  }

  next(): Job | undefined {
    return this.#waiting.shift();
  }

  /** The shard is closed: their owners end without them. */
  clear(): void {
    this.#waiting.length = 0;
  }
}
