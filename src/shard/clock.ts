/** A time as a number for arithmetic and as the stored text. */
export interface Timestamp {
  readonly ms: number;
  readonly text: string;
}

/** Formats the text once a millisecond: that takes as long as most of a read, and many commands share one. */
export class Clock {
  readonly #now: () => Date;
  #latest: Timestamp = { ms: Number.NaN, text: '' };

  constructor(now: () => Date) {
    this.#now = now;
  }

  now(): Timestamp {
    const date = this.#now();
    const ms = date.getTime();
    if (ms !== this.#latest.ms) this.#latest = { ms, text: date.toISOString() };
    return this.#latest;
  }
}
