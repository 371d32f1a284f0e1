import type { Ask } from '../messages.js';

/**
 * The waiting asks of a partition. Those with one key stay in order, and the keys take turns: twenty long commands to one
 * board let commands of others in between.
 */
export class AskQueue {
  /** In the order of their turns. A held key keeps its asks and is skipped. */
  readonly #queues = new Map<string, Ask[]>();
  readonly #held = new Set<string>();

  push(key: string, ask: Ask): void {
    const queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, [ask]);
    else queue.push(ask);
  }

  /** Whether asks with this key wait. */
  has(key: string): boolean {
    return this.#queues.has(key);
  }

  /** The next ask and its key, which then goes behind the others. */
  next(): { readonly key: string; readonly ask: Ask } | null {
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
  putBack(key: string, ask: Ask): void {
    const queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, [ask]);
    else queue.unshift(ask);
  }

  /** Puts the ask back and holds its key until `release`. */
  hold(key: string, ask: Ask): void {
    this.putBack(key, ask);
    this.block(key);
  }

  /** Holds the key until `release`. */
  block(key: string): void {
    this.#held.add(key);
  }

  isHeld(key: string): boolean {
    return this.#held.has(key);
  }

  release(key: string): void {
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
