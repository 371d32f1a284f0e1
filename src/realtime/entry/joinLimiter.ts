import type { Uuid } from '../../domain/ids.js';

/**
 * Each connection costs an ask to the board's owner and a message to everyone on the board, so reconnecting is limited.
 */
export const JOIN_WINDOW_SECONDS = 10;
/** How often a user may replace all sockets in that time. The typed client backs off more than that. */
const ROUNDS_PER_WINDOW = 2;
/** If a user may have few sockets, a page that is reloaded repeatedly still connects. */
const MIN_JOINS = 20;

/** Counts how often each user connects. */
export class JoinLimiter {
  readonly maxJoins: number;
  readonly #monotonic: () => number;
  readonly #joins = new Map<Uuid, number>();
  #windowEnd = 0;

  constructor(maxSocketsPerUser: number, monotonic: () => number = () => performance.now()) {
    this.maxJoins = Math.max(MIN_JOINS, ROUNDS_PER_WINDOW * maxSocketsPerUser);
    this.#monotonic = monotonic;
  }

  /** Counts a connection; false if the user must wait. */
  allow(userId: Uuid): boolean {
    const now = this.#monotonic();
    if (now >= this.#windowEnd) {
      this.#joins.clear();
      this.#windowEnd = now + JOIN_WINDOW_SECONDS * 1000;
    }
    const joins = (this.#joins.get(userId) ?? 0) + 1;
    this.#joins.set(userId, joins);
    return joins <= this.maxJoins;
  }
}
