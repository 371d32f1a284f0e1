import type { Database } from 'better-sqlite3';
import type { Uuid } from '../../domain/ids.js';
import { prepareWrite } from '../sqlite/transaction.js';

export interface PendingUser {
  readonly id: number;
  readonly userId: Uuid;
}

/** The directory's outbox: users whose changed profile is not yet on all boards. */
export class PendingProfiles {
  readonly #add;
  readonly #list;
  readonly #isListed;
  readonly #remove;

  constructor(db: Database) {
    this.#add = prepareWrite<[Uuid]>(db, 'INSERT OR REPLACE INTO pending_profile (user_id) VALUES (?)');
    this.#list = db.prepare<[number, number], PendingUser>(
      'SELECT id, user_id AS userId FROM pending_profile WHERE id > ? ORDER BY id LIMIT ?',
    );
    this.#isListed = db.prepare<[Uuid]>('SELECT 1 FROM pending_profile WHERE user_id = ?');
    this.#remove = prepareWrite<[number]>(db, 'DELETE FROM pending_profile WHERE id = ?');
  }

  add(userId: Uuid): void {
    this.#add(userId);
  }

  /** Oldest first, after this number. */
  list(after: number, limit: number): PendingUser[] {
    return this.#list.all(after, limit);
  }

  has(userId: Uuid): boolean {
    return this.#isListed.get(userId) !== undefined;
  }

  /** Does nothing if the user has changed again since: that is another id. */
  remove(id: number): void {
    this.#remove(id);
  }
}
