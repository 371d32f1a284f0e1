import type { Database } from 'better-sqlite3';
import { prepareWrite } from '../../sqlite/transaction.js';
import type { DirectoryJournal } from '../directoryJournal.js';

/** With each spent token, up to this many expired ones go. */
const SWEEP_TOKENS = 16;

/** Tokens that work once and were used. Called within a transaction of the directory. */
export class SpentTokens {
  readonly #journal: DirectoryJournal;
  readonly #find;
  readonly #expired;
  readonly #put;
  readonly #remove;

  constructor(db: Database, journal: DirectoryJournal) {
    this.#journal = journal;
    this.#find = db.prepare<[string], 1>('SELECT 1 FROM spent_token WHERE hash = ?').pluck();
    this.#expired = db
      .prepare<[string, number], string>('SELECT hash FROM spent_token WHERE expires_at <= ? ORDER BY expires_at, hash LIMIT ?')
      .pluck();
    this.#put = prepareWrite<[string, string]>(db, 'INSERT OR REPLACE INTO spent_token (hash, expires_at) VALUES (?, ?)');
    this.#remove = prepareWrite<[string]>(db, 'DELETE FROM spent_token WHERE hash = ?');
  }

  has(hash: string): boolean {
    return this.#find.get(hash) !== undefined;
  }

  /** False if it was spent before, or has expired. */
  spend(hash: string, expiresAt: string, now: string): boolean {
    if (expiresAt <= now || this.has(hash)) return false;
    this.removeAll(this.#expired.all(now, SWEEP_TOKENS));
    this.put(hash, expiresAt);
    return true;
  }

  put(hash: string, expires_at: string): void {
    this.#put(hash, expires_at);
    this.#journal.note({ op: 'token.put', hash, expires_at });
  }

  removeAll(hashes: readonly string[]): void {
    if (hashes.length === 0) return;
    for (const hash of hashes) this.#remove(hash);
    this.#journal.note({ op: 'token.remove', hashes });
  }
}
