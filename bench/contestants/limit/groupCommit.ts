/** The minimum cost of a durable write: one prepared insert each, one commit for all that arrived together. */
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { Sqlite } from '../../../src/store/sqlite/sqlite.js';

interface Waiting {
  readonly path: string;
  readonly body: string;
  readonly done: () => void;
}

/**
 * Runs in the thread of the sockets. On two cores, one of them busy with the load, it wrote 43,000 to 59,000 rows a
 * second; in a separate thread with batches sent to it, 33,000 to 43,000.
 */
export class GroupCommit {
  readonly #db: Database.Database;
  readonly #insert: Database.Statement<[string, string]>;
  #waiting: Waiting[] = [];

  constructor(folder: string) {
    this.#db = new Sqlite(join(folder, 'limit.sqlite'));
    this.#db.pragma('journal_mode = wal');
    this.#db.pragma('synchronous = full');
    this.#db.exec('CREATE TABLE entry (id INTEGER PRIMARY KEY, path TEXT NOT NULL, body TEXT NOT NULL) STRICT');
    this.#insert = this.#db.prepare('INSERT INTO entry (path, body) VALUES (?, ?)');
  }

  /** `done` is called when the row is on disk. */
  add(path: string, body: string, done: () => void): void {
    if (this.#waiting.push({ path, body, done }) === 1) setImmediate(() => this.#flush());
  }

  close(): void {
    this.#db.close();
  }

  #flush(): void {
    const batch = this.#waiting;
    this.#waiting = [];
    this.#db.exec('BEGIN IMMEDIATE');
    for (const { path, body } of batch) this.#insert.run(path, body);
    this.#db.exec('COMMIT');
    for (const { done } of batch) done();
  }
}
