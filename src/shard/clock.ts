/** A moment as the number that is reckoned with and the text that is stored. */
export interface Moment {
  readonly ms: number;
  readonly text: string;
}

/** Writes the text once a millisecond: that takes as long as most of a read, and many commands share one. */
export class Moments {
  readonly #now: () => Date;
  #latest: Moment = { ms: Number.NaN, text: '' };

  constructor(now: () => Date) {
    this.#now = now;
  }

  now(): Moment {
    const date = this.#now();
    const ms = date.getTime();
    if (ms !== this.#latest.ms) this.#latest = { ms, text: date.toISOString() };
    return this.#latest;
  }
}
