/** Limits how often each owner does something: a bucket of tokens for each, which fills at a steady rate. */
import { BoundedMap } from './boundedMap.js';

export interface Rate {
  /** How many at once. */
  readonly burst: number;
  /** How many a second afterwards. */
  readonly perSecond: number;
}

interface Bucket {
  readonly tokens: number;
  /** When `tokens` was right, in milliseconds of the monotonic clock. */
  readonly at: number;
}

export interface TokenBucketsOptions {
  /** Monotonic, in milliseconds. */
  readonly now: () => number;
  /** Beyond it the owner who took longest ago starts anew. */
  readonly maxOwners?: number;
}

export class TokenBuckets {
  readonly #rate: Rate;
  readonly #now: () => number;
  /** Only of owners below the burst. */
  readonly #buckets: BoundedMap<string, Bucket>;

  constructor(rate: Rate, { now, maxOwners = Infinity }: TokenBucketsOptions) {
    this.#rate = rate;
    this.#now = now;
    this.#buckets = new BoundedMap(maxOwners);
  }

  /** After how many seconds one can be taken, 0 for now. */
  wait(owner: string): number {
    return Math.max(0, 1 - this.#tokens(owner, this.#now())) / this.#rate.perSecond;
  }

  /** Takes one if it can; returns what `wait` does. A refused one is not counted. */
  take(owner: string): number {
    const wait = this.wait(owner);
    if (wait === 0) this.spend(owner);
    return wait;
  }

  /** Takes this many, or what is left of them. */
  spend(owner: string, count = 1): void {
    if (count === 0) return;
    const now = this.#now();
    this.#buckets.set(owner, { tokens: Math.max(0, this.#tokens(owner, now) - count), at: now });
  }

  /** Forgets those who have waited long enough. To be called now and then. */
  sweep(): void {
    const now = this.#now();
    for (const [owner] of this.#buckets.entries()) if (this.#tokens(owner, now) >= this.#rate.burst) this.#buckets.delete(owner);
  }

  #tokens(owner: string, now: number): number {
    const bucket = this.#buckets.get(owner);
    if (bucket === undefined) return this.#rate.burst;
    return Math.min(this.#rate.burst, bucket.tokens + ((now - bucket.at) / 1000) * this.#rate.perSecond);
  }
}
