/** One timer for all bodies that are arriving: a timer for each took a microsecond of every request with a body. */

/** The minimum number of bytes of a body in every period. */
export interface BodyPace {
  readonly periodMs: number;
  readonly leastBytes: number;
}

/** Turns of the timer in a period: a slow body is noticed at most one turn late. */
const TURNS_PER_PERIOD = 8;

/**
 * uWebSockets cuts a connection that brings less than 16 KiB/s over ten seconds, which its clock of four-second steps
 * makes eight to twelve. A period and a turn are less than eight, so the client gets an answer instead.
 */
export const DEFAULT_PACE: BodyPace = { periodMs: 7_000, leastBytes: 112 * 1024 };

export interface WatchedBody {
  /** Bytes received so far. */
  readonly received: number;
  /** Called when the body was too slow. */
  noteTooSlow(): void;
}

/** The state of a body at the last check. */
interface Watch {
  /** Moved forward by the time in which it was paused. */
  at: number;
  readonly received: number;
  /** Since when it is paused. */
  pausedAt: number | null;
}

export class BodyWatch {
  readonly #pace: BodyPace;
  readonly #bodies = new Map<WatchedBody, Watch>();
  readonly #turnMs: number;
  readonly #timer: NodeJS.Timeout;

  constructor(pace: BodyPace) {
    this.#pace = pace;
    this.#turnMs = pace.periodMs / TURNS_PER_PERIOD;
    this.#timer = setInterval(() => this.#turn(), this.#turnMs).unref();
  }

  add(body: WatchedBody): void {
    this.#bodies.set(body, { at: performance.now(), received: body.received, pausedAt: null });
  }

  /** The service reads no more: the clock of this body stops until `resume`. */
  pause(body: WatchedBody): void {
    const watch = this.#bodies.get(body);
    if (watch !== undefined) watch.pausedAt ??= performance.now();
  }

  resume(body: WatchedBody): void {
    const watch = this.#bodies.get(body);
    if (watch === undefined) return this.add(body);
    if (watch.pausedAt !== null) watch.at += performance.now() - watch.pausedAt;
    watch.pausedAt = null;
  }

  remove(body: WatchedBody): void {
    this.#bodies.delete(body);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #turn(): void {
    const now = performance.now();
    for (const [body, last] of this.#bodies) {
      if (last.pausedAt !== null) continue;
      // Timers are inexact: a turn just before the end of the period counts.
      if (now - last.at < this.#pace.periodMs - this.#turnMs / 2) continue;
      const { received } = body;
      this.#bodies.set(body, { at: now, received, pausedAt: null });
      if (received - last.received < this.#pace.leastBytes) body.noteTooSlow();
    }
  }
}
