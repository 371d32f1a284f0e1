/** How every data file is opened: the only place that knows SQLite's settings. */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { packagePath } from '../paths.js';
import { applyMigrations } from './migrations.js';

/** `full`: a commit survives a power cut. `normal`: it survives the process, but a power cut may undo the last ones. */
export type Durability = 'full' | 'normal';

export interface DatabaseOptions {
  readonly durability: Durability;
  /** The folder below `schema/` whose migrations the file follows. */
  readonly migrations: 'directory' | 'shard';
}

/** As SQLite numbers its levels of `synchronous`. */
const SYNCHRONOUS = { full: 2, normal: 1 } as const satisfies Record<Durability, number>;

/** Only a backup tool or an operator's shell shares the file, and both hold its write lock for moments. */
const BUSY_TIMEOUT_MS = 5_000;

/** Per file, and there are many: boards are read once and then live in memory, so little is ever read twice. */
const CACHE_KIB = 8_192;

/**
 * Four times SQLite's default. Consecutive commits rewrite the same few pages, so a longer log folds more copies of a
 * page into one write to the data file. 16 MiB still copies in tens of milliseconds, inside some unlucky commit.
 */
const CHECKPOINT_PAGES = 4_000;

/** A log that one large commit blew up gives its space back at the next checkpoint. */
const LOG_SIZE_LIMIT_BYTES = 64 * 1024 * 1024;

/** Opens or creates the file, its folder included, and brings its schema up to date. */
export function openDatabase(file: string, { durability, migrations }: DatabaseOptions): Database.Database {
  createPrivately(file);
  const db = new Database(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    configure(db, durability);
    applyMigrations(db, packagePath('schema', migrations));
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Password hashes are for the owner of the process alone; SQLite gives its side files the mode of the data file. */
function createPrivately(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

function configure(db: Database.Database, durability: Durability): void {
  set(db, 'journal_mode', 'wal');
  // The library is compiled to weaken `synchronous` as soon as a file is in WAL mode, so this comes after it.
  set(db, 'synchronous', SYNCHRONOUS[durability]);
  set(db, 'foreign_keys', 1);
  set(db, 'temp_store', 2); // memory
  set(db, 'cache_size', -CACHE_KIB);
  set(db, 'wal_autocheckpoint', CHECKPOINT_PAGES);
  set(db, 'journal_size_limit', LOG_SIZE_LIMIT_BYTES);
  // A failing disk then is an error of one statement, where a memory-mapped file would kill the process by SIGBUS.
  set(db, 'mmap_size', 0);
}

/** SQLite ignores what it does not like about a pragma in silence, hence the look afterwards. */
function set(db: Database.Database, pragma: string, value: string | number): void {
  db.pragma(`${pragma} = ${value}`);
  const actual = db.pragma(pragma, { simple: true });
  if (actual !== value) throw new Error(`${db.name}: ${pragma} is ${String(actual)} although ${value} was asked for`);
}
