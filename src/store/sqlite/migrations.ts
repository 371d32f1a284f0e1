/**
 * Applies numbered schema files: `0001-first.sql`, `0002-….sql`. Each is applied once, in one transaction with the row
 * that records it; a released file is never edited.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { AppError } from '../../domain/errors.js';

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly file: string;
}

const FILE_NAME = /^(\d{4})-[a-z0-9-]+\.sql$/;

export function applyMigrations(db: Database, folder: string): void {
  const known = listMigrations(folder);
  db.exec(`CREATE TABLE IF NOT EXISTS schema_version (
    version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL
  ) STRICT`);
  const current = db.prepare<[], number>('SELECT coalesce(max(version), 0) FROM schema_version').pluck().get() ?? 0;
  if (current > known.length) {
    throw new AppError(
      'unavailable',
      `${db.name} was written by a newer version of this program: its schema is number ${current}, ` +
        `and this program knows ${known.length}. Start the newer program, or restore an older backup.`,
    );
  }
  if (current === known.length) return;
  const record = db.prepare('INSERT INTO schema_version (version, name, applied_at) VALUES (?, ?, ?)');
  const apply = db.transaction((migration: Migration) => {
    db.exec(readFileSync(migration.file, 'utf8'));
    record.run(migration.version, migration.name, new Date().toISOString());
  });
  for (const migration of known.slice(current)) apply.immediate(migration);
}

/** The number of the newest migration. */
export function latestVersion(folder: string): number {
  return listMigrations(folder).length;
}

/** Without their texts, which an opened file seldom needs. In order, numbered from 1 without a gap: the highest version of a file then says everything that was applied. */
function listMigrations(folder: string): Migration[] {
  return readdirSync(folder)
    .sort()
    .map((name, index) => {
      const version = Number(FILE_NAME.exec(name)?.[1]);
      if (version !== index + 1) throw new Error(`${join(folder, name)} is not migration number ${index + 1}`);
      return { version, name, file: join(folder, name) };
    });
}
