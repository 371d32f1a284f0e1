/** Limits how often each user does something: a bucket of tokens, which fills at a steady rate. */

export interface Rate {
  /** How many at once. */
  readonly burst: number;
  /** How many a second afterwards. */
  readonly perSecond: number;
}

interface Bucket {
  tokens: number;
  /** When `tokens` was right, in milliseconds of the monotonic clock. */
  at: number;
}

export class RateLimiter {
  readonly #rate: Rate;
  readonly #monotonic: () => number;
  /** Only of users below the burst. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(rate: Rate, monotonic: () => number) {
    this.#rate = rate;
    this.#monotonic = monotonic;
  }

  /** Counts one; returns after how many seconds it is allowed, 0 for now. A refused one is not counted. */
  take(userId: string): number {
    const bucket = this.#fill(userId);
    if (bucket.tokens < 1) return (1 - bucket.tokens) / this.#rate.perSecond;
    bucket.tokens -= 1;
    return 0;
  }

  /** Forgets those who have waited long enough. To be called now and then. */
  sweep(): void {
    for (const userId of [...this.#buckets.keys()]) {
      if (this.#fill(userId).tokens >= this.#rate.burst) this.#buckets.delete(userId);
    }
  }

  #fill(userId: string): Bucket {
    const { burst, perSecond } = this.#rate;
    const now = this.#monotonic();
    const bucket = this.#buckets.get(userId) ?? { tokens: burst, at: now };
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * perSecond);
    bucket.at = now;
    this.#buckets.set(userId, bucket);
    return bucket;
  }
}
