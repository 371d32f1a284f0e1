import type { Database, RunResult, Statement } from 'better-sqlite3';
import { isStorageTrouble, notStored } from './failures.js';

/**
 * Takes the write lock at once: a lock taken after a first read is refused for good if a backup tool wrote meanwhile.
 */
export function begin(db: Database): void {
  db.exec('BEGIN IMMEDIATE');
}

/** If this throws nothing is stored, and `rollback` must follow. */
export function commit(db: Database): void {
  db.exec('COMMIT');
}

/** For use after any failure: after some of them SQLite has already rolled back. */
export function rollback(db: Database): void {
  if (db.inTransaction) db.exec('ROLLBACK');
}

/**
 * A statement that runs only inside a transaction: outside one, or after SQLite ended it because of a failure, a write
 * would silently be a commit of its own. Storage failures are thrown as `unavailable`. Prepared when first used, as reads are.
 */
export function prepareWrite<Params extends unknown[]>(db: Database, sql: string): (...params: Params) => RunResult {
  let statement: Statement | null = null;
  return (...params) => {
    if (!db.inTransaction) throw new Error(`${db.name}: a write outside a transaction`);
    try {
      return (statement ??= db.prepare<unknown[]>(sql)).run(...params);
    } catch (error) {
      throw isStorageTrouble(error) ? notStored(error) : error;
    }
  };
}

/** Inside a transaction: writes a page although no data changes. SQLite does not write a row that stays the same. */
export function prepareProbe(db: Database): () => void {
  const write = prepareWrite<[]>(db, 'UPDATE probe SET count = count + 1');
  return () => void write();
}
