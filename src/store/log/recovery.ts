/** Brings a shard's file up to date with the logs of the folder, after a process ended without closing it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { AppError } from '../../domain/errors.js';
import type { ShardCommit } from '../../domain/ports/shardCommit.js';
import { lockOf, openBesideOwner } from '../folder/dataFolder.js';
import { foreignMark, readMark } from '../folder/record/folderMark.js';
import { acquireLock } from '../sqlite/lock.js';
import { listLogs, removeLog } from './logFiles.js';
import { commitIn, hasRecords, recordsAfter, type LogRecord } from './logRecords.js';

export interface FollowingFile {
  readonly number: number;
  readonly history: string;
  /** In one transaction. */
  applyAll(commits: Iterable<ShardCommit>): void;
}

export interface RecoveryOptions {
  readonly dataDir: string;
  /** The id of the folder, which a log must carry; null to take any. */
  readonly folder: string | null;
  readonly shard: number;
}

/**
 * The caller owns the shard's file. Throws, with the name of the log, if a commit is missing or damaged: going on without
 * it would lose acknowledged changes.
 */
export function applyLogs(file: FollowingFile, { dataDir, folder, shard }: RecoveryOptions): void {
  const records = missingRecords(dataDir, listLogs(dataDir), folder, shard, file);
  if (records.length > 0) file.applyAll(records.map(commitIn));
}

/** The shard's file has everything up to this number on disk. Logs of threads that run are left alone. */
export function dropFlushed({ dataDir, shard }: RecoveryOptions, number: number): void {
  for (const name of listLogs(dataDir)) dropFromLog(dataDir, name, shard, number);
}

/** The records that the file lacks, in order and without a gap. */
export function missingRecords(
  dataDir: string,
  logs: readonly string[],
  folder: string | null,
  shard: number,
  file: Pick<FollowingFile, 'number' | 'history'>,
): LogRecord[] {
  const records = logs
    .flatMap((name) => readLog(dataDir, name, folder, (db) => recordsAfter(db, shard, file.number)))
    .sort((a, b) => a.number - b.number);
  for (const [index, { log, number, history }] of records.entries()) {
    const expected = file.number + 1 + index;
    if (number < expected) {
      throw new AppError('unavailable', `${log} has commit ${number} of shard ${shard}, which another log has too`);
    }
    if (number !== expected) {
      throw new AppError('unavailable', `${log} has commit ${number} of shard ${shard}, and commit ${expected} is missing`);
    }
    if (history !== file.history) {
      throw new AppError('unavailable', `${log} has commits of shard ${shard} from before it was restored. Move the log away to go on without them`);
    }
  }
  return records;
}

/** Another process may remove the log meanwhile: then every shard's file is flushed. */
function readLog(dataDir: string, name: string, folder: string | null, read: (db: Database) => LogRecord[]): LogRecord[] {
  const file = join(dataDir, name);
  if (!existsSync(file)) return [];
  let db: Database | null = null;
  try {
    db = openBesideOwner(file);
    if (!hasRecords(db)) return [];
    const mark = readMark(db, 'log');
    if (folder !== null && mark !== null && mark !== folder) throw new AppError('unavailable', `${file} ${foreignMark(mark)}`);
    return read(db);
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (!existsSync(file)) return [];
    throw new AppError('unavailable', `${file} cannot be read: ${String(error)}`, { cause: error });
  } finally {
    db?.close();
    // SQLite makes the files beside it again.
    if (!existsSync(file)) removeLog(dataDir, name);
  }
}

/** Removes what the shard's file has on disk from the log of a process that ended, and the log when nothing is left. */
function dropFromLog(dataDir: string, name: string, shard: number, number: number): void {
  const file = join(dataDir, name);
  if (!existsSync(file)) return;
  try {
    const lock = acquireLock(lockOf(file));
    if (lock === 'held') return;
    try {
      if (isEmptyWithout(file, shard, number)) removeLog(dataDir, name);
    } finally {
      lock.release();
    }
  } catch (error) {
    if (existsSync(file)) throw error;
    // Another process removed it first. Names are used once: what opening it made again has no other user.
    removeLog(dataDir, name);
  }
}

function isEmptyWithout(file: string, shard: number, number: number): boolean {
  const db = openBesideOwner(file);
  try {
    if (!hasRecords(db)) return true;
    db.prepare<[number, number]>('DELETE FROM record WHERE shard = ? AND number <= ?').run(shard, number);
    return db.prepare('SELECT 1 FROM record LIMIT 1').get() === undefined;
  } finally {
    db.close();
  }
}
