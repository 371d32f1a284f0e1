/** Keeps what a board remembers of its past within bounds: cut back rarely, and then a little. */
import type { BoardState } from '../domain/board/board.js';
import type { BoardEvent } from '../domain/events.js';
import { boardKeyOf } from '../domain/ids.js';
import type { ShardStore } from './shardStore.js';

/** A board's own log is cut back when its number passes a multiple of this. */
const CUT_EVERY = 64;
/** What a board's log may take, however few its events: those of a card with thousands of items are large. */
const MAX_LOG_BYTES = 64 * 1024 * 1024;
/**
 * Adding up a log reads all of it: with every cut, that took most of the time of a board with thousands of events. So it
 * is done once in so many bytes, for which the sum leaves room.
 */
const WEIGH_EVERY_BYTES = 4 * 1024 * 1024;

export class LogKeeper {
  readonly #events: ShardStore['events'];
  readonly #maxEvents: number;
  /** What was added to a board's log since it was weighed. A board that was just read was never weighed. */
  readonly #added = new WeakMap<BoardState, number>();

  constructor(events: ShardStore['events'], maxEvents: number) {
    this.#events = events;
    this.#maxEvents = maxEvents;
  }

  /** After these events were written to the log of the board, in the same transaction. */
  noteWritten(board: BoardState, written: readonly BoardEvent[]): void {
    let added = this.#added.get(board) ?? WEIGH_EVERY_BYTES;
    for (const { json } of written) added += Buffer.byteLength(json);
    const { seq } = board;
    if (Math.floor((seq - written.length) / CUT_EVERY) !== Math.floor(seq / CUT_EVERY)) {
      const key = boardKeyOf(board.id);
      this.#events.prune(key, seq - this.#maxEvents + 1);
      if (added >= WEIGH_EVERY_BYTES) {
        this.#events.pruneToBytes(key, MAX_LOG_BYTES - WEIGH_EVERY_BYTES);
        added = 0;
      }
    }
    this.#added.set(board, added);
  }
}
