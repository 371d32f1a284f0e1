import type { Database } from 'better-sqlite3';
import type { WrittenSchema } from '../../sqlite/writtenSchema.js';
import { prepareWrite } from '../../sqlite/transaction.js';
import type { DirectoryJournal } from '../directoryJournal.js';

/** The first schema with spent tokens. */
const SCHEMA = 13;
/** With each spent token, up to this many expired ones go. */
const SWEEP_TOKENS = 16;

/** Tokens that work once and were used. Called within a transaction of the directory. */
export class SpentTokens {
  readonly #journal: DirectoryJournal;
  readonly #written: WrittenSchema;
  readonly #find;
  readonly #expired;
  readonly #put;
  readonly #remove;

  constructor(db: Database, journal: DirectoryJournal, written: WrittenSchema) {
    this.#journal = journal;
    this.#written = written;
    this.#find = db.prepare<[string], 1>('SELECT 1 FROM spent_token WHERE hash = ?').pluck();
    this.#expired = db
      .prepare<[string, number], string>('SELECT hash FROM spent_token WHERE expires_at <= ? ORDER BY expires_at, hash LIMIT ?')
      .pluck();
    this.#put = prepareWrite<[string, string]>(db, 'INSERT OR REPLACE INTO spent_token (hash, expires_at) VALUES (?, ?)');
    this.#remove = prepareWrite<[string]>(db, 'DELETE FROM spent_token WHERE hash = ?');
  }

  /** False while a program without spent tokens may have to read the commits. */
  get isKept(): boolean {
    return this.#written.has(SCHEMA);
  }

  has(hash: string): boolean {
    return this.#find.get(hash) !== undefined;
  }

  /** False if it was spent before, or has expired. */
  spend(hash: string, expiresAt: string, now: string): boolean {
    this.#written.require(SCHEMA);
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
