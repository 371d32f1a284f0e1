/** How long to wait before each attempt: up to twice as long each time, and at random, lest clients come in step. */
export interface BackoffOptions {
  /** In milliseconds: the longest wait before the first attempt. */
  readonly firstMs: number;
  /** In milliseconds: the longest wait before any. */
  readonly maxMs: number;
  /** From 0 up to but not including 1. */
  readonly random: () => number;
}

export class Backoff {
  readonly #options: BackoffOptions;
  #failures = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  next(): number {
    const { firstMs, maxMs, random } = this.#options;
    const longest = Math.min(maxMs, firstMs * 2 ** this.#failures);
    this.#failures += 1;
    return random() * longest;
  }

  reset(): void {
    this.#failures = 0;
  }
}
