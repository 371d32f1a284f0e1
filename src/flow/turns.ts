/**
 * Runs the sliced work of all partitions of a thread: one step in each turn of the event loop. Between two steps the
 * thread takes new asks.
 */
export class Turns {
  readonly #waiting: Array<() => void> = [];

  add(step: () => void): void {
    if (this.#waiting.length === 0) setImmediate(() => this.#run());
    this.#waiting.push(step);
  }

  #run(): void {
    const [step] = this.#waiting;
    try {
      step?.();
    } finally {
      // Only now: a step that adds another must not start a second chain.
      this.#waiting.shift();
      if (this.#waiting.length > 0) setImmediate(() => this.#run());
    }
  }
}
