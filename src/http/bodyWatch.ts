/** One timer for all bodies that are still arriving: a timer of its own took a microsecond of every request with a body. */

/** A body must bring so many bytes in every such period. */
export interface BodyPace {
  readonly periodMs: number;
  readonly leastBytes: number;
}

/**
 * uWebSockets cuts a connection that brings less than 16 KiB/s over ten seconds. We look a little earlier, so that the
 * client is told instead of cut.
 */
export const DEFAULT_PACE: BodyPace = { periodMs: 8_000, leastBytes: 128 * 1024 };

/** So a body that is too slow is noticed at most an eighth of a period late, well before uWebSockets would. */
const TURNS_PER_PERIOD = 8;

export interface WatchedBody {
  /** How many bytes have come so far. */
  readonly received: number;
  /** It brought less than it must. */
  noteTooSlow(): void;
}

/** What had come of a body when it was last looked at. */
interface Look {
  readonly at: number;
  readonly received: number;
}

export class BodyWatch {
  readonly #pace: BodyPace;
  readonly #bodies = new Map<WatchedBody, Look>();
  readonly #timer: NodeJS.Timeout;

  constructor(pace: BodyPace) {
    this.#pace = pace;
    this.#timer = setInterval(() => this.#turn(), pace.periodMs / TURNS_PER_PERIOD).unref();
  }

  add(body: WatchedBody): void {
    this.#bodies.set(body, { at: performance.now(), received: body.received });
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
      if (now - last.at < this.#pace.periodMs) continue;
      const { received } = body;
      this.#bodies.set(body, { at: now, received });
      if (received - last.received < this.#pace.leastBytes) body.noteTooSlow();
    }
  }
}
