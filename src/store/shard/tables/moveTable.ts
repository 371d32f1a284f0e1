/** Cards that move to other boards, as they are read together. The rows are written as records of their board. */
import type { Database } from 'better-sqlite3';
import type { BoardKey, Uuid } from '../../../domain/ids.js';
import { prepareRead } from '../../sqlite/read.js';

export class MoveTable {
  readonly #leaving;
  readonly #expired;

  constructor(db: Database) {
    this.#leaving = prepareRead(() =>
      db.prepare<[BoardKey], Uuid>(`SELECT id FROM moved INDEXED BY moved_leaving WHERE board_key = ? AND state = 'leaving'`).pluck(),
    );
    this.#expired = prepareRead(() =>
      db.prepare<[string, number], { readonly key: BoardKey; readonly id: Uuid }>(
        `SELECT board_key AS key, id FROM moved INDEXED BY moved_by_time WHERE state <> 'leaving' AND updated_at < ? LIMIT ?`,
      ),
    );
  }

  /** The ids of the cards that are on their way. */
  leaving(key: BoardKey): Uuid[] {
    return this.#leaving.all(key);
  }

  /** Some that were settled before this time. */
  expired(before: string, limit: number): ReadonlyArray<{ readonly key: BoardKey; readonly id: Uuid }> {
    return this.#expired.all(before, limit);
  }
}
