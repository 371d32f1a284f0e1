import type { Database } from 'better-sqlite3';
import type { DirectoryCommands } from '../../../domain/commands/directoryCommands.js';
import type { Uuid } from '../../../domain/ids.js';
import { LAST_SEEN_MS, MAX_SESSIONS_PER_USER, ROTATION_GRACE_MS, type LiveSession, type Session } from '../../../domain/account/session.js';
import type { DirectoryJournal } from '../directoryJournal.js';
import { prepareWrite } from '../../sqlite/transaction.js';

type NewSession = Omit<DirectoryCommands['session.create']['input'], 'revoked_at'>;

/** With each new session, up to this many expired ones go. */
const SWEEP_SESSIONS = 16;

const FIELDS = {
  id: true,
  user_id: true,
  generation: true,
  device: true,
  address: true,
  created_at: true,
  refreshed_at: true,
  last_seen: true,
  expires_at: true,
} as const satisfies Record<keyof Session, true>;

const COLUMNS = Object.keys(FIELDS).join(', ');

/** What a refresh token led to. */
export type Refreshing =
  | { readonly kind: 'renewed' | 'repeated'; readonly session: Session }
  /** The token was used before: somebody else may have it. */
  | { readonly kind: 'reused'; readonly session: Session }
  | { readonly kind: 'unknown' };

/** The sessions of all users. Called within a transaction of the directory. */
export class SessionTable {
  readonly #journal: DirectoryJournal;
  readonly #byId;
  readonly #ofUser;
  readonly #expired;
  readonly #put;
  readonly #remove;
  readonly #seen;

  constructor(db: Database, journal: DirectoryJournal) {
    this.#journal = journal;
    this.#byId = db.prepare<[Uuid], Session>(`SELECT ${COLUMNS} FROM session WHERE id = ?`);
    this.#ofUser = db.prepare<[Uuid], Session>(`SELECT ${COLUMNS} FROM session WHERE user_id = ? ORDER BY created_at, id`);
    this.#expired = db.prepare<[string, number], Uuid>('SELECT id FROM session WHERE expires_at <= ? ORDER BY expires_at, id LIMIT ?').pluck();
    this.#put = prepareWrite<[Session]>(
      db,
      `INSERT OR REPLACE INTO session (${COLUMNS})
       VALUES (@id, @user_id, @generation, @device, @address, @created_at, @refreshed_at, @last_seen, @expires_at)`,
    );
    this.#remove = prepareWrite<[Uuid]>(db, 'DELETE FROM session WHERE id = ?');
    this.#seen = prepareWrite<[string, Uuid]>(db, 'UPDATE session SET last_seen = ? WHERE id = ?');
  }

  /** Returns the sessions that end because there are too many. A repeated creation changes nothing. */
  create({ now, ...fields }: NewSession): Uuid[] {
    if (this.get(fields.id) !== null) return [];
    this.removeAll(this.#expired.all(now, SWEEP_SESSIONS));
    const others = this.of(fields.user_id);
    const ended = others.slice(0, Math.max(0, others.length + 1 - MAX_SESSIONS_PER_USER)).map(({ id }) => id);
    this.removeAll(ended);
    this.put({ ...fields, generation: 1, created_at: now, refreshed_at: now, last_seen: now });
    return ended;
  }

  /**
   * The current refresh token is replaced. A generation after the current one is one that a restored file has
   * forgotten.
   */
  refresh(id: Uuid, generation: number, now: string): Refreshing {
    const session = this.get(id);
    if (session === null || session.expires_at <= now) return { kind: 'unknown' };
    if (generation >= session.generation) {
      const renewed = { ...session, generation: generation + 1, refreshed_at: now, last_seen: now };
      this.put(renewed);
      return { kind: 'renewed', session: renewed };
    }
    const isRecent = Date.parse(now) - Date.parse(session.refreshed_at) <= ROTATION_GRACE_MS;
    if (generation === session.generation - 1 && isRecent) return { kind: 'repeated', session };
    this.removeAll([id]);
    return { kind: 'reused', session };
  }

  get(id: Uuid): Session | null {
    return this.#byId.get(id) ?? null;
  }

  /** Oldest first, without regard to their expiry. */
  of(userId: Uuid): Session[] {
    return this.#ofUser.all(userId);
  }

  liveOf(userId: Uuid): LiveSession[] {
    return this.of(userId).map(({ id, refreshed_at, expires_at }) => ({ id, refreshed_at, expires_at }));
  }

  /** Of the sessions that the user has. Returns the ids of those that ended. */
  end(userId: Uuid, isMeant: (id: Uuid) => boolean): Uuid[] {
    const ids = this.of(userId).flatMap(({ id }) => (isMeant(id) ? [id] : []));
    this.removeAll(ids);
    return ids;
  }

  noteSeen(ids: readonly Uuid[], now: string): void {
    const latest = new Date(Date.parse(now) - LAST_SEEN_MS).toISOString();
    this.setSeen(
      ids.filter((id) => (this.get(id)?.last_seen ?? now) <= latest),
      now,
    );
  }

  put(session: Session): void {
    this.#put(session);
    this.#journal.note({ op: 'session.put', session });
  }

  removeAll(ids: readonly Uuid[]): void {
    if (ids.length === 0) return;
    for (const id of ids) this.#remove(id);
    this.#journal.note({ op: 'session.remove', ids });
  }

  setSeen(ids: readonly Uuid[], at: string): void {
    if (ids.length === 0) return;
    for (const id of ids) this.#seen(at, id);
    this.#journal.note({ op: 'session.seen', ids, at });
  }
}
