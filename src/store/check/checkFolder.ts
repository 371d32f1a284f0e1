/** Checks whether a data folder or a backup is sound. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { AppError, InUse } from '../../domain/errors.js';
import { findManifestProblems, readManifest } from '../backup/backupManifest.js';
import { inspect, type FileReport } from './checkFile.js';
import { findMembershipProblems, type OpenShard } from './checkMemberships.js';
import { ShardCheck } from './checkShard.js';
import { AcknowledgedNumbers } from '../folder/record/acknowledgedCommits.js';
import { DIRECTORY_FILE, findPlaceProblems, lockOf, openBesideOwner, type DataFile } from '../folder/dataFolder.js';
import { findMarkProblems, findMissing, findForeignFiles, listOwnFiles } from '../folder/folderFiles.js';
import { readRecord } from '../folder/record/folderRecord.js';
import { FolderLogs } from '../log/folderLogs.js';
import { acquireLock, type Lock } from '../sqlite/lock.js';

const NOTE_OF_REPLICAS =
  'the files are copies in a cluster, and each follows its own log. They were not compared with each other; in a backup they agree.';

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
    const inspected = files.map((file) => ({ file, report: inspect(folder, file) }));
    const places = inspected.flatMap(({ report }) => report.place ?? []);
    const missing = findMissing(record, files);
    const apart = [
      ...altered,
      ...missing,
      ...inspected.flatMap(({ report }) => report.problems),
      // A missing or unreadable file has no place, and is already a problem.
      ...(isComplete(missing, inspected) ? findPlaceProblems(places) : []),
      ...findMarkProblems(
        record,
        inspected.filter(({ report }) => report.schema === 'current').map(({ report }) => report),
      ),
    ];
    const older = inspected.filter(({ report }) => report.schema === 'older').map(({ file }) => noteOfAge(file));
    const isReplica = inspected.some(({ report }) => report.isReplica);
    const notes = [...older, ...(isReplica ? [NOTE_OF_REPLICAS] : []), ...(await findForeignFiles(folder, files))];
    const readable = inspected.filter(({ report }) => report.schema === 'current');
    const sources = { logs: new FolderLogs(folder, record?.id ?? null), acknowledged: new AcknowledgedNumbers(folder, record?.id ?? null) };
    const { problems, boards } = checkContent(folder, readable, sources, apart.length === 0 && older.length === 0 && !isReplica);
    return { problems: [...apart, ...problems], notes, files: files.length, boards };
  } finally {
    for (const lock of locks) lock.release();
  }
}

function isComplete(missing: readonly string[], inspected: readonly { readonly report: FileReport }[]): boolean {
  return missing.length === 0 && inspected.every(({ report }) => report.schema !== 'unusable');
}

interface Sources {
  readonly logs: FolderLogs;
  readonly acknowledged: AcknowledgedNumbers;
}

/** `whole`: all files can be compared with each other. */
function checkContent(
  folder: string,
  files: readonly { readonly file: DataFile; readonly report: FileReport }[],
  { logs, acknowledged }: Sources,
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
    const findLoss = (name: string, db: Database, number: string): string[] => {
      const loss = acknowledged.findLoss(name, db.prepare<[], number>(number).pluck().get() ?? 0);
      return loss === null ? [] : [loss];
    };
    for (const { file, report } of files) {
      if (file.kind === 'directory') problems.push(...findLoss(file.name, open(file.name), 'SELECT number FROM commit_number'));
      if (report.place === null) continue;
      const shard = { place: report.place, db: open(report.place.name) };
      problems.push(...logs.preview(shard.db, shard.place.shard));
      shard.db.pragma('query_only = 1');
      problems.push(...findLoss(shard.place.name, shard.db, 'SELECT commits FROM place'));
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
  const fate = 'and gets the current one when the service starts. Its content was not checked.';
  return `${name} has the schema of an older program, ${fate}`;
}
