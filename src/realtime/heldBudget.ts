/** What may be held back for clients that are not live, of the whole process, in bytes. */
export const MAX_HELD_BYTES = 16 * 1024 * 1024;
/** What one board may hold in any case, so that no other board's clients take it from those here. */
export const MIN_HELD_BYTES = 256 * 1024;

/** How much the boards of this process hold back for clients that are not live. */
export class HeldBudget {
  #total = 0;

  /** A board holds so much more, or less. */
  change(bytes: number): void {
    this.#total += bytes;
  }

  /** Whether a board that holds so much must let go of it. */
  isExceededBy(bytes: number): boolean {
    return bytes > MIN_HELD_BYTES && this.#total > MAX_HELD_BYTES;
  }
}
