/** The results so far of the commands, or of the job, of one commit. */
import type { MarkedBytes } from '../domain/board/marks.js';
import type { BoardKey } from '../domain/ids.js';
import type { Notice, Outcome } from '../partitions/messages.js';
import type { ShardStore } from './shardStore.js';

const NO_MARKS: MarkedBytes = new Map();
const DONE: Outcome = { ok: true, value: null };

export class Batch {
  readonly touched = new Set<BoardKey>();
  readonly notices: Notice[] = [];
  /** Presence changes by ask, as published. They are in no file, and stay done if the commit fails. */
  readonly presence = new Map<number, readonly Notice[]>();
  /** The bytes of the marks in answers and events; only if the one ask of the batch was prepared. */
  marked: MarkedBytes = NO_MARKS;
  /** The asks that wrote something. */
  readonly writers = new Set<number>();
  readonly #store: ShardStore;
  #isWriting = false;
  #ask: number | null = null;

  constructor(store: ShardStore) {
    this.#store = store;
  }

  /** What follows is done for this ask. */
  startAsk(id: number): void {
    this.#ask = id;
  }

  /** Whether a transaction was begun. */
  get isWriting(): boolean {
    return this.#isWriting;
  }

  /** The store, inside a transaction. */
  write(): ShardStore {
    if (!this.#isWriting) {
      this.#store.begin();
      this.#isWriting = true;
    }
    if (this.#ask !== null) this.writers.add(this.#ask);
    return this.#store;
  }

  /** Presence has changed, and that is published even if the commit fails. */
  publishPresence(ask: number, notices: readonly Notice[]): Outcome {
    this.notices.push(...notices);
    this.presence.set(ask, notices);
    return DONE;
  }
}
