/** What would keep a service from starting on a data folder. Creates and changes nothing that stays. */
import { readdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AppError } from '../../domain/errors.js';
import { dataFilesAmong } from './dataFolder.js';
import { findAccessFault, findWriteFault } from './folderAccess.js';
import { planFolder } from './record/folderPlan.js';
import { readRecord } from './record/folderRecord.js';
import { isKnownFile } from './knownFiles.js';

export function findFolderProblems(dataDir: string, shards: number | null): string[] {
  const folder = resolve(dataDir);
  const existing = nearestExisting(folder);
  if (!statSync(existing).isDirectory()) {
    return [existing === folder ? `${folder} is not a folder` : `the folder ${folder} cannot be created: ${existing} is not a folder`];
  }
  const fault = findWriteFault(existing);
  if (fault !== null) return [existing === folder ? fault : `the folder ${folder} cannot be created: ${fault}`];
  if (existing !== folder) return [];
  const names = readdirSync(folder);
  const closed = findAccessFault(folder, names.filter(isKnownFile));
  if (closed !== null) return [closed];
  try {
    return [...planFolder(folder, dataFilesAmong(names), readRecord(folder), shards).problems];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [error.message];
  }
}

/** The number of shards that a folder was made with. Null if it has none or cannot be read; opening the folder reports the reason. */
export function shardsOfFolder(dataDir: string): number | null {
  try {
    const record = readRecord(dataDir);
    return record === null ? planFolder(dataDir, dataFilesAmong(readdirSync(dataDir)), null, null).shards : record.shards;
  } catch (error) {
    if (error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR', 'EACCES'].includes(String(error.code))) return null;
    throw error;
  }
}

/** The folder itself, or the parent in which it would be created. */
function nearestExisting(path: string): string {
  try {
    if (statSync(path, { throwIfNoEntry: false }) !== undefined) return path;
  } catch (error) {
    // A parent is a file, or closed to this user: the parent is examined.
    if (!(error instanceof Error && 'code' in error && ['ENOTDIR', 'EACCES'].includes(String(error.code)))) throw error;
  }
  return nearestExisting(dirname(path));
}
