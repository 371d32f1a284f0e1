/** Checks a data file by itself: SQLite's integrity check, and whether this program knows its schema. */
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { currentSchema, openBesideOwner, readPlace, schemaOf, type DataFile, type ShardPlace } from '../folder/dataFolder.js';
import { readMark } from '../folder/record/folderMark.js';
import { readLogPosition } from '../sqlite/logPosition.js';
import { Sqlite } from '../sqlite/sqlite.js';

export interface FileReport {
  readonly name: string;
  readonly problems: readonly string[];
  /** Null if it cannot be read, and for the directory, which has none. */
  readonly place: ShardPlace | null;
  /** The id of its folder; null if it has none. */
  readonly mark: string | null;
  readonly schema: 'current' | 'older' | 'unusable';
  /** It follows a replicated log, independently of the other files. */
  readonly isReplica: boolean;
}

export function inspect(folder: string, file: DataFile): FileReport {
  try {
    const db = openBesideOwner(join(folder, file.name));
    try {
      db.pragma('query_only = 1');
      return reportOn(db, file);
    } finally {
      db.close();
    }
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError)) throw error;
    return unusable(file.name, `${file.name} cannot be read: ${error.message}`);
  }
}

function reportOn(db: Database.Database, { name, kind }: DataFile): FileReport {
  const faults = (db.pragma('integrity_check') as { integrity_check: string }[]).filter(({ integrity_check }) => integrity_check !== 'ok');
  if (faults.length > 0) return unusable(name, ...faults.map(({ integrity_check }) => `${name}: ${integrity_check}`));
  const [found, known] = [schemaOf(db), currentSchema(kind)];
  if (found > known) {
    return unusable(name, `${name} has schema ${found}, of a newer program; this one knows schema ${known}`);
  }
  const place = kind === 'shard' ? readPlace(name, db) : null;
  const problems = kind === 'shard' && place === null ? [`${name} has no shard number`] : [];
  const mark = readMark(db, kind);
  if (found < known) return { name, problems, place, mark, schema: 'older', isReplica: false };
  return { name, problems, place, mark, schema: 'current', isReplica: readLogPosition(db) !== null };
}

function unusable(name: string, ...problems: readonly string[]): FileReport {
  return { name, problems, place: null, mark: null, schema: 'unusable', isReplica: false };
}
