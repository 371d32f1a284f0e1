/** Counts things by the id of their owner. Owners with none take no memory. */
export class OwnerCounts<Id> {
  readonly #counts = new Map<Id, number>();

  of(id: Id): number {
    return this.#counts.get(id) ?? 0;
  }

  has(id: Id): boolean {
    return this.#counts.has(id);
  }

  /** `change` may be negative. */
  add(id: Id, change: number): void {
    const count = this.of(id) + change;
    if (count > 0) this.#counts.set(id, count);
    else this.#counts.delete(id);
  }

  clear(): void {
    this.#counts.clear();
  }

  ids(): Id[] {
    return [...this.#counts.keys()];
  }
}
