import type { Database } from 'better-sqlite3';
import type { Uuid } from '../../../domain/ids.js';
import type { DeletedUser } from '../../../domain/ports/directoryCommit.js';
import type { DirectoryJournal } from '../directoryJournal.js';
import { prepareWrite } from '../../sqlite/transaction.js';

const COLUMNS = 'id, heir_id, deleted_at, email_key, username_key';

/** Users who were deleted. Called within a transaction of the directory. */
export class DeletedUsers {
  readonly #journal: DirectoryJournal;
  readonly #byId;
  readonly #byEmail;
  readonly #byUsername;
  readonly #put;

  constructor(db: Database, journal: DirectoryJournal) {
    this.#journal = journal;
    this.#byId = db.prepare<[Uuid], DeletedUser>(`SELECT ${COLUMNS} FROM deleted_user WHERE id = ?`);
    this.#byEmail = db.prepare<[string], DeletedUser>(`SELECT ${COLUMNS} FROM deleted_user WHERE email_key = ? ORDER BY deleted_at DESC`);
    this.#byUsername = db.prepare<[string], DeletedUser>(`SELECT ${COLUMNS} FROM deleted_user WHERE username_key = ? ORDER BY deleted_at DESC`);
    this.#put = prepareWrite<[DeletedUser]>(
      db,
      `INSERT OR REPLACE INTO deleted_user (${COLUMNS}) VALUES (@id, @heir_id, @deleted_at, @email_key, @username_key)`,
    );
  }

  /** Refused with `unavailable` while an older program may have to read the commits. */
  requireKept(): void {}

  get(id: Uuid): DeletedUser | null {
    return this.#byId.get(id) ?? null;
  }

  /** By a folded e-mail address or one of the folded forms of a username. */
  find(emailKey: string, usernameKeys: readonly string[]): DeletedUser | null {
    const byEmail = this.#byEmail.get(emailKey);
    if (byEmail !== undefined) return byEmail;
    for (const key of usernameKeys) {
      const found = this.#byUsername.get(key);
      if (found !== undefined) return found;
    }
    return null;
  }

  put(deleted: DeletedUser): void {
    this.#put(deleted);
    this.#journal.note({ op: 'deleted.put', deleted });
  }

  /** All boards were visited. */
  forgetNames(id: Uuid): void {
    const deleted = this.get(id);
    if (deleted === null || (deleted.email_key === null && deleted.username_key === null)) return;
    this.put({ ...deleted, email_key: null, username_key: null });
  }
}
