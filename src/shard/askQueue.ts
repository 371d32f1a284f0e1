/**
 * The asks that wait at a shard, each board's in their order and the boards in turn: whoever sends a board twenty
 * commands that take long lets the commands of other boards in between.
 */
import type { Ask } from '../partitions/messages.js';

export class AskQueue<Key> {
  /** In the order of their turns. A board that is held back keeps its asks and is passed over. */
  readonly #queues = new Map<Key, Ask[]>();
  readonly #held = new Set<Key>();

  push(key: Key, ask: Ask): void {
    const queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, [ask]);
    else queue.push(ask);
  }

  /** Whether anything waits for this board. */
  has(key: Key): boolean {
    return this.#queues.has(key);
  }

  /** The next ask, and to whom it goes. A board that had its turn is behind the others. */
  next(): { readonly key: Key; readonly ask: Ask } | null {
    for (const [key, queue] of this.#queues) {
      if (this.#held.has(key)) continue;
      const ask = queue.shift();
      this.#queues.delete(key);
      if (queue.length > 0) this.#queues.set(key, queue);
      if (ask !== undefined) return { key, ask };
    }
    return null;
  }

  /** The ask goes back to where it came from. */
  putBack(key: Key, ask: Ask): void {
    const queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, [ask]);
    else queue.unshift(ask);
  }

  /** The ask goes back to where it came from, and none of its board is given out until `release`. */
  hold(key: Key, ask: Ask): void {
    this.putBack(key, ask);
    this.block(key);
  }

  /** None of the board's asks is given out until `release`. */
  block(key: Key): void {
    this.#held.add(key);
  }

  isHeld(key: Key): boolean {
    return this.#held.has(key);
  }

  release(key: Key): void {
    this.#held.delete(key);
  }

  /** Whether anything can be given out. */
  get isWaiting(): boolean {
    for (const key of this.#queues.keys()) if (!this.#held.has(key)) return true;
    return false;
  }

  /** All that wait, held back or not. */
  takeAll(): Ask[] {
    const all = [...this.#queues.values()].flat();
    this.#queues.clear();
    this.#held.clear();
    return all;
  }
}
