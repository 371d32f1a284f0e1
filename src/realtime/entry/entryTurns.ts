/**
 * Admits new sockets, a few in each turn of the event loop. A crowd arrives in one turn, and admitting a hundred in it
 * took thirty milliseconds, for which the requests of others waited.
 */
const MAX_PER_TURN = 8;

export class EntryTurns {
  readonly #waiting: Array<() => void> = [];
  #isScheduled = false;

  /** Runs the entry in a later turn, after those that came before. */
  add(enter: () => void): void {
    this.#waiting.push(enter);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      for (const enter of this.#waiting.splice(0, MAX_PER_TURN)) enter();
      this.#schedule();
    });
  }
}
