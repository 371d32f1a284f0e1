import { MAX_HELD_BYTES, MIN_HELD_BYTES } from './slowClients.js';

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
