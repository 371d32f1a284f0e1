/**
 * Runs work in later turns of the event loop, in order, a few steps in each: sliced work of the partitions of a thread,
 * sockets that arrive together. Between two turns new events are taken.
 */
export class Turns {
  readonly #waiting: Array<() => void> = [];
  readonly #steps: number;

  /** `steps`: in each turn. */
  constructor(steps = 1) {
    this.#steps = steps;
  }

  add(step: () => void): void {
    if (this.#waiting.length === 0) setImmediate(() => this.#run());
    this.#waiting.push(step);
  }

  #run(): void {
    try {
      for (let left = Math.min(this.#steps, this.#waiting.length); left > 0; left -= 1) this.#runNext();
    } finally {
      if (this.#waiting.length > 0) setImmediate(() => this.#run());
    }
  }

  #runNext(): void {
    try {
      this.#waiting[0]?.();
    } finally {
      // Only now: a step that adds another must not start a second chain.
      this.#waiting.shift();
    }
  }
}
