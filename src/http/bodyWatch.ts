/** One timer for all bodies that are still arriving: a timer of its own took a microsecond of every request with a body. */

/** A body must bring so many bytes in every such period. */
export interface BodyPace {
  readonly periodMs: number;
  readonly leastBytes: number;
}

/** How many turns of the timer a period has: a body that is too slow is noticed at most one of them late. */
const TURNS_PER_PERIOD = 8;

/**
 * uWebSockets cuts a connection that brings less than 16 KiB/s over ten seconds, which its clock of four-second steps
 * makes anything from eight to twelve. A period and a turn are less than eight, so that the client is told instead.
 */
export const DEFAULT_PACE: BodyPace = { periodMs: 7_000, leastBytes: 112 * 1024 };

export interface WatchedBody {
  /** How many bytes have come so far. */
  readonly received: number;
  /** It brought less than it must. */
  noteTooSlow(): void;
}

/** What had come of a body when it was last looked at. */
interface Look {
  /** Later by the time in which it was not let in. */
  at: number;
  readonly received: number;
  /** Since when it is not let in. */
  pausedAt: number | null;
}

export class BodyWatch {
  readonly #pace: BodyPace;
  readonly #bodies = new Map<WatchedBody, Look>();
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

  /** It is not let in: until `resume` no time passes for it. */
  pause(body: WatchedBody): void {
    const look = this.#bodies.get(body);
    if (look !== undefined) look.pausedAt ??= performance.now();
  }

  resume(body: WatchedBody): void {
    const look = this.#bodies.get(body);
    if (look === undefined) return this.add(body);
    if (look.pausedAt !== null) look.at += performance.now() - look.pausedAt;
    look.pausedAt = null;
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
      // Timers are not exact: the turn that falls due just before the period is over is the right one.
      if (now - last.at < this.#pace.periodMs - this.#turnMs / 2) continue;
      const { received } = body;
      this.#bodies.set(body, { at: now, received, pausedAt: null });
      if (received - last.received < this.#pace.leastBytes) body.noteTooSlow();
    }
  }
}
