/** A store of changes in memory, for several clients of one program: what one leaves, another sends. */
import type { ChangeStore, KeptChange } from './changeStore.js';

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

/** One client's view of a `MemoryStore`. */
export interface MemoryHolder extends ChangeStore {
  /** Its client has ended: others take its changes over. */
  end(): void;
}

export class MemoryStore {
  #entries: Entry[] = [];
  #adopters: Adopter[] = [];
  readonly #ended = new Set<number>();
  #holders = 0;

  get changes(): readonly KeptChange[] {
    return this.#entries.map(({ change }) => change);
  }

  /** For one client. */
  open(): MemoryHolder {
    this.#holders += 1;
    const holder = this.#holders;
    const leave = (isLeft: (adopter: Adopter) => boolean): void => {
      this.#adopters = this.#adopters.filter((each) => !isLeft(each));
      this.#handOver();
    };
    return {
      put: async (userId, change) => this.#put(holder, userId, change),
      remove: async (userId, key) => {
        if (this.#ended.has(holder)) return;
        this.#entries = this.#entries.filter((entry) => entry.userId !== userId || entry.change.key !== key);
      },
      adopt: (userId, take) => {
        const adopter = { holder, userId, take };
        let isStopped = false;
        queueMicrotask(() => {
          if (isStopped || this.#ended.has(holder)) return;
          this.#adopters.push(adopter);
          const free = this.#entries.filter((entry) => entry.userId === userId && (entry.holder === holder || !this.#isSent(entry)));
          for (const entry of free) entry.holder = holder;
          take(free.map(({ change }) => change));
        });
        return () => {
          isStopped = true;
          leave((each) => each === adopter);
        };
      },
      end: () => {
        this.#ended.add(holder);
        leave((each) => each.holder === holder);
      },
    };
  }

  #put(holder: number, userId: string, change: KeptChange): void {
    if (this.#ended.has(holder)) return;
    const known = this.#entries.find((entry) => entry.userId === userId && entry.change.key === change.key);
    if (known === undefined) this.#entries.push({ userId, holder, change });
    else Object.assign(known, { change, holder });
  }

  #isSent({ holder, userId }: Entry): boolean {
    return this.#adopters.some((each) => each.holder === holder && each.userId === userId);
  }

  /** Changes without a sender go to the first holder that takes them. */
  #handOver(): void {
    for (const { holder, userId, take } of this.#adopters) {
      const orphans = this.#entries.filter((entry) => entry.userId === userId && !this.#isSent(entry));
      for (const orphan of orphans) orphan.holder = holder;
      if (orphans.length > 0) take(orphans.map(({ change }) => change));
    }
  }
}
