/**
 * A set in order of insertion with 8 to 16 bytes a member, where a Set takes 20 to 40: most of an instance's memory for
 * idle sockets. Removing searches linearly, a few microseconds among ten thousand.
 */
export class CompactSet<T> {
  readonly #members: T[] = [];

  get size(): number {
    return this.#members.length;
  }

  /** The member must not be in the set. */
  add(member: T): void {
    this.#members.push(member);
  }

  delete(member: T): void {
    const at = this.#members.indexOf(member);
    if (at >= 0) this.#members.splice(at, 1);
  }

  /** A copy that does not change. */
  list(): T[] {
    return [...this.#members];
  }

  /** The set must not change during the iteration. */
  [Symbol.iterator](): Iterator<T> {
    return this.#members[Symbol.iterator]();
  }
}

export type ReadonlyCompactSet<T> = Omit<CompactSet<T>, 'add' | 'delete'>;
