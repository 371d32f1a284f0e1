/**
 * Lets bodies that are read as they are consumed in, one for each turn of the event loop. uWebSockets reads from a
 * connection as long as data is waiting, whole megabytes from a fast sender: of many connections that are read in the
 * same turn, all that would be in memory.
 */

/** Bytes that were received and not consumed. Consuming depends on the store and never on the sender. */
const MAX_UNCONSUMED_BYTES = 16 * 1024 * 1024;

/** The store takes longer to consume a noticeable part. */
const FULL_MS = 2;

export interface GatedBody {
  readonly unconsumedBytes: number;
}

export class InflowGate {
  readonly #nextTurn: (turn: () => void) => void;
  /** Bodies of requests that are not answered. */
  readonly #bodies = new Set<GatedBody>();
  /** In order of arrival; each is called once. */
  readonly #waiting = new Map<GatedBody, () => void>();
  #isScheduled = false;

  constructor(nextTurn: (turn: () => void) => void = setImmediate) {
    this.#nextTurn = nextTurn;
  }

  /** Calls `read` when the body may be read on. */
  wait(body: GatedBody, read: () => void): void {
    this.#bodies.add(body);
    this.#waiting.set(body, read);
    this.#schedule();
  }

  /** The body needs no more reading now. */
  cancel(body: GatedBody): void {
    this.#waiting.delete(body);
  }

  /** The body is over. */
  leave(body: GatedBody): void {
    this.#waiting.delete(body);
    this.#bodies.delete(body);
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.size === 0) return;
    this.#isScheduled = true;
    const turn = (): void => {
      this.#isScheduled = false;
      this.#admitOne();
      this.#schedule();
    };
    if (this.#hasRoom()) this.#nextTurn(turn);
    else setTimeout(turn, FULL_MS);
  }

  #hasRoom(): boolean {
    let unconsumed = 0;
    for (const body of this.#bodies) unconsumed += body.unconsumedBytes;
    return unconsumed < MAX_UNCONSUMED_BYTES;
  }

  #admitOne(): void {
    const [first] = this.#waiting;
    if (first === undefined || !this.#hasRoom()) return;
    const [body, read] = first;
    this.#waiting.delete(body);
    read();
  }
}
