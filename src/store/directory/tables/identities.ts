import type { Database } from 'better-sqlite3';
import type { Identity } from '../../../domain/account/identity.js';
import type { Uuid } from '../../../domain/ids.js';
import { prepareWrite } from '../../sqlite/transaction.js';
import type { DirectoryJournal } from '../directoryJournal.js';

/** The accounts of users at providers of single sign-on. Called within a transaction of the directory. */
export class IdentityTable {
  readonly #journal: DirectoryJournal;
  readonly #find;
  readonly #ofUser;
  readonly #put;
  readonly #removeOf;

  constructor(db: Database, journal: DirectoryJournal) {
    this.#journal = journal;
    this.#find = db.prepare<[string, string], Uuid>('SELECT user_id FROM identity WHERE issuer = ? AND subject = ?').pluck();
    this.#ofUser = db.prepare<[Uuid, string], 1>('SELECT 1 FROM identity WHERE user_id = ? AND issuer = ? LIMIT 1').pluck();
    this.#put = prepareWrite<[Identity]>(
      db,
      `INSERT OR REPLACE INTO identity (issuer, subject, user_id, created_at)
       VALUES (@issuer, @subject, @user_id, @created_at)`,
    );
    this.#removeOf = prepareWrite<[Uuid]>(db, 'DELETE FROM identity WHERE user_id = ?');
  }

  /** Refused with `unavailable` while a program without identities may have to read the commits. */
  requireKept(): void {}

  find(issuer: string, subject: string): Uuid | null {
    return this.#find.get(issuer, subject) ?? null;
  }

  /** Whether the user has an account at this provider. */
  has(userId: Uuid, issuer: string): boolean {
    return this.#ofUser.get(userId, issuer) !== undefined;
  }

  put(identity: Identity): void {
    this.#put(identity);
    this.#journal.note({ op: 'identity.put', identity });
  }

  removeOf(user_id: Uuid): void {
    if (this.#removeOf(user_id).changes > 0) this.#journal.note({ op: 'identity.remove', user_id });
  }
}
