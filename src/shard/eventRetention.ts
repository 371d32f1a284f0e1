/** Bounds the event log of a board: pruned rarely, and a little at a time. */
import type { BoardState } from '../domain/board/board.js';
import type { BoardEvent } from '../domain/events.js';
import { boardKeyOf } from '../domain/ids.js';
import type { ShardStore } from './shardStore.js';

/** A board's log is pruned when its number passes a multiple of this. */
const CUT_EVERY = 64;
/** The maximum bytes of a board's log, however few its events: events of a card with thousands of items are large. */
const MAX_LOG_BYTES = 64 * 1024 * 1024;
/**
 * Summing a log reads all of it: with every pruning, that took most of the time of a board with thousands of events. So
 * it is done after this many bytes, for which the limit leaves room.
 */
const WEIGH_EVERY_BYTES = 4 * 1024 * 1024;

export class LogKeeper {
  readonly #events: ShardStore['events'];
  readonly #maxEvents: number;
  /** Bytes added to a board's log since it was summed. A freshly loaded board counts as never summed. */
  readonly #added = new WeakMap<BoardState, number>();

  constructor(events: ShardStore['events'], maxEvents: number) {
    this.#events = events;
    this.#maxEvents = maxEvents;
  }

  /** Called after these events were written to the board's log, in the same transaction. */
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
