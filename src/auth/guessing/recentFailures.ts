/** The times of the latest failures of each key within a sliding window, for a bounded number of keys. */
export interface RecentFailuresOptions {
  /** Failures within the window that block a key. */
  readonly limit: number;
  readonly windowMs: number;
  readonly maxKeys: number;
}

export class RecentFailures {
  /** The key with the oldest last failure first. */
  readonly #failures = new Map<string, number[]>();
  readonly #options: RecentFailuresOptions;

  constructor(options: RecentFailuresOptions) {
    this.#options = options;
  }

  /** Milliseconds until the key is below the limit. */
  wait(key: string, time: number): number {
    const recent = this.#recent(key, time);
    const oldest = recent[recent.length - this.#options.limit];
    return oldest === undefined ? 0 : oldest + this.#options.windowMs - time;
  }

  /** Keeps at most `limit` failures: the latest decide. */
  add(key: string, time: number): void {
    const failures = [...this.#recent(key, time), time].slice(-this.#options.limit);
    this.#failures.delete(key);
    this.#makeRoom(time);
    this.#failures.set(key, failures);
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  #recent(key: string, time: number): number[] {
    return (this.#failures.get(key) ?? []).filter((failure) => failure + this.#options.windowMs > time);
  }

  /**
   * Drops the oldest key that is not blocked; expired keys come first. A blocked key is dropped only if all are
   * blocked: to free one by flooding takes `limit` password checks for every key.
   */
  #makeRoom(time: number): void {
    if (this.#failures.size < this.#options.maxKeys) return;
    for (const key of this.#failures.keys()) {
      if (this.wait(key, time) === 0) {
        this.#failures.delete(key);
        return;
      }
    }
    const [oldest] = this.#failures.keys();
    if (oldest !== undefined) this.#failures.delete(oldest);
  }
}
