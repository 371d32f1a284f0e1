/** Bounds what all large answers together write in one turn of the event loop, and gives them turns. */

/** Takes a fraction of a millisecond; other requests are served between two turns. */
const TURN_BYTES = 256 * 1024;
/**
 * What one answer writes before the next one gets its turn. The size is constant, also if the turn has less left: TLS
 * requires a refused write to be repeated with at least the same length.
 */
const SLICE_BYTES = 64 * 1024;
/** A write to a full socket costs a system call too. */
const LEAST_COST_BYTES = 16 * 1024;

/** An answer that is sent slice by slice. */
export interface ScheduledWriter {
  /** Writes up to this many bytes. */
  write(sliceBytes: number): { readonly bytes: number; readonly canGoOn: boolean };
}

export class WriteScheduler {
  readonly #nextTurn: (turn: () => void) => void;
  /** Answers whose sockets have room, in order of arrival. */
  readonly #ready = new Set<ScheduledWriter>();
  #left = TURN_BYTES;
  #isWriting = false;
  #isScheduled = false;

  constructor(nextTurn: (turn: () => void) => void = setImmediate) {
    this.#nextTurn = nextTurn;
  }

  /** The socket has room: writes now if the turn has bytes left, otherwise in a later turn. */
  ready(leaving: ScheduledWriter): void {
    this.#ready.add(leaving);
    if (!this.#isWriting) this.#write();
  }

  remove(leaving: ScheduledWriter): void {
    this.#ready.delete(leaving);
  }

  #write(): void {
    this.#isWriting = true;
    for (const leaving of this.#ready) {
      if (this.#left <= 0) break;
      this.#ready.delete(leaving);
      const { bytes, canGoOn } = leaving.write(SLICE_BYTES);
      this.#left -= Math.max(bytes, LEAST_COST_BYTES);
      // At the end, so the loop reaches it again.
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
