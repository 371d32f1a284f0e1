/** A store of changes in memory, with several holders: windows, or one window after another. */
import type { ChangeStore, KeptChange } from '../../src/client/index.js';

interface Entry {
  readonly userId: string;
  holder: number;
  change: KeptChange;
}

interface Adopter {
  readonly holder: number;
  readonly userId: string;
  take(changes: readonly KeptChange[]): void;
}

export class MemoryStore {
  #entries: Entry[] = [];
  readonly #living = new Set<number>();
  #adopters: Adopter[] = [];
  #holders = 0;
  /** Writing fails with it. */
  failure: Error | null = null;

  get changes(): readonly KeptChange[] {
    return this.#entries.map(({ change }) => change);
  }

  /** A new holder, and a function that ends it as a crash does. */
  open(): ChangeStore & { end(): void } {
    this.#holders += 1;
    const holder = this.#holders;
    this.#living.add(holder);
    return {
      put: async (userId, change) => this.#put(holder, userId, change),
      remove: async (userId, key) => {
        if (!this.#living.has(holder)) return;
        this.#entries = this.#entries.filter((entry) => entry.userId !== userId || entry.change.key !== key);
      },
      adopt: (userId, take) => {
        const adopter = { holder, userId, take };
        this.#adopters.push(adopter);
        queueMicrotask(() => {
          const own = this.#entries.filter((entry) => entry.userId === userId && entry.holder === holder);
          if (own.length > 0) take(own.map(({ change }) => change));
          this.#handOver();
        });
        return () => {
          this.#adopters = this.#adopters.filter((each) => each !== adopter);
        };
      },
      end: () => {
        this.#living.delete(holder);
        this.#adopters = this.#adopters.filter((each) => each.holder !== holder);
        this.#handOver();
      },
    };
  }

  #put(holder: number, userId: string, change: KeptChange): void {
    if (this.failure !== null) throw this.failure;
    if (!this.#living.has(holder)) return;
    const known = this.#entries.find((entry) => entry.userId === userId && entry.change.key === change.key);
    if (known === undefined) this.#entries.push({ userId, holder, change });
    else known.change = change;
  }

  #handOver(): void {
    for (const { holder, userId, take } of this.#adopters) {
      const orphans = this.#entries.filter((entry) => entry.userId === userId && !this.#living.has(entry.holder));
      for (const orphan of orphans) orphan.holder = holder;
      if (orphans.length > 0) take(orphans.map(({ change }) => change));
    }
  }
}
