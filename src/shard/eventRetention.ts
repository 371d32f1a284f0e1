/** Bounds the event log, the activity and the versions of texts of a board: pruned a little at a time. */
import type { BoardState } from '../domain/board/board.js';
import { MAX_VERSION_BYTES } from '../domain/board/versions/versionsOnDisk.js';
import { MAX_ACTIVITY_BYTES } from '../domain/board/activity/activityOnDisk.js';
import type { BoardEvent } from '../domain/events.js';
import { boardKeyOf } from '../domain/ids.js';
import type { Change } from '../domain/model.js';
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

/** Versions of texts are weighed after this many bytes of them: most edits ask nothing. Their limit leaves room for these. */
const WEIGH_VERSIONS_BYTES = 256 * 1024;

/** Facts of the activity that are deleted with one pruning: more than are added until the next. */
const ACTIVITY_STEP = 4 * CUT_EVERY;

export class LogKeeper {
  readonly #events: ShardStore['events'];
  readonly #activity: ShardStore['activity'];
  readonly #store: Pick<ShardStore, 'pruneVersions'>;
  readonly #maxEvents: number;
  /** Bytes added to a board's log since it was summed. A freshly loaded board counts as never summed. */
  readonly #added = new WeakMap<BoardState, number>();
  /** The same for versions of its texts. */
  readonly #addedVersions = new WeakMap<BoardState, number>();

  constructor(store: Pick<ShardStore, 'events' | 'activity' | 'pruneVersions'>, maxEvents: number) {
    this.#events = store.events;
    this.#activity = store.activity;
    this.#store = store;
    this.#maxEvents = maxEvents;
  }

  /** Called after these changes were written, in the same transaction. */
  noteChanged(board: BoardState, changes: readonly Change[], now: string): void {
    let bytes = 0;
    for (const change of changes) if (change.kind === 'version' && 'put' in change) bytes += change.put.bytes;
    if (bytes === 0) return;
    const added = (this.#addedVersions.get(board) ?? WEIGH_VERSIONS_BYTES) + bytes;
    const isDue = added >= WEIGH_VERSIONS_BYTES;
    if (isDue) this.#store.pruneVersions(boardKeyOf(board.id), MAX_VERSION_BYTES - WEIGH_VERSIONS_BYTES, now);
    this.#addedVersions.set(board, isDue ? 0 : added);
  }

  /** Called after these events were written to the board's log, in the same transaction. */
  noteWritten(board: BoardState, written: readonly BoardEvent[]): void {
    let added = this.#added.get(board) ?? WEIGH_EVERY_BYTES;
    for (const { json } of written) added += Buffer.byteLength(json);
    const { seq } = board;
    if (Math.floor((seq - written.length) / CUT_EVERY) !== Math.floor(seq / CUT_EVERY)) {
      const key = boardKeyOf(board.id);
      this.#events.prune(key, seq - this.#maxEvents + 1);
      this.#activity.pruneToBytes(key, MAX_ACTIVITY_BYTES, ACTIVITY_STEP);
      if (added >= WEIGH_EVERY_BYTES) {
        this.#events.pruneToBytes(key, MAX_LOG_BYTES - WEIGH_EVERY_BYTES);
        added = 0;
      }
    }
    this.#added.set(board, added);
  }
}
