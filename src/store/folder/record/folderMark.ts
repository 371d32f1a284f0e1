/** The folder id that every data file carries, as in the folder's record. */
import { dirname, basename } from 'node:path';
import type { Database } from 'better-sqlite3';
import { AppError } from '../../../domain/errors.js';
import type { FileKind } from '../dataFolder.js';
import { readRecord } from './folderRecord.js';

/** Null if the file has none, or its schema has no table for it. */
export function readMark(db: Database, kind: FileKind | 'log'): string | null {
  if (kind === 'shard') {
    const knowsMarks = db.prepare(`SELECT 1 FROM pragma_table_info('place') WHERE name = 'folder'`).get();
    if (knowsMarks === undefined) return null;
    return db.prepare<[], string | null>('SELECT folder FROM place').pluck().get() ?? null;
  }
  const knowsMarks = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'folder_mark'`).get();
  if (knowsMarks === undefined) return null;
  return db.prepare<[], string>('SELECT folder FROM folder_mark').pluck().get() ?? null;
}

/** The file has the current schema; a shard's file has its place. */
export function writeMark(db: Database, kind: FileKind | 'log', folder: string): void {
  if (kind === 'shard') db.prepare('UPDATE place SET folder = ?').run(folder);
  else db.prepare('INSERT INTO folder_mark VALUES (1, ?) ON CONFLICT DO UPDATE SET folder = excluded.folder').run(folder);
}

/** Called by the owner of the file when it opens it. */
export function requireMark(db: Database, kind: FileKind, folder: string): void {
  const mark = readMark(db, kind);
  if (mark === folder) return;
  if (mark === null && readRecord(dirname(db.name))?.unmarked.includes(basename(db.name))) {
    return writeMark(db, kind, folder);
  }
  throw new AppError('unavailable', `${db.name} ${foreignMark(mark)}`);
}

export function foreignMark(mark: string | null): string {
  return mark === null
    ? 'does not have the mark of this folder. If it was restored from a copy of this folder, remove folder.json, ' +
        'run backup on the result and restore that'
    : `belongs to another data folder (${mark})`;
}
