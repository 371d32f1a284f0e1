/** A copy of a data file as of one commit, for a snapshot. */
import { rmSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { AppError } from '../../domain/errors.js';
import type { LogIdentity, LogPosition } from '../../domain/ports/partitionLog.js';
import { openBesideOwner, schemaOf, type FileKind } from '../folder/dataFolder.js';
import { createPrivately } from '../folder/privateFile.js';
import { endRun, mayHaveLostCommits, newEpoch, setEpoch } from '../shard/history.js';
import { prepareLogPosition, readLogPosition, type FollowedLog } from '../sqlite/logPosition.js';
import { begin, commit } from '../sqlite/transaction.js';

export interface FileState {
  readonly schema: number;
  /** The number of the last commit. */
  readonly commits: number;
  readonly followed: FollowedLog;
}

/** Beside the owner of the file, which goes on: the copy has the state of one commit. */
export function copyDataFile(file: string, kind: FileKind, target: string): FileState {
  rmSync(target, { force: true });
  createPrivately(target);
  const db = openBesideOwner(file);
  try {
    db.prepare('VACUUM INTO ?').run(target);
  } finally {
    db.close();
  }
  return readFileState(target, kind);
}

/** Throws if the file follows no log. */
export function readFileState(file: string, kind: FileKind): FileState {
  return withFile(file, (db) => stateOf(db, kind));
}

export function stateOf(db: Database, kind: FileKind): FileState {
  const followed = readLogPosition(db);
  if (followed === null) throw new AppError('unavailable', `${db.name} has followed no log yet`);
  const commits = db
    .prepare<[], number>(kind === 'shard' ? 'SELECT commits FROM place' : 'SELECT number FROM commit_number')
    .pluck()
    .get();
  return { schema: schemaOf(db), commits: commits ?? 0, followed };
}

/** Outbox ids are versions for their receivers. After a loss they must not come again. */
const OUTBOX_GAP = 1_000_000;

export interface NewLog {
  readonly identity: LogIdentity;
  /** After its first record. */
  readonly position: LogPosition;
}

/** Makes a copied file the beginning of a new log. Only a file of another cluster may have lost something. */
export function beginLog(file: string, kind: FileKind, log: NewLog): FileState {
  return withFile(file, (db) => {
    begin(db);
    if (kind === 'shard') {
      if (mayHaveLostCommits(db) || readLogPosition(db) !== null) setEpoch(db, newEpoch());
      endRun(db);
    }
    prepareLogPosition(db, log.identity)(log.position);
    commit(db);
    return stateOf(db, kind);
  });
}

/** Makes a copied file the beginning of a log that replaces a lost one. Numbers that were lost with it may come again. */
export function beginGeneration(file: string, kind: FileKind, log: NewLog): FileState {
  return withFile(file, (db) => {
    begin(db);
    if (kind === 'shard') {
      setEpoch(db, newEpoch());
      db.prepare(`UPDATE sqlite_sequence SET seq = seq + ? WHERE name = 'outbox'`).run(OUTBOX_GAP);
    }
    prepareLogPosition(db, log.identity)(log.position);
    commit(db);
    return stateOf(db, kind);
  });
}

/** It has no other user. */
function withFile<Result>(file: string, use: (db: Database) => Result): Result {
  const db = openBesideOwner(file);
  try {
    return use(db);
  } finally {
    db.close();
  }
}
