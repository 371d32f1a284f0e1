/**
 * A timer wheel for the heartbeats of all sockets. A socket stays on one spoke and is pinged when the wheel reaches it,
 * so the pings of thousands of sockets are spread evenly over the interval.
 */
import { CompactSet } from '../../flow/compactSet.js';

export interface HeartbeatOptions<T> {
  readonly intervalMs: number;
  readonly pongTimeoutMs: number;
  /** A consecutive number; it determines the spoke, so the spoke need not be stored. */
  readonly numberOf: (item: T) => number;
  /** Called with the items that are due for a ping. */
  readonly onPing: (items: readonly T[]) => void;
  /** Called with the items whose pings are at least the time-out old. */
  readonly onCheck: (items: readonly T[]) => void;
}

/** More spokes would make no visible difference. */
const MAX_SPOKES = 120;
const SHORTEST_TURN_MS = 20;
/**
 * The distance between the spokes of consecutive items. A prime larger than any wheel has no common divisor with it, so
 * every spoke is used; on the largest wheel it is more than half a turn, so simultaneous items are far apart.
 */
const STEP = 193;

export class PingWheel<T> {
  readonly #spokes: ReadonlyArray<CompactSet<T>>;
  readonly #options: HeartbeatOptions<T>;
  /** The number of spokes between ping and check. */
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

  /** All items; none may be added or removed during the iteration. */
  *items(): Iterable<T> {
    for (const spoke of this.#spokes) yield* spoke;
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
