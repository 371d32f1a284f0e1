import type { Database } from 'better-sqlite3';
import { AppError } from '../../../domain/errors.js';
import type { Uuid } from '../../../domain/ids.js';
import { MAX_INVITATIONS_PER_USER, type Invitation } from '../../../domain/account/invitation.js';
import type { DirectoryJournal } from '../directoryJournal.js';
import { prepareWrite } from '../../sqlite/transaction.js';

const COLUMNS = 'id, token_hash, created_by, created_at, expires_at, max_uses, uses, board_id, role';

/** The invitations of the directory. Called within a transaction of the directory. */
export class InvitationTable {
  readonly #journal: DirectoryJournal;
  readonly #byId;
  readonly #byHash;
  readonly #byCreator;
  readonly #page;
  readonly #put;
  readonly #remove;

  constructor(db: Database, journal: DirectoryJournal) {
    this.#journal = journal;
    this.#byId = db.prepare<[Uuid], Invitation>(`SELECT ${COLUMNS} FROM invitation WHERE id = ?`);
    this.#byHash = db.prepare<[string], Invitation>(`SELECT ${COLUMNS} FROM invitation WHERE token_hash = ?`);
    this.#byCreator = db.prepare<[Uuid], Invitation>(`SELECT ${COLUMNS} FROM invitation WHERE created_by = ? ORDER BY created_at DESC, id`);
    this.#page = db.prepare<[number, number], Invitation>(`SELECT ${COLUMNS} FROM invitation ORDER BY created_at DESC, id LIMIT ? OFFSET ?`);
    this.#put = prepareWrite<[Invitation]>(
      db,
      `INSERT INTO invitation (${COLUMNS})
       VALUES (@id, @token_hash, @created_by, @created_at, @expires_at, @max_uses, @uses, @board_id, @role)
       ON CONFLICT (id) DO UPDATE SET uses = excluded.uses`,
    );
    this.#remove = prepareWrite<[Uuid]>(db, 'DELETE FROM invitation WHERE id = ?');
  }

  /**
   * Refused with `limit` if the user has too many, and with `unavailable` while an older program may have to read the
   * commit. Expired ones of the user are deleted.
   */
  create(invitation: Invitation): void {
    const own = this.#byCreator.all(invitation.created_by);
    const expired = own.filter(({ expires_at }) => expires_at <= invitation.created_at);
    for (const { id } of expired) this.remove(id);
    if (own.length - expired.length >= MAX_INVITATIONS_PER_USER) {
      throw new AppError('limit', `A user has at most ${MAX_INVITATIONS_PER_USER} invitations; revoke one first`);
    }
    this.put(invitation);
  }

  put(invitation: Invitation): void {
    this.#put(invitation);
    this.#journal.note({ op: 'invitation.put', invitation });
  }

  /** Refused with `unavailable` like `create`. */
  revoke(id: Uuid): void {
    this.remove(id);
  }

  remove(id: Uuid): void {
    if (this.#remove(id).changes > 0) this.#journal.note({ op: 'invitation.remove', id });
  }

  /** Those that this user has made. */
  removeOf(userId: Uuid): void {
    for (const { id } of this.#byCreator.all(userId)) this.remove(id);
  }

  get(id: Uuid): Invitation | null {
    return this.#byId.get(id) ?? null;
  }

  /** The latest first; of one user, or of all. */
  list(createdBy: Uuid | null, limit: number, offset: number): Invitation[] {
    return createdBy === null ? this.#page.all(limit, offset) : this.#byCreator.all(createdBy).slice(offset, offset + limit);
  }

  /** Null if it has expired; it may be used up. */
  find(tokenHash: string, now: string): Invitation | null {
    const found = this.#byHash.get(tokenHash);
    return found !== undefined && found.expires_at > now ? found : null;
  }

  /** Counts a use. Refused with `unavailable` like `create`. */
  use(invitation: Invitation): void {
    this.put({ ...invitation, uses: invitation.uses + 1 });
  }
}
