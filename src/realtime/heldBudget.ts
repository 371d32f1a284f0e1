/** Bytes held for clients that are not live, in the whole process. */
export const MAX_HELD_BYTES = 16 * 1024 * 1024;
/** Bytes that one board may always hold, so that clients of other boards cannot use up its share. */
export const MIN_HELD_BYTES = 256 * 1024;

/** Counts the bytes that the boards of this process hold for clients that are not live. */
export class HeldBudget {
  #total = 0;

  /** Adds to or subtracts from the total. */
  change(bytes: number): void {
    this.#total += bytes;
  }

  /** Whether a board that holds this much must drop it. */
  isExceededBy(bytes: number): boolean {
    return bytes > MIN_HELD_BYTES && this.#total > MAX_HELD_BYTES;
  }
}
