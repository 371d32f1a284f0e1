/** A map that holds a number of keys. What was set longest ago gives way to a new key. */
export class BoundedMap<Key, Value> {
  readonly #max: number;
  /** In the order in which they were last set. */
  readonly #entries = new Map<Key, Value>();

  constructor(max: number) {
    this.#max = max;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    if (this.#entries.size >= this.#max) {
      const oldest = this.#entries.keys().next();
      if (oldest.done !== true) this.#entries.delete(oldest.value);
    }
    this.#entries.set(key, value);
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }

  /** Those set longest ago first. An entry may be deleted meanwhile. */
  entries(): IterableIterator<[Key, Value]> {
    return this.#entries.entries();
  }
}
