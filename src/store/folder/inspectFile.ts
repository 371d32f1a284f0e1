/** Inspects the data files of a folder without changing or creating anything. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { boardKeyOf, shardOf, type Uuid } from '../../domain/ids.js';
import { currentSchema, openBesideOwner, readPlace, schemaOf, type DataFile, type ShardPlace } from './dataFolder.js';
import { readMark } from './record/folderMark.js';
import { Sqlite } from '../sqlite/sqlite.js';

/** `empty`: created and never finished, as by a start that was killed. */
export type FileState = 'missing' | 'empty' | 'unusable' | 'filled';

export interface InspectedFile extends DataFile {
  readonly state: FileState;
  /** Why it is unusable. */
  readonly problem: string;
  /** For a shard with a stored place. */
  readonly place: ShardPlace | null;
  /** The id of its folder; null if it has none. */
  readonly mark: string | null;
  /** Whether the file contains or ever contained a board. */
  readonly hadBoards: boolean;
}

export function inspectFile(folder: string, file: DataFile): InspectedFile {
  const path = join(folder, file.name);
  const nothing = { ...file, problem: '', place: null, mark: null, hadBoards: false };
  if (!existsSync(path)) return { ...nothing, state: 'missing' };
  if (!statSync(path).isFile()) return { ...nothing, state: 'unusable', problem: `${file.name} is not a file` };
  try {
    const db = openBesideOwner(path);
    try {
      db.pragma('query_only = 1');
      return { ...nothing, ...inspect(db, file) };
    } finally {
      db.close();
    }
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError)) throw error;
    return { ...nothing, state: 'unusable', problem: `${file.name} cannot be read: ${error.message}` };
  }
}

function inspect(db: Database.Database, { name, kind }: DataFile): Partial<InspectedFile> & Pick<InspectedFile, 'state'> {
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

/** Every new board adds an outbox row for its owner, and the sequence of outbox ids is kept. */
function hadBoards(shard: Database.Database): boolean {
  return (
    shard.prepare('SELECT 1 FROM board').get() !== undefined ||
    shard.prepare(`SELECT 1 FROM sqlite_sequence WHERE name = 'outbox' AND seq > 0`).get() !== undefined
  );
}

/** The shards that have a board according to the directory. */
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
