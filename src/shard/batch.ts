/** The results so far of the commands, or of the job, of one commit. */
import type { MarkedBytes } from '../domain/board/marks.js';
import type { BoardKey } from '../domain/ids.js';
import { isLarge } from '../domain/events.js';
import { DONE, type BoardReply, type Notice, type Outcome } from '../partitions/messages.js';
import type { ShardStore } from './shardStore.js';

/**
 * Characters of events and answers in a batch; the last ask may exceed them. Their commit and messages take about as long
 * as the turn in which they were decided.
 */
export const MAX_BATCH_CHARACTERS = 256 * 1024;

const NO_MARKS: MarkedBytes = new Map();

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
  #characters = 0;
  /** Of `notices`. */
  #counted = 0;

  constructor(store: ShardStore) {
    this.#store = store;
  }

  /** What follows is done for this ask. */
  startAsk(id: number): void {
    this.#ask = id;
  }

  /** The ask is done, and its notices are among `notices`. */
  noteReply(outcome: Outcome): void {
    const answer = outcome.ok ? (outcome.value as Partial<BoardReply> | null)?.outcome : undefined;
    if (answer?.ok === true) this.#characters += answer.json?.length ?? 0;
    for (; this.#counted < this.notices.length; this.#counted += 1) {
      const notice = this.notices[this.#counted];
      if (notice?.kind !== 'board.events') continue;
      for (const event of notice.events) this.#characters += isLarge(event) ? event.bytes.byteLength : event.json.length;
    }
  }

  /** Whether its commit and its messages are long enough. Other asks wait for the next batch. */
  get isFull(): boolean {
    return this.#characters >= MAX_BATCH_CHARACTERS;
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
