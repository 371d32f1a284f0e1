/**
 * One wheel for the heartbeats of all sockets. A socket sits on one spoke for its life and is pinged when the wheel
 * comes round to it, so that the pings of thousands of sockets are spread evenly over the interval.
 */
import { CompactSet } from './compactSet.js';

export interface HeartbeatOptions<T> {
  readonly intervalMs: number;
  readonly pongTimeoutMs: number;
  /** One after the other as they come: it says on which spoke an item sits, so that nobody needs to remember. */
  readonly numberOf: (item: T) => number;
  /** These are due for a ping. */
  readonly onPing: (items: readonly T[]) => void;
  /** The pings of these were sent at least the time-out ago. */
  readonly onCheck: (items: readonly T[]) => void;
}

/** The most spokes: finer than this nobody notices. */
const MAX_SPOKES = 120;
const SHORTEST_TURN_MS = 20;
/**
 * From the spoke of one newcomer to that of the next. A prime larger than any wheel shares no divisor with it, so every
 * spoke gets its turn; on the largest wheel the step is more than half round, so a crowd is far apart at once.
 */
const STEP = 193;

export class Heartbeat<T> {
  readonly #spokes: ReadonlyArray<CompactSet<T>>;
  readonly #options: HeartbeatOptions<T>;
  /** How many spokes behind the ping the check follows. */
  readonly #lag: number;
  readonly #timer: NodeJS.Timeout;
  #at = 0;

  constructor(options: HeartbeatOptions<T>) {
    this.#options = options;
    const spokes = Math.max(1, Math.min(MAX_SPOKES, Math.floor(options.intervalMs / SHORTEST_TURN_MS)));
    const turnMs = options.intervalMs / spokes;
    this.#spokes = Array.from({ length: spokes }, () => new CompactSet<T>());
    this.#lag = Math.ceil(options.pongTimeoutMs / turnMs) % spokes;
    this.#timer = setInterval(() => this.#turn(), turnMs);
  }

  add(item: T): void {
    this.#home(item)?.add(item);
  }

  remove(item: T): void {
    this.#home(item)?.delete(item);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #turn(): void {
    this.#at = (this.#at + 1) % this.#spokes.length;
    const due = this.#spokes[this.#at];
    const pinged = this.#spokes[(this.#at - this.#lag + this.#spokes.length) % this.#spokes.length];
    if (pinged !== undefined && pinged.size > 0) this.#options.onCheck(pinged.list());
    if (due !== undefined && due.size > 0) this.#options.onPing(due.list());
  }

  #home(item: T): CompactSet<T> | undefined {
    return this.#spokes[(this.#options.numberOf(item) * STEP) % this.#spokes.length];
  }
}
