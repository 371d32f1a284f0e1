/** Opens every data file: the only place that knows SQLite's settings. */
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { AppError } from '../../domain/errors.js';
import { packagePath } from '../../paths.js';
import { makeFolder } from '../folder/makeFolder.js';
import { applyMigrations } from './migrations.js';
import { createPrivately } from '../folder/privateFile.js';
import { Sqlite } from './sqlite.js';

/**
 * `full`: a commit survives a power cut. `normal`: it survives the process, but a power cut may undo the latest ones.
 */
export type Durability = 'full' | 'normal';

export interface DatabaseOptions {
  readonly durability: Durability;
  /** The folder below `schema/` with the migrations of the file. */
  readonly migrations: 'directory' | 'shard' | 'log';
  /** The file must exist: in a folder with a record, an empty file in its place would hide a loss. */
  readonly mustExist?: boolean;
}

/** SQLite's numbers for `synchronous`. */
const SYNCHRONOUS = { full: 2, normal: 1 } as const satisfies Record<Durability, number>;

/** Only a backup tool or an operator's shell shares the file, and both hold its write lock briefly. */
const BUSY_TIMEOUT_MS = 5_000;

/** Per file, and there are many: boards are read once and then stay in memory, so little is read twice. */
export const CACHE_KIB = 4_096;

/**
 * Pages in the write-ahead log after which a commit also copies them to the data file. `usual` is four times SQLite's
 * default: consecutive commits rewrite the same few pages, so a longer log folds more copies of a page into one write.
 * Copying 16 MiB takes tens of milliseconds, and the content of files has nothing to fold: it is copied `often`.
 */
const CHECKPOINT_PAGES = { never: 0, often: 1_000, usual: 4_000 } as const;

export type Checkpoints = keyof typeof CHECKPOINT_PAGES;

/** A log that one large commit extended is truncated at the next checkpoint. */
const LOG_SIZE_LIMIT_BYTES = 64 * 1024 * 1024;

/** Opens or creates the file and its folder, and migrates its schema. */
export function openDatabase(file: string, { durability, migrations, mustExist }: DatabaseOptions): Database.Database {
  if (mustExist !== true) {
    makeFolder(dirname(file));
    createPrivately(file);
  }
  const db = openFile(file, { timeout: BUSY_TIMEOUT_MS, fileMustExist: true });
  try {
    configure(db, durability);
    // Of a deleted user nothing may stay in the file. Only the directory deletes little enough for this.
    if (migrations === 'directory') set(db, 'secure_delete', 1);
    applyMigrations(db, packagePath('schema', migrations));
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** SQLite's message does not name the file. */
export function openFile(file: string, options: Database.Options): Database.Database {
  try {
    return new Sqlite(file, options);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new AppError('unavailable', `${file} cannot be opened: ${error.message}`, { cause: error });
  }
}

function configure(db: Database.Database, durability: Durability): void {
  set(db, 'journal_mode', 'wal');
  // The library is compiled to weaken `synchronous` in WAL mode, so this comes after it.
  setDurability(db, durability);
  set(db, 'foreign_keys', 1);
  set(db, 'temp_store', 2); // memory
  set(db, 'cache_size', -CACHE_KIB);
  setCheckpoints(db, 'usual');
  set(db, 'journal_size_limit', LOG_SIZE_LIMIT_BYTES);
  // A failing disk is then an error of one statement; with a memory-mapped file it would kill the process by SIGBUS.
  set(db, 'mmap_size', 0);
}

/** Of an open file, outside a transaction. */
export function setDurability(db: Database.Database, durability: Durability): void {
  set(db, 'synchronous', SYNCHRONOUS[durability]);
}

/** Of an open file: when a commit that makes the write-ahead log long also checkpoints it. */
export function setCheckpoints(db: Database.Database, checkpoints: Checkpoints): void {
  set(db, 'wal_autocheckpoint', CHECKPOINT_PAGES[checkpoints]);
}

/** Changed pages are written by a commit only. The caller bounds what a transaction changes. */
export function keepInMemory(db: Database.Database): void {
  set(db, 'cache_spill', 0);
}

/** SQLite silently ignores a pragma that it does not accept, so the value is read back. */
function set(db: Database.Database, pragma: string, value: string | number): void {
  db.pragma(`${pragma} = ${value}`);
  const actual = db.pragma(pragma, { simple: true });
  if (actual !== value) throw new Error(`${db.name}: ${pragma} is ${String(actual)} although ${value} was asked for`);
}
