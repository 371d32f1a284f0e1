import type { Ask } from '../messages.js';

/**
 * The waiting asks of a partition. Those with one key stay in order, and the keys take turns: twenty long commands to one
 * board let commands of others in between.
 */
export class AskQueue {
  /** In the order of their turns. A held key keeps its asks and is skipped. */
  readonly #queues = new Map<string, Ask[]>();
  readonly #held = new Set<string>();
  /** The key of the latest ask. It keeps its place until the next one is taken, so that asks which come meanwhile go before it. */
  #served: string | null = null;
  /** The key whose ask was put back: its turn is next. */
  #first: string | null = null;

  push(key: string, ask: Ask): void {
    const queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, [ask]);
    else queue.push(ask);
  }

  /** Whether asks with this key wait. */
  has(key: string): boolean {
    return this.#queues.has(key);
  }

  /** The next ask and its key, which then goes behind the others, also behind those that come before the next call. */
  next(): { readonly key: string; readonly ask: Ask } | null {
    if (this.#served !== null) this.#moveToEnd(this.#served);
    this.#served = null;
    const first = this.#first === null ? null : this.#take(this.#first);
    this.#first = null;
    if (first !== null) return first;
    for (const key of this.#queues.keys()) {
      const taken = this.#take(key);
      if (taken !== null) return taken;
    }
    return null;
  }

  #take(key: string): { readonly key: string; readonly ask: Ask } | null {
    const queue = this.#held.has(key) ? undefined : this.#queues.get(key);
    const ask = queue?.shift();
    if (queue?.length === 0) this.#queues.delete(key);
    if (ask === undefined) return null;
    this.#served = key;
    return { key, ask };
  }

  #moveToEnd(key: string): void {
    const queue = this.#queues.get(key);
    if (queue === undefined || this.#queues.size === 1) return;
    this.#queues.delete(key);
    this.#queues.set(key, queue);
  }

  /** Puts the latest ask back: it is the next one, also if others come meanwhile. */
  putBack(key: string, ask: Ask): void {
    this.#toHead(key, ask);
    this.#served = null;
    this.#first = key;
  }

  /** Puts the ask back and holds its key until `release`. */
  hold(key: string, ask: Ask): void {
    this.#toHead(key, ask);
    this.block(key);
  }

  #toHead(key: string, ask: Ask): void {
    const queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, [ask]);
    else queue.unshift(ask);
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
