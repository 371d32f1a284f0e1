/**
 * The waiting asks of a shard: a board's asks in order, and the boards in turn. Twenty long commands to one board let
 * commands of other boards in between.
 */
import type { Ask } from '../partitions/messages.js';

export class AskQueue<Key> {
  /** In the order of their turns. A held board keeps its asks and is skipped. */
  readonly #queues = new Map<Key, Ask[]>();
  readonly #held = new Set<Key>();

  push(key: Key, ask: Ask): void {
    const queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, [ask]);
    else queue.push(ask);
  }

  /** Whether asks wait for this board. */
  has(key: Key): boolean {
    return this.#queues.has(key);
  }

  /** The next ask and its board, which then goes behind the others. */
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

  /** Puts the ask back at the head of its queue. */
  putBack(key: Key, ask: Ask): void {
    const queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, [ask]);
    else queue.unshift(ask);
  }

  /** Puts the ask back and holds its board until `release`. */
  hold(key: Key, ask: Ask): void {
    this.putBack(key, ask);
    this.block(key);
  }

  /** Holds the board until `release`. */
  block(key: Key): void {
    this.#held.add(key);
  }

  isHeld(key: Key): boolean {
    return this.#held.has(key);
  }

  release(key: Key): void {
    this.#held.delete(key);
  }

  /** Whether an ask can be taken. */
  get isWaiting(): boolean {
    for (const key of this.#queues.keys()) if (!this.#held.has(key)) return true;
    return false;
  }

  /** All waiting asks, held or not. */
  takeAll(): Ask[] {
    const all = [...this.#queues.values()].flat();
    this.#queues.clear();
    this.#held.clear();
    return all;
  }
}
