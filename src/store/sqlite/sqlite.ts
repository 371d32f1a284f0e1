/**
 * better-sqlite3, in the version that this Node can run: 13 crashes Node 20, and 12 ends a process under Node 24.19 or later
 * whenever one of its objects is collected as garbage.
 */
import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';

/** `process.versions.modules` of Node 24. */
const NODE_24 = 137;

const isLater = Number(process.versions.modules) >= NODE_24;

/** The package, below `node_modules`. */
export const SQLITE_PACKAGE = isLater ? 'better-sqlite3-13' : 'better-sqlite3';

export const Sqlite = load();

function load(): typeof BetterSqlite3 {
  try {
    return createRequire(import.meta.url)(SQLITE_PACKAGE) as typeof BetterSqlite3;
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'MODULE_NOT_FOUND') throw error;
    // npm leaves an optional package out when it is told to.
    throw new Error(`${SQLITE_PACKAGE} is not installed, and Node ${process.versions.node} needs it: run npm ci without --omit=optional`, {
      cause: error,
    });
  }
}
