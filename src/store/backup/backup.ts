/**
 * Copies all data consistently, whether the service runs or not. The command opens the files beside their owner, in its
 * own process: SQLite gives such a reader the state of one commit, however long it reads, while the owner commits on.
 * So no thread of the service takes part, and it works the same for one instance, several or none.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../domain/errors.js';
import { packagePath } from '../../paths.js';
import { fillFolder } from './backupFolder.js';
import { describeFile, MANIFEST_FILE, writeManifest, type Manifest, type ManifestFile } from './backupManifest.js';
import { reconcile } from './backupReconciliation.js';
import { closeAll, differencesOfMoves, takeCut, type PinnedFile } from './consistentCut.js';
import {
  currentSchema,
  findPlaceProblems,
  openBesideOwner,
  readPlace,
  refuseProblems,
  type FileKind,
  type ShardPlace,
} from '../folder/dataFolder.js';
import { findMarkProblems, findMissing, listOwnFiles } from '../folder/folderFiles.js';
import { readMark } from '../folder/record/folderMark.js';
import { readRecord } from '../folder/record/folderRecord.js';
import { listLogs, removeLog } from '../log/logFiles.js';
import { applyLogs } from '../log/recovery.js';
import { Shard } from '../shard/shard.js';
import { NO_LOCK } from '../sqlite/lock.js';
import { leaveLog } from '../sqlite/logPosition.js';
import { applyMigrations } from '../sqlite/migrations.js';
import { createPrivately } from '../folder/privateFile.js';

/** Of a few milliseconds. */
const PAGES_AT_ONCE = 1_000;

export interface BackupOptions {
  readonly dataDir: string;
  /** Must be empty or not exist. */
  readonly target: string;
  /** The version of this program. */
  readonly program: string;
  /** Receives a sentence about each difference between files that stays: they were restored one by one. */
  readonly onNote?: (note: string) => void;
}

export async function backUp({ dataDir, target, program, onNote }: BackupOptions): Promise<Manifest> {
  const record = readRecord(dataDir);
  const files = await listOwnFiles(dataDir, record);
  const heading = `The data in ${dataDir} is not complete:`;
  refuseProblems(findMissing(record, files), heading);
  if (!files.some(({ kind }) => kind === 'directory')) {
    throw new AppError('not_found', `There is no data in ${dataDir}: is DATA_DIR set as for the service?`);
  }
  return fillFolder(target, MANIFEST_FILE, async (folder) => {
    const started_at = new Date().toISOString();
    // Logs first: each has what the files, pinned later, may lack.
    const logs = copyLogs(dataDir, folder);
    const cut = await takeCut(
      dataDir,
      files,
      logs.map((name) => join(folder, name)),
    );
    const copies: Copy[] = [];
    try {
      for (const pinned of cut) copies.push(await copyData(pinned, folder));
    } finally {
      closeAll(cut);
    }
    const places = copies.flatMap(({ place }) => place ?? []);
    const problems = [...findPlaceProblems(places), ...findMarkProblems(record, copies)];
    refuseProblems(problems, heading);
    for (const note of applyCopiedLogs(folder, places, logs, record?.id ?? null)) onNote?.(note);
    reconcile(folder, files);
    const described: ManifestFile[] = [];
    for (const { name, kind } of files) described.push(await describeFile(folder, name, currentSchema(kind)));
    const finished_at = new Date().toISOString();
    return writeManifest(folder, { program, started_at, finished_at, shards: places.length, files: described });
  });
}

/** The names of the copies. A log that its owner removes meanwhile is not needed: every file is flushed then. */
function copyLogs(from: string, to: string): string[] {
  return listLogs(from).filter((name) => {
    createPrivately(join(to, name));
    try {
      const original = openBesideOwner(join(from, name));
      try {
        original.prepare('VACUUM INTO ?').run(join(to, name));
      } finally {
        original.close();
      }
      return true;
    } catch (error) {
      rmSync(join(to, name));
      if (existsSync(join(from, name))) throw error;
      return false;
    }
  });
}

/** A backup holds no log: its shards have everything. Returns how they differ all the same. */
function applyCopiedLogs(folder: string, places: readonly ShardPlace[], logs: readonly string[], id: string | null): string[] {
  const shards = places.map(({ name, shard }) => ({ shard, db: openBesideOwner(join(folder, name)) }));
  try {
    for (const { shard, db } of shards) applyLogs(new Shard(db, NO_LOCK), { dataDir: folder, folder: id, shard });
    return differencesOfMoves(shards.map(({ db }) => db));
  } finally {
    for (const { db } of shards) db.close();
    for (const name of logs) removeLog(folder, name);
  }
}

/** The identity of a copied file. */
interface Copy {
  readonly name: string;
  readonly mark: string | null;
  /** For a shard. */
  readonly place: ShardPlace | null;
}

/** The copy has the current schema, also if the service runs an older version of the program. */
async function copyData({ file: { name, kind }, db }: PinnedFile, to: string): Promise<Copy> {
  const [copy, pages] = [join(to, name), join(to, `${name}.pages`)];
  // Created first, because SQLite would make it readable by others, and it contains password hashes.
  createPrivately(copy);
  createPrivately(pages);
  await db.backup(pages, { progress: () => PAGES_AT_ONCE });
  // Its owner can now shorten the write-ahead log.
  db.close();
  // The pages still contain deleted rows. This leaves them out, and reads every row.
  const original = openBesideOwner(pages);
  try {
    original.prepare('VACUUM INTO ?').run(copy);
  } finally {
    original.close();
  }
  rmSync(pages);
  return upgrade(copy, name, kind);
}

function upgrade(copy: string, name: string, kind: FileKind): Copy {
  const db = openBesideOwner(copy);
  try {
    applyMigrations(db, packagePath('schema', kind));
    // The backup is data for one machine.
    leaveLog(db);
    const mark = readMark(db, kind);
    if (kind === 'directory') return { name, mark, place: null };
    const place = readPlace(name, db);
    if (place === null) throw new AppError('invalid', `${name} has no shard number`);
    return { name, mark, place };
  } finally {
    db.close();
  }
}
