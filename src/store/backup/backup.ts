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
import { untilDirectoryHasUsers } from './directoryLag.js';
import { describeFile, MANIFEST_FILE, writeManifest, type Manifest, type ManifestFile } from './backupManifest.js';
import { reconcile } from './backupReconciliation.js';
import {
  currentSchema,
  findPlaceProblems,
  openBesideOwner,
  readPlace,
  refuseProblems,
  type DataFile,
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

export interface BackupOptions {
  readonly dataDir: string;
  /** Must be empty or not exist. */
  readonly target: string;
  /** The version of this program. */
  readonly program: string;
}

export async function backUp({ dataDir, target, program }: BackupOptions): Promise<Manifest> {
  const record = readRecord(dataDir);
  const files = await listOwnFiles(dataDir, record);
  const heading = `The data in ${dataDir} is not complete:`;
  refuseProblems(findMissing(record, files), heading);
  if (!files.some(({ kind }) => kind === 'directory')) {
    throw new AppError('not_found', `There is no data in ${dataDir}: is DATA_DIR set as for the service?`);
  }
  return fillFolder(target, MANIFEST_FILE, async (folder) => {
    const started_at = new Date().toISOString();
    // Logs first: each has what the files, copied later, may lack. The directory is the last, so every user whom a
    // copied board knows is in the copied directory.
    const logs = copyLogs(dataDir, folder);
    const copies = files.map((file) => copyData(dataDir, folder, file));
    const places = copies.flatMap(({ place }) => place ?? []);
    const problems = [...findPlaceProblems(places), ...findMarkProblems(record, copies)];
    refuseProblems(problems, heading);
    if (copies.some(({ wasReplica }) => wasReplica)) {
      await untilDirectoryHasUsers(folder, files, (file) => {
        rmSync(join(folder, file.name));
        copyData(dataDir, folder, file);
      });
    }
    applyCopiedLogs(folder, places, logs, record?.id ?? null);
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

/** A backup holds no log: its shards have everything. */
function applyCopiedLogs(folder: string, places: readonly ShardPlace[], logs: readonly string[], id: string | null): void {
  for (const { name, shard } of places) {
    const db = openBesideOwner(join(folder, name));
    try {
      applyLogs(new Shard(db, NO_LOCK), { dataDir: folder, folder: id, shard });
    } finally {
      db.close();
    }
  }
  for (const name of logs) removeLog(folder, name);
}

/** The identity of a copied file. */
interface Copy {
  readonly name: string;
  readonly mark: string | null;
  /** For a shard. */
  readonly place: ShardPlace | null;
  /** It followed a replicated log. The backup does not: it is data for one machine. */
  readonly wasReplica: boolean;
}

/** The copy has the current schema, also if the service runs an older version of the program. */
function copyData(from: string, to: string, { name, kind }: DataFile): Copy {
  const copy = join(to, name);
  // Created first, because SQLite would make it readable by others, and it contains password hashes.
  createPrivately(copy);
  const original = openBesideOwner(join(from, name));
  try {
    // Not page by page: this leaves out deleted rows and reads every row.
    original.prepare('VACUUM INTO ?').run(copy);
  } finally {
    original.close();
  }
  return upgrade(copy, name, kind);
}

function upgrade(copy: string, name: string, kind: FileKind): Copy {
  const db = openBesideOwner(copy);
  try {
    applyMigrations(db, packagePath('schema', kind));
    const wasReplica = leaveLog(db);
    const mark = readMark(db, kind);
    if (kind === 'directory') return { name, mark, place: null, wasReplica };
    const place = readPlace(name, db);
    if (place === null) throw new AppError('invalid', `${name} has no shard number`);
    return { name, mark, place, wasReplica };
  } finally {
    db.close();
  }
}
