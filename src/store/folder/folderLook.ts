/** What each data file of a folder says of itself, without changing or creating anything. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { boardKeyOf, shardOf, type Uuid } from '../../domain/ids.js';
import { currentSchema, openBesideOwner, readPlace, schemaOf, type DataFile, type Place } from './dataFolder.js';
import { readMark } from './folderMark.js';

/** `empty`: it was made and never finished, as by a start that was killed. */
export type FileState = 'missing' | 'empty' | 'unusable' | 'filled';

export interface LookedAt extends DataFile {
  readonly state: FileState;
  /** Why it is unusable. */
  readonly problem: string;
  /** Of a shard that knows it. */
  readonly place: Place | null;
  /** The folder that it belongs to; null when none has claimed it. */
  readonly mark: string | null;
  /** Whether a board is in it, or ever was. */
  readonly hadBoards: boolean;
}

export function lookAtFile(folder: string, file: DataFile): LookedAt {
  const path = join(folder, file.name);
  const nothing = { ...file, problem: '', place: null, mark: null, hadBoards: false };
  if (!existsSync(path)) return { ...nothing, state: 'missing' };
  if (!statSync(path).isFile()) return { ...nothing, state: 'unusable', problem: `${file.name} is not a file` };
  try {
    const db = openBesideOwner(path);
    try {
      db.pragma('query_only = 1');
      return { ...nothing, ...look(db, file) };
    } finally {
      db.close();
    }
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    return { ...nothing, state: 'unusable', problem: `${file.name} cannot be read: ${error.message}` };
  }
}

function look(db: Database.Database, { name, kind }: DataFile): Partial<LookedAt> & Pick<LookedAt, 'state'> {
  if (!hasTable(db, 'schema_version') || schemaOf(db) === 0) return { state: 'empty' };
  const [found, known] = [schemaOf(db), currentSchema(kind)];
  if (found > known) {
    const problem =
      `${name} was written by a newer version of this program: its schema is number ${found}, ` +
      `and this program knows ${known}. Start the newer program, or restore an older backup`;
    return { state: 'unusable', problem };
  }
  const mark = readMark(db, kind);
  if (kind === 'directory') return { state: 'filled', mark };
  const place = readPlace(name, db);
  return place === null ? { state: 'empty' } : { state: 'filled', place, mark, hadBoards: hadBoards(db) };
}

/** Every board that was ever made told the directory of its owner, and that outbox id stays. */
function hadBoards(shard: Database.Database): boolean {
  return (
    shard.prepare('SELECT 1 FROM board').get() !== undefined ||
    shard.prepare(`SELECT 1 FROM sqlite_sequence WHERE name = 'outbox' AND seq > 0`).get() !== undefined
  );
}

/** The shards, of so many, that have a board by the directory's account. */
export function shardsInDirectory(folder: string, file: DataFile, shards: number): Set<number> {
  const db = openBesideOwner(join(folder, file.name));
  try {
    db.pragma('query_only = 1');
    if (!hasTable(db, 'membership')) return new Set();
    const boards = db.prepare<[], Uuid>('SELECT DISTINCT board_id FROM membership WHERE position IS NOT NULL').pluck();
    const found = new Set<number>();
    for (const board of boards.iterate()) found.add(shardOf(boardKeyOf(board), shards));
    return found;
  } finally {
    db.close();
  }
}

function hasTable(db: Database.Database, name: string): boolean {
  return db.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`).get(name) !== undefined;
}
