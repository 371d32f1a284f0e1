/**
 * Admits new sockets, a few in each turn of the event loop. A crowd comes in one turn, and admitting a socket takes a
 * hundred times as long as its handshake: requests of others would wait for the whole crowd.
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
