/**
 * One owner for each data file. The lock is the operating system's, taken through SQLite on a separate file, so the
 * kernel releases it however the process ends, and no stale lock survives a crash. The data file itself stays unlocked:
 * backup tools read it beside us.
 */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError, NotStored } from '../../domain/errors.js';
import { openFile } from './database.js';
import { makeFolder } from '../folder/makeFolder.js';
import { createPrivately } from '../folder/privateFile.js';
import { Sqlite } from './sqlite.js';

export interface Lock {
  /** False if the file was removed or replaced: another process may hold the lock on the new one. */
  isHeld(): boolean;
  release(): void;
}

/** For a file that has no other user, such as a copy. */
export const NO_LOCK: Lock = { isHeld: () => true, release: () => undefined };

/**
 * The lock file must never be opened by other means in this process: POSIX drops all locks of a process on a file when
 * any of its descriptors of that file is closed. SQLite knows this and shares one descriptor between its connections,
 * so a second `acquireLock`, from any thread, is safe.
 */
export function acquireLock(file: string): Lock | 'held' {
  makeFolder(dirname(file));
  // Before SQLite creates it with the modes of the umask. Opens no file that exists, see above.
  createPrivately(file);
  const db = openFile(file, { timeout: 0 });
  try {
    // In the default rollback-journal mode an exclusive transaction is an exclusive file lock. Nothing is written.
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if (error instanceof Sqlite.SqliteError && error.code === 'SQLITE_BUSY') return 'held';
    throw new AppError('unavailable', `${file} cannot be locked: ${String(error)}`, { cause: error });
  }
  const own = identityOf(file);
  return { isHeld: () => identityOf(file) === own, release: () => void db.close() };
}

/**
 * Called at the beginning of every transaction: without its lock a file may have another owner and must not be written.
 * Inside the transaction, because every owner writes to the file when it opens it: while this transaction is open no
 * other process can, so the result holds until the commit, even if the process is frozen in between.
 */
export function requireLock(lock: Lock, file: string): void {
  if (!lock.isHeld()) {
    throw new NotStored(`The lock of ${file} was removed. Restart the service.`, { retryAfter: 1 });
  }
}

/** Inspected without opening the file, see above. */
function identityOf(file: string): string | null {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? null : `${stats.dev} ${stats.ino}`;
}
