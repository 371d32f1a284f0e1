/**
 * Ids of removed records, as long as the events of their time are kept. They are written and removed with rows and events,
 * so they need no writes of their own in a commit, and a copy that applies commits has the same ones.
 */
import type { Database } from 'better-sqlite3';
import type { BoardKey, Uuid } from '../../domain/ids.js';
import type { Kind } from '../../domain/model.js';
import { prepareWrite } from '../sqlite/transaction.js';

/** One or two milliseconds. The event of a large removal stands for thousands of ids; the rest goes with later events. */
const FORGET_STEP = 500;

export class UsedIds {
  readonly #add;
  readonly #has;
  readonly #forget;
  readonly #latest;
  readonly #forgetBoard;

  constructor(db: Database) {
    this.#add = prepareWrite<[Uuid, BoardKey]>(
      db,
      'INSERT INTO used_id (board_key, id, seq) SELECT board_key, ?, seq FROM board WHERE board_key = ? ON CONFLICT DO NOTHING',
    );
    this.#has = db.prepare<[BoardKey, Uuid]>('SELECT 1 FROM used_id WHERE board_key = ? AND id = ?');
    this.#forget = prepareWrite<[BoardKey, BoardKey, number]>(
      db,
      `DELETE FROM used_id WHERE board_key = ? AND id IN (
         SELECT id FROM used_id WHERE board_key = ? AND seq <= ? ORDER BY seq, id LIMIT ${FORGET_STEP})`,
    );
    this.#latest = db.prepare<[BoardKey], number | null>('SELECT max(seq) FROM used_id WHERE board_key = ?').pluck();
    this.#forgetBoard = prepareWrite<[BoardKey]>(db, 'DELETE FROM used_id WHERE board_key = ?');
  }

  /** Part of the change that removes the record. */
  add(key: BoardKey, kind: Kind, id: Uuid): void {
    // The id of a member is that of a user.
    if (kind !== 'member') this.#add(id, key);
  }

  has(key: BoardKey, id: Uuid): boolean {
    return this.#has.get(key, id) !== undefined;
  }

  /** Part of the removal of the events up to this number: some of the ids from before. Returns how many. */
  forget(key: BoardKey, upTo: number): number {
    return this.#forget(key, key, upTo).changes;
  }

  /** The number from which on `forget` finds every id of the board; null if there is none. */
  latestSeq(key: BoardKey): number | null {
    return this.#latest.get(key) ?? null;
  }

  forgetBoard(key: BoardKey): void {
    this.#forgetBoard(key);
  }
}
