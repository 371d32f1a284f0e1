/**
 * Delivers network messages for a few milliseconds in each turn of the event loop. Node reads up to two megabytes from
 * a busy socket at once; without a limit, thousands of small messages would delay every request.
 */

/** In one turn of the event loop; then clients' requests and sockets come first. */
const SLICE_MS = 2;
/** Limit of waiting messages. Messages of a peer that sends more are dropped, as on any network. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** Memory of a message besides its bytes. */
const OVERHEAD_BYTES = 500;

interface Waiting {
  readonly bytes: number;
  deliver(): void;
}

export class PacedDelivery {
  readonly #onDropped: () => void;
  readonly #now: () => number;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #sliceEndsAt = 0;
  #isScheduled = false;

  /** `onDropped` is called for each dropped message. */
  constructor(onDropped: () => void, now: () => number = () => performance.now()) {
    this.#onDropped = onDropped;
    this.#now = now;
  }

  /** Delivers now if there is time in this turn, else in a later one, in order. */
  add(bytes: number, deliver: () => void): void {
    if (!this.#isScheduled) this.#beginSlice();
    if (this.#waiting.length === 0 && this.#now() < this.#sliceEndsAt) return deliver();
    if (this.#waitingBytes + bytes + OVERHEAD_BYTES > MAX_WAITING_BYTES) return this.#onDropped();
    this.#waiting.push({ bytes: bytes + OVERHEAD_BYTES, deliver });
    this.#waitingBytes += bytes + OVERHEAD_BYTES;
  }

  /** Resolves when all messages received so far were delivered. */
  async idle(): Promise<void> {
    if (this.#waiting.length > 0) await new Promise<void>((deliver) => this.#waiting.push({ bytes: 0, deliver }));
  }

  #beginSlice(): void {
    this.#sliceEndsAt = this.#now() + SLICE_MS;
    this.#isScheduled = true;
    setImmediate(() => this.#endTurn());
  }

  #endTurn(): void {
    this.#isScheduled = false;
    if (this.#waiting.length === 0) return;
    this.#beginSlice();
    let done = 0;
    for (const { bytes, deliver } of this.#waiting) {
      done += 1;
      this.#waitingBytes -= bytes;
      deliver();
      if (this.#now() >= this.#sliceEndsAt) break;
    }
    this.#waiting = this.#waiting.slice(done);
  }
}
