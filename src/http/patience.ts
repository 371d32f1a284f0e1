/**
 * The time that one request waits for partitions, through all its asks. Each ask waits for an election of NATS on its
 * own: the caller's user, the board and a second attempt together would take three times as long.
 */
import { withDeadline } from '../partitions/deadline.js';

export class Patience {
  #leftMs: number;

  constructor(milliseconds: number) {
    this.#leftMs = milliseconds;
  }

  /** Rejects with `unavailable` when the time is used up. The work itself continues: the outcome of a change is unknown. */
  async wait<Value>(work: Promise<Value>): Promise<Value> {
    const startedAt = performance.now();
    try {
      return await withDeadline(work, Math.max(0, this.#leftMs));
    } finally {
      this.#leftMs -= performance.now() - startedAt;
    }
  }
}
