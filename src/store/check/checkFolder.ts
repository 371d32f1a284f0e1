/** Checks whether a data folder or a backup is sound. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { AppError, InUse } from '../../domain/errors.js';
import { findManifestProblems, readManifest } from '../backup/backupManifest.js';
import { lookAt, type FileLook } from './checkFile.js';
import { findMembershipProblems, type OpenShard } from './checkMemberships.js';
import { ShardCheck } from './checkShard.js';
import { DIRECTORY_FILE, findPlaceProblems, lockOf, openBesideOwner, type DataFile } from '../folder/dataFolder.js';
import { findMarkProblems, findMissing, findStrangers, listOwnFiles } from '../folder/folderFiles.js';
import { readRecord } from '../folder/folderRecord.js';
import { FolderLogs } from '../log/folderLogs.js';
import { acquireLock, type Lock } from '../sqlite/lock.js';

export interface FolderReport {
  readonly problems: readonly string[];
  /** Files that could not be inspected or are not ours, although nothing is known to be wrong. */
  readonly notes: readonly string[];
  readonly files: number;
  readonly boards: number;
}

/** Throws `InUse` if a service runs on the folder: its next write would look like damage. */
export async function checkFolder(folder: string): Promise<FolderReport> {
  const record = readRecord(folder);
  const files = await listOwnFiles(folder, record);
  if (record === null && !files.some(({ kind }) => kind === 'directory')) {
    throw new AppError('not_found', `There is no data in ${folder}: it has no ${DIRECTORY_FILE}`);
  }
  const locks = lockAll(folder, files);
  try {
    const manifest = await readManifest(folder);
    const altered = manifest === null ? [] : await findManifestProblems(folder, manifest);
    const looks = files.map((file) => ({ file, look: lookAt(folder, file) }));
    const places = looks.flatMap(({ look }) => look.place ?? []);
    const missing = findMissing(record, files);
    const apart = [
      ...altered,
      ...missing,
      ...looks.flatMap(({ look }) => look.problems),
      // A missing or unreadable file has no place, and is already a problem.
      ...(isComplete(missing, looks) ? findPlaceProblems(places) : []),
      ...findMarkProblems(record, looks.filter(({ look }) => look.schema === 'current').map(({ look }) => look)),
    ];
    const older = looks.filter(({ look }) => look.schema === 'older').map(({ file }) => noteOfAge(file));
    const notes = [...older, ...(await findStrangers(folder, files))];
    const readable = looks.filter(({ look }) => look.schema === 'current');
    const logs = new FolderLogs(folder, record?.id ?? null);
    const { problems, boards } = checkContent(folder, readable, logs, apart.length === 0 && older.length === 0);
    return { problems: [...apart, ...problems], notes, files: files.length, boards };
  } finally {
    for (const lock of locks) lock.release();
  }
}

function isComplete(missing: readonly string[], looks: readonly { readonly look: FileLook }[]): boolean {
  return missing.length === 0 && looks.every(({ look }) => look.schema !== 'unusable');
}

/** `whole`: all files can be compared with each other. */
function checkContent(
  folder: string,
  files: readonly { readonly file: DataFile; readonly look: FileLook }[],
  logs: FolderLogs,
  whole: boolean,
): { problems: string[]; boards: number } {
  const problems: string[] = [];
  const opened: Database[] = [];
  const open = (name: string): Database => {
    const db = openBesideOwner(join(folder, name));
    opened.push(db);
    return db;
  };
  let boards = 0;
  try {
    const shards: OpenShard[] = [];
    for (const { look } of files) {
      if (look.place === null) continue;
      const shard = { place: look.place, db: open(look.place.name) };
      problems.push(...logs.preview(shard.db, shard.place.shard));
      shard.db.pragma('query_only = 1');
      const check = new ShardCheck(shard.db, shard.place);
      problems.push(...check.findProblems());
      boards += check.boardKeys.length;
      shards.push(shard);
    }
    if (whole) {
      const directory = open(DIRECTORY_FILE);
      directory.pragma('query_only = 1');
      problems.push(...findMembershipProblems(directory, shards));
    }
    return { problems, boards };
  } finally {
    for (const db of opened) db.close();
  }
}

/**
 * Prevents the start of a service meanwhile. A file without a lock file was never in use, such as one of a backup, and
 * gets none.
 */
function lockAll(folder: string, files: readonly DataFile[]): Lock[] {
  const locks: Lock[] = [];
  for (const { name } of files) {
    const file = lockOf(join(folder, name));
    if (!existsSync(file)) continue;
    const lock = acquireLock(file);
    if (lock !== 'held') {
      locks.push(lock);
      continue;
    }
    for (const taken of locks) taken.release();
    throw new InUse(`The data in ${folder} is in use by a running service`);
  }
  return locks;
}

function noteOfAge({ name }: DataFile): string {
  const fate = 'and gets the current one when the service starts. What is in it was not looked at.';
  return `${name} has the schema of an older program, ${fate}`;
}
