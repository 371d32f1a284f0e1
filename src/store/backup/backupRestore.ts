/** Restores a backup to a data folder. */
import { chmod, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../domain/errors.js';
import { packagePath } from '../../paths.js';
import { fillFolder } from './backupFolder.js';
import { findManifestProblems, MANIFEST_FILE, readManifest, type Manifest } from './backupManifest.js';
import { inspect } from '../check/checkFile.js';
import { DIRECTORY_FILE, findPlaceProblems, kindOf, listDataFiles, openBesideOwner, refuseProblems } from '../folder/dataFolder.js';
import { writeMark } from '../folder/record/folderMark.js';
import { newRecord, writeRecord } from '../folder/record/folderRecord.js';
import { endRun, newEpoch, setEpoch } from '../shard/history.js';
import { applyMigrations } from '../sqlite/migrations.js';

export interface RestoreOptions {
  /** A backup. */
  readonly source: string;
  /** Must be empty or not exist. */
  readonly dataDir: string;
}

/** Restores a backup if it is complete, sound and not of a newer version. */
export async function restore({ source, dataDir }: RestoreOptions): Promise<Manifest> {
  const manifest = await readManifest(source);
  if (manifest === null) throw new AppError('not_found', `${source} is not a backup: it has no ${MANIFEST_FILE}`);
  return fillFolder(dataDir, DIRECTORY_FILE, async (folder) => {
    for (const { name } of manifest.files) await copyIfThere(join(source, name), join(folder, name));
    const heading = `The backup in ${source} cannot be used:`;
    refuseProblems(await findManifestProblems(folder, manifest), heading);
    const reports = (await listDataFiles(folder)).map((file) => inspect(folder, file));
    refuseProblems(
      reports.flatMap(({ problems }) => problems),
      heading,
    );
    refuseProblems(findPlaceProblems(reports.flatMap(({ place }) => place ?? [])), heading);
    makeFolderOf(folder, manifest);
    return manifest;
  });
}

/** The restored folder gets a new id: the original may still be in use, and their files must not mix. */
function makeFolderOf(folder: string, { shards, files }: Manifest): void {
  const record = newRecord();
  const names = files.map(({ name }) => name);
  for (const name of names) {
    const kind = kindOf(name) ?? 'shard';
    const db = openBesideOwner(join(folder, name));
    try {
      applyMigrations(db, packagePath('schema', kind));
      writeMark(db, kind, record.id);
      // Events after the backup are lost, and other events will get their numbers.
      if (kind === 'shard') {
        setEpoch(db, newEpoch());
        // The backup may be of a running service.
        endRun(db);
      }
    } finally {
      db.close();
    }
  }
  writeRecord(folder, { ...record, shards: shards === 0 ? null : shards, files: names });
}

/** A missing file is reported with the other differences from the manifest. */
async function copyIfThere(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to);
    await chmod(to, 0o600);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
