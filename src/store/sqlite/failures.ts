import { AppError, NotStored } from '../../domain/errors.js';
import { Sqlite } from './sqlite.js';

const RETRY_AFTER_SECONDS = 1;

/** The disk is full, failing or busy, or the process is out of memory: the command itself is not at fault. */
const STORAGE_TROUBLE = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|CANTOPEN|READONLY|NOMEM)/;

/** Also if `notStored` has wrapped it. */
export function isStorageTrouble(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error;
  return cause instanceof Sqlite.SqliteError && STORAGE_TROUBLE.test(cause.code);
}

/** Nothing was stored, and the same request may succeed shortly. */
export function notStored(cause: unknown): NotStored {
  return new NotStored('The change could not be stored. Try again.', {
    retryAfter: RETRY_AFTER_SECONDS,
    cause,
  });
}
