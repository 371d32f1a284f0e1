/**
 * Inspects a whole data folder before anything in it is opened, and refuses or completes it. No other code creates data
 * files.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../../domain/errors.js';
import { dataFilesAmong, lockOf, numberOf } from './dataFolder.js';
import { openDatabase } from '../sqlite/database.js';
import { findAccessFault, findWriteFault } from './folderAccess.js';
import type { InspectedFile } from './inspectFile.js';
import { isKnownFile } from './knownFiles.js';
import { writeMark } from './record/folderMark.js';
import { planFolder, type FolderPlan } from './record/folderPlan.js';
import { makeNewFiles } from './newFiles.js';
import { newRecord, readRecord, writeRecord, type FolderRecord } from './record/folderRecord.js';
import { acquireLock, type Lock } from '../sqlite/lock.js';
import { makeFolder } from './makeFolder.js';
import { claimPlace } from '../shard/openShard.js';

export interface PrepareOptions {
  readonly dataDir: string;
  /** Null for a command that needs no boards: it creates no shards and leaves their number open. */
  readonly shards: number | null;
  /** Ends the wait for another process that prepares the same folder. */
  readonly signal?: AbortSignal;
}

/** Held while a folder is inspected and completed. Instances that start together take turns. */
const FOLDER_LOCK = 'folder.lock';
const LOCK_STEP_MS = 20;
/** Creating a thousand files on a slow disk takes less. */
const LOCK_PATIENCE_MS = 60_000;

/** If something is wrong, throws with the names of the files; nothing was then created or changed. */
export async function prepareFolder({ dataDir, shards, signal }: PrepareOptions): Promise<FolderRecord> {
  makeDataFolder(dataDir);
  const fault = findWriteFault(dataDir) ?? findAccessFault(dataDir, readdirSync(dataDir).filter(isKnownFile));
  if (fault !== null) throw new AppError('unavailable', `The data folder cannot be used: ${fault}`);
  const lock = await waitForLock(join(dataDir, FOLDER_LOCK), signal);
  try {
    const record = readRecord(dataDir);
    const plan = planFolder(dataDir, dataFilesAmong(readdirSync(dataDir)), record, shards);
    if (plan.problems.length > 0) {
      throw new AppError('unavailable', `The data folder ${dataDir} cannot be used: ${plan.problems.join('; ')}`);
    }
    return await complete(dataDir, record, plan);
  } finally {
    lock.release();
  }
}

function makeDataFolder(dataDir: string): void {
  try {
    makeFolder(dataDir);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const advice = 'Create it for the user of the service, or set DATA_DIR to another folder';
    throw new AppError('unavailable', `${error.message}. ${advice}`, { cause: error });
  }
}

async function complete(dataDir: string, before: FolderRecord | null, { id, shards, files }: FolderPlan): Promise<FolderRecord> {
  await makeNewFiles(
    files.filter(({ state }) => state === 'missing'),
    { dataDir, id, shards },
  );
  const unmarked = files
    .filter(({ state, mark }) => state === 'empty' || (state === 'filled' && mark === null))
    .filter((file) => makeOurs(dataDir, file, id, shards) === 'in use')
    .map(({ name }) => name);
  const record = { ...newRecord(id), shards, files: files.map(({ name }) => name), unmarked };
  if (JSON.stringify(record) !== JSON.stringify(before)) writeRecord(dataDir, record);
  return record;
}

/** Migrates and marks an existing file. `in use`: by an older program, which ignores marks. */
function makeOurs(dataDir: string, file: InspectedFile, id: string, shards: number | null): 'done' | 'in use' {
  const path = join(dataDir, file.name);
  const lock = acquireLock(lockOf(path));
  if (lock === 'held') {
    if (file.state === 'filled') return 'in use';
    throw new AppError('unavailable', `another process is creating ${path}`);
  }
  try {
    // An empty file has no reader yet, so closing it writes everything to disk: one flush instead of one a migration.
    const durability = file.state === 'filled' ? 'full' : 'normal';
    const db = openDatabase(path, { durability, migrations: file.kind });
    try {
      if (file.kind === 'shard' && shards !== null) claimPlace(db, numberOf(file.name), shards);
      writeMark(db, file.kind, id);
      return 'done';
    } finally {
      db.close();
    }
  } finally {
    lock.release();
  }
}

async function waitForLock(file: string, signal?: AbortSignal): Promise<Lock> {
  for (const end = performance.now() + LOCK_PATIENCE_MS; ; await pause(LOCK_STEP_MS, undefined, { signal })) {
    const lock = acquireLock(file);
    if (lock !== 'held') return lock;
    if (performance.now() > end) {
      throw new AppError('unavailable', `another process has held ${file} for ${LOCK_PATIENCE_MS / 1000} seconds`);
    }
  }
}
