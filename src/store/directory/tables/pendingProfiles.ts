import type { Database } from 'better-sqlite3';
import type { Uuid } from '../../../domain/ids.js';
import type { DirectoryJournal } from '../directoryJournal.js';
import { prepareWrite } from '../../sqlite/transaction.js';

export interface PendingUser {
  readonly id: number;
  readonly userId: Uuid;
}

/** The directory's outbox: users whose changed profile is not yet on all boards. */
export class PendingProfiles {
  readonly #journal: DirectoryJournal;
  readonly #insert;
  readonly #latestId;
  readonly #list;
  readonly #remove;
  readonly #userOf;
  readonly #entryOf;

  constructor(db: Database, journal: DirectoryJournal) {
    this.#journal = journal;
    this.#insert = prepareWrite<[number, Uuid]>(db, 'INSERT OR REPLACE INTO pending_profile (id, user_id) VALUES (?, ?)');
    // SQLite's own count of an AUTOINCREMENT table: an id is used once, also when its entry is gone.
    this.#latestId = db.prepare<[], number>(`SELECT seq FROM sqlite_sequence WHERE name = 'pending_profile'`).pluck();
    this.#list = db.prepare<[number, number], PendingUser>('SELECT id, user_id AS userId FROM pending_profile WHERE id > ? ORDER BY id LIMIT ?');
    this.#userOf = db.prepare<[number], Uuid>('SELECT user_id FROM pending_profile WHERE id = ?').pluck();
    this.#entryOf = db.prepare<[Uuid], number>('SELECT id FROM pending_profile WHERE user_id = ?').pluck();
    this.#remove = prepareWrite<[number]>(db, 'DELETE FROM pending_profile WHERE id = ?');
  }

  /** Returns the id of the entry, which replaces an earlier one of the user. */
  add(userId: Uuid): number {
    const id = (this.#latestId.get() ?? 0) + 1;
    this.insert(id, userId);
    return id;
  }

  insert(id: number, user_id: Uuid): void {
    this.#insert(id, user_id);
    this.#journal.note({ op: 'pending.add', id, user_id });
  }

  /** Oldest first, after this id. */
  list(after: number, limit: number): PendingUser[] {
    return this.#list.all(after, limit);
  }

  /** Null if the user has none. */
  entryOf(userId: Uuid): number | null {
    return this.#entryOf.get(userId) ?? null;
  }

  /** Null if there is no such entry. */
  userOf(id: number): Uuid | null {
    return this.#userOf.get(id) ?? null;
  }

  /** Does nothing if the user has changed again since: that is another id. */
  remove(id: number): void {
    if (this.#remove(id).changes > 0) this.#journal.note({ op: 'pending.remove', id });
  }
}
