import type { Uuid } from '../domain/ids.js';

/** Each connection asks the board's owner and is announced to everyone on the board, so coming and going is limited. */
export const JOIN_WINDOW_SECONDS = 10;
/** How often a user may replace all their sockets in that time. An honest client waits longer from attempt to attempt. */
const ROUNDS_PER_WINDOW = 2;
/** Where a user may have few sockets, a page that is loaded again and again still gets its own. */
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

  /** Whether the user may connect once more. */
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
