/** What would keep a service from starting on a data folder. Creates and changes nothing that stays. */
import { readdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AppError } from '../../domain/errors.js';
import { dataFilesAmong } from './dataFolder.js';
import { findAccessFault, findWriteFault } from './folderAccess.js';
import { planFolder } from './folderPlan.js';
import { readRecord } from './folderRecord.js';
import { isKnownFile } from './knownFiles.js';

export function findFolderProblems(dataDir: string, shards: number): string[] {
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
