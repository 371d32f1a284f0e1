/** Whose turn it is to write: bounds what all large answers together write in one turn of the event loop. */

/** Takes a fraction of a millisecond; other requests are served between two turns. */
const TURN_BYTES = 256 * 1024;
/**
 * What one answer writes before the next one gets its turn. Always as much, also when the turn has less left: TLS wants
 * a write that was refused to come again at least as long.
 */
const SLICE_BYTES = 64 * 1024;
/** A write that finds its socket full costs a system call all the same. */
const LEAST_COST_BYTES = 16 * 1024;

/** An answer that leaves slice by slice. */
export interface Leaving {
  /** Writes up to so many bytes. */
  write(sliceBytes: number): { readonly bytes: number; readonly canGoOn: boolean };
}

export class Outflow {
  readonly #nextTurn: (turn: () => void) => void;
  /** Answers whose sockets have room, first come first served. */
  readonly #ready = new Set<Leaving>();
  #left = TURN_BYTES;
  #isWriting = false;
  #isScheduled = false;

  constructor(nextTurn: (turn: () => void) => void = setImmediate) {
    this.#nextTurn = nextTurn;
  }

  /** The socket has room: writes now if the turn has bytes left, and in a later turn otherwise. */
  ready(leaving: Leaving): void {
    this.#ready.add(leaving);
    if (!this.#isWriting) this.#write();
  }

  remove(leaving: Leaving): void {
    this.#ready.delete(leaving);
  }

  #write(): void {
    this.#isWriting = true;
    for (const leaving of this.#ready) {
      if (this.#left <= 0) break;
      this.#ready.delete(leaving);
      const { bytes, canGoOn } = leaving.write(SLICE_BYTES);
      this.#left -= Math.max(bytes, LEAST_COST_BYTES);
      // Behind the others: the loop comes to it again.
      if (canGoOn) this.#ready.add(leaving);
    }
    this.#isWriting = false;
    if (!this.#isScheduled) this.#schedule();
  }

  #schedule(): void {
    this.#isScheduled = true;
    this.#nextTurn(() => {
      this.#isScheduled = false;
      this.#left = TURN_BYTES;
      if (this.#ready.size > 0) this.#write();
    });
  }
}
