/**
 * A copy of all data that is right in itself, taken while the service runs or while it does not. The command that takes
 * it opens the files beside their owner, in a process of its own: SQLite gives such a reader the state as of one
 * commit, however long it reads, while the owner commits on. So no thread of the service spends a moment on a backup,
 * and it is the same for one instance, for several and for none.
 */
import { join } from 'node:path';
import { AppError } from '../../domain/errors.js';
import { packagePath } from '../../paths.js';
import { fillFolder } from './backupFolder.js';
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
  type Place,
} from '../folder/dataFolder.js';
import { findMarkProblems, findMissing, listOwnFiles } from '../folder/folderFiles.js';
import { readMark } from '../folder/folderMark.js';
import { readRecord } from '../folder/folderRecord.js';
import { applyMigrations } from '../sqlite/migrations.js';
import { createPrivately } from '../folder/privateFile.js';

export interface BackupOptions {
  readonly dataDir: string;
  /** Must be empty, or not be there. */
  readonly target: string;
  /** The version of this program. */
  readonly program: string;
}

export async function backUp({ dataDir, target, program }: BackupOptions): Promise<Manifest> {
  const record = readRecord(dataDir);
  const files = await listOwnFiles(dataDir, record);
  const heading = `The data in ${dataDir} is not a whole:`;
  refuseProblems(findMissing(record, files), heading);
  if (!files.some(({ kind }) => kind === 'directory')) {
    throw new AppError('not_found', `There is no data in ${dataDir}: is DATA_DIR set as for the service?`);
  }
  return fillFolder(target, MANIFEST_FILE, async (folder) => {
    const started_at = new Date().toISOString();
    // The directory is the last of them, so that everyone whom a copied board knows is in the copied directory.
    const copies = files.map((file) => copyData(dataDir, folder, file));
    const places = copies.flatMap(({ place }) => place ?? []);
    const problems = [...findPlaceProblems(places), ...findMarkProblems(record, copies)];
    refuseProblems(problems, heading);
    reconcile(folder, files);
    const described: ManifestFile[] = [];
    for (const { name, kind } of files) described.push(await describeFile(folder, name, currentSchema(kind)));
    const finished_at = new Date().toISOString();
    return writeManifest(folder, { program, started_at, finished_at, shards: places.length, files: described });
  });
}

/** What a copied file says of itself. */
interface Copy {
  readonly name: string;
  readonly mark: string | null;
  /** Of a shard. */
  readonly place: Place | null;
}

/** The copy is of today's schema, whichever program the service is of that still runs on the data. */
function copyData(from: string, to: string, { name, kind }: DataFile): Copy {
  const copy = join(to, name);
  // Made beforehand, because SQLite would make it readable by others, and there are password hashes in it.
  createPrivately(copy);
  const original = openBesideOwner(join(from, name));
  try {
    // Not page by page: this leaves out what was deleted, and reads every row on the way.
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
    const mark = readMark(db, kind);
    if (kind === 'directory') return { name, mark, place: null };
    const place = readPlace(name, db);
    if (place === null) throw new AppError('invalid', `${name} does not say which shard it is`);
    return { name, mark, place };
  } finally {
    db.close();
  }
}
