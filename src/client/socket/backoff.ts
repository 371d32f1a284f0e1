/**
 * The wait before each attempt: random, with a maximum that doubles each time, so that clients do not reconnect in
 * step.
 */
export interface BackoffOptions {
  /** The maximum wait before the first attempt, in milliseconds. */
  readonly firstMs: number;
  /** The maximum wait before any attempt, in milliseconds. */
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
