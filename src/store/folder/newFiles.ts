/**
 * Creates missing data files. The tables of a kind are made once, in memory, and each file is a copy with its own place
 * and mark: sixteen shards cost one run of the migrations and one flush each. A file gets its name when it is whole on
 * disk, so a start that is killed leaves no part of a data file under its name.
 */
import { closeSync, fsync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AppError } from '../../domain/errors.js';
import { packagePath } from '../../paths.js';
import { claimPlace } from '../shard/openShard.js';
import { acquireLock, type Lock } from '../sqlite/lock.js';
import { applyMigrations } from '../sqlite/migrations.js';
import { lockOf, numberOf, type DataFile, type FileKind } from './dataFolder.js';
import { writeMark } from './record/folderMark.js';
import { makePrivate, PRIVATE_FILE } from './privateFile.js';
import { unfinishedFile } from './snapshotFiles.js';
import { Sqlite } from '../sqlite/sqlite.js';

export interface NewFilesOptions {
  readonly dataDir: string;
  /** The id of the folder. */
  readonly id: string;
  readonly shards: number | null;
}

/** The file format versions for writing and reading in the header of an SQLite file; with 2 it has a write-ahead log. */
const VERSIONS_AT = [18, 19];
const WITH_WAL = 2;

/** Open at once, with their locks; a folder may have a thousand shards. */
const FILES_AT_ONCE = 16;

const flush = promisify(fsync);

interface Unfinished {
  readonly path: string;
  readonly lock: Lock;
  readonly descriptor: number;
}

export async function makeNewFiles(files: readonly DataFile[], options: NewFilesOptions): Promise<void> {
  const templates = new Map<FileKind, Buffer>();
  for (const { kind } of files) if (!templates.has(kind)) templates.set(kind, makeTemplate(kind));
  for (let from = 0; from < files.length; from += FILES_AT_ONCE) {
    await makeTogether(files.slice(from, from + FILES_AT_ONCE), templates, options);
  }
}

/** The flushes of one group overlap, so that the file system commits once for several files. */
async function makeTogether(files: readonly DataFile[], templates: ReadonlyMap<FileKind, Buffer>, options: NewFilesOptions): Promise<void> {
  const unfinished: Unfinished[] = [];
  try {
    for (const file of files) unfinished.push(begin(file, fill(file, templates.get(file.kind), options), options.dataDir));
    const flushed = await Promise.allSettled(unfinished.map(({ descriptor }) => flush(descriptor)));
    for (const result of flushed) if (result.status === 'rejected') throw result.reason;
    for (const { path } of unfinished) renameSync(unfinishedFile(path), path);
  } finally {
    for (const { path, descriptor, lock } of unfinished) {
      closeSync(descriptor);
      // After a failure: a full disk should not stay full of them.
      rmSync(unfinishedFile(path), { force: true });
      lock.release();
    }
  }
}

function begin({ name }: DataFile, bytes: Buffer, dataDir: string): Unfinished {
  const path = join(dataDir, name);
  const lock = acquireLock(lockOf(path));
  if (lock === 'held') throw new AppError('unavailable', `another process is creating ${path}`);
  try {
    const draft = unfinishedFile(path);
    // Of a start that was killed.
    rmSync(draft, { force: true });
    const descriptor = openSync(draft, 'wx', PRIVATE_FILE);
    try {
      makePrivate(draft);
      writeFileSync(descriptor, bytes);
      return { path, lock, descriptor };
    } catch (error) {
      closeSync(descriptor);
      rmSync(draft, { force: true });
      throw error;
    }
  } catch (error) {
    lock.release();
    throw error;
  }
}

function makeTemplate(kind: FileKind): Buffer {
  const db = new Sqlite(':memory:');
  try {
    applyMigrations(db, packagePath('schema', kind));
    return db.serialize();
  } finally {
    db.close();
  }
}

function fill({ name, kind }: DataFile, template: Buffer | undefined, { id, shards }: NewFilesOptions): Buffer {
  const db = new Sqlite(template);
  try {
    if (kind === 'shard' && shards !== null) claimPlace(db, numberOf(name), shards);
    writeMark(db, kind, id);
    const bytes = db.serialize();
    // A database in memory has no write-ahead log; the file is opened with one, and would be rewritten for it.
    for (const at of VERSIONS_AT) bytes[at] = WITH_WAL;
    return bytes;
  } finally {
    db.close();
  }
}
