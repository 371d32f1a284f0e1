import type { Database } from 'better-sqlite3';
import { MAX_KEYS_PER_USER, type ApiKey, type FoundKey, type Scope, type StoredKey } from '../../../domain/account/apiKey.js';
import { AppError } from '../../../domain/errors.js';
import type { Uuid } from '../../../domain/ids.js';
import { LAST_SEEN_MS } from '../../../domain/account/session.js';
import { prepareWrite } from '../../sqlite/transaction.js';
import type { DirectoryJournal } from '../directoryJournal.js';

interface KeyRow extends Omit<StoredKey, 'scopes' | 'board_ids'> {
  readonly scopes: string;
  readonly board_ids: string | null;
}

const FIELDS = {
  id: true,
  user_id: true,
  token_hash: true,
  name: true,
  prefix: true,
  scopes: true,
  board_ids: true,
  created_at: true,
  expires_at: true,
  last_used: true,
} as const satisfies Record<keyof StoredKey, true>;

const COLUMNS = Object.keys(FIELDS).join(', ');

/** The API keys of all users. Called within a transaction of the directory. */
export class ApiKeyTable {
  readonly #journal: DirectoryJournal;
  readonly #byId;
  readonly #byHash;
  readonly #ofUser;
  readonly #idsOfUser;
  readonly #put;
  readonly #remove;
  readonly #used;

  constructor(db: Database, journal: DirectoryJournal) {
    this.#journal = journal;
    this.#byId = db.prepare<[Uuid], KeyRow>(`SELECT ${COLUMNS} FROM api_key WHERE id = ?`);
    this.#byHash = db.prepare<[string], KeyRow>(`SELECT ${COLUMNS} FROM api_key WHERE token_hash = ?`);
    this.#ofUser = db.prepare<[Uuid], KeyRow>(`SELECT ${COLUMNS} FROM api_key WHERE user_id = ? ORDER BY created_at, id`);
    this.#idsOfUser = db.prepare<[Uuid], Uuid>('SELECT id FROM api_key WHERE user_id = ? ORDER BY created_at, id').pluck();
    this.#put = prepareWrite<[KeyRow]>(
      db,
      `INSERT OR REPLACE INTO api_key (${COLUMNS})
       VALUES (@id, @user_id, @token_hash, @name, @prefix, @scopes, @board_ids, @created_at, @expires_at, @last_used)`,
    );
    this.#remove = prepareWrite<[Uuid]>(db, 'DELETE FROM api_key WHERE id = ?');
    this.#used = prepareWrite<[string, Uuid]>(db, 'UPDATE api_key SET last_used = ? WHERE id = ?');
  }

  /** Refused with `limit`. Expired keys of the user are deleted. A repeated creation changes nothing. */
  create(key: StoredKey): void {
    if (this.#byId.get(key.id) !== undefined) return;
    const own = this.#ofUser.all(key.user_id);
    const expired = own.filter(({ expires_at }) => expires_at !== null && expires_at <= key.created_at);
    this.removeAll(expired.map(({ id }) => id));
    if (own.length - expired.length >= MAX_KEYS_PER_USER) {
      throw new AppError('limit', `A user has at most ${MAX_KEYS_PER_USER} API keys; revoke one first`);
    }
    this.put(key);
  }

  /** Without regard to its expiry. */
  find(tokenHash: string): FoundKey | null {
    const row = this.#byHash.get(tokenHash);
    if (row === undefined) return null;
    const { id, user_id, scopes, board_ids, expires_at } = fromRow(row);
    return { id, user_id, scopes, board_ids, expires_at };
  }

  /** Oldest first. */
  of(userId: Uuid): ApiKey[] {
    return this.#ofUser.all(userId).map((row) => {
      const { token_hash: _secret, ...key } = fromRow(row);
      return key;
    });
  }

  idsOf(userId: Uuid): Uuid[] {
    return this.#idsOfUser.all(userId);
  }

  noteUsed(ids: readonly Uuid[], now: string): void {
    const latest = new Date(Date.parse(now) - LAST_SEEN_MS).toISOString();
    const outdated = ids.filter((id) => {
      const key = this.#byId.get(id);
      return key !== undefined && (key.last_used ?? '') <= latest;
    });
    this.setUsed(outdated, now);
  }

  put(key: StoredKey): void {
    this.#put(toRow(key));
    this.#journal.note({ op: 'key.put', key });
  }

  removeAll(ids: readonly Uuid[]): void {
    if (ids.length === 0) return;
    for (const id of ids) this.#remove(id);
    this.#journal.note({ op: 'key.remove', ids });
  }

  setUsed(ids: readonly Uuid[], at: string): void {
    if (ids.length === 0) return;
    for (const id of ids) this.#used(at, id);
    this.#journal.note({ op: 'key.used', ids, at });
  }
}

function toRow({ scopes, board_ids, ...key }: StoredKey): KeyRow {
  return { ...key, scopes: JSON.stringify(scopes), board_ids: board_ids && JSON.stringify(board_ids) };
}

function fromRow({ scopes, board_ids, ...key }: KeyRow): StoredKey {
  const boards = board_ids === null ? null : (JSON.parse(board_ids) as Uuid[]);
  return { ...key, scopes: JSON.parse(scopes) as Scope[], board_ids: boards };
}
