/**
 * Limits the requests of one caller that are carried out in one turn of the event loop. uWebSockets hands over every
 * request that has arrived, of a thousand connections too; requests of a flood then wait for later turns, and the requests
 * of others in between do not.
 */
import type { Uuid } from '../domain/ids.js';

/** As many as a browser or a busy program has in parallel: two to six milliseconds. */
export const MAX_REQUESTS_PER_TURN = 64;

export class CallerTurns {
  /** Requests of each caller in this turn. */
  readonly #begun = new Map<Uuid, number>();
  readonly #waiting = new Map<Uuid, Array<() => void>>();
  #isScheduled = false;

  /** Null if the request goes on at once. Otherwise resolves in a later turn; the requests of a caller keep their order. */
  enter(caller: Uuid): Promise<void> | null {
    const begun = this.#begun.get(caller) ?? 0;
    this.#schedule();
    if (begun < MAX_REQUESTS_PER_TURN) {
      this.#begun.set(caller, begun + 1);
      return null;
    }
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(caller);
      if (waiting === undefined) this.#waiting.set(caller, [resolve]);
      else waiting.push(resolve);
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#nextTurn());
  }

  #nextTurn(): void {
    this.#isScheduled = false;
    this.#begun.clear();
    for (const [caller, waiting] of this.#waiting) {
      const admitted = waiting.splice(0, MAX_REQUESTS_PER_TURN);
      if (waiting.length === 0) this.#waiting.delete(caller);
      this.#begun.set(caller, admitted.length);
      for (const resolve of admitted) resolve();
    }
    if (this.#begun.size > 0) this.#schedule();
  }
}
