import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AppError } from '../../domain/errors.js';

/** For the owner of the process only. */
export const PRIVATE_FOLDER = 0o700;

/**
 * Creates a folder with its parents. Not by `mkdir` with `recursive`: that loops for ever, inside Node, where the
 * kernel answers ENOENT below a folder that exists, as it does in /proc.
 */
export function makeFolder(path: string, mode: number = PRIVATE_FOLDER): void {
  const missing: string[] = [];
  for (let folder = resolve(path); !isFolder(folder, path); folder = dirname(folder)) missing.push(folder);
  for (const folder of missing.reverse()) {
    try {
      mkdirSync(folder, { mode });
      // The umask of the process must not remove the owner's permissions.
      if (mode === PRIVATE_FOLDER) chmodSync(folder, mode);
    } catch (error) {
      // Another process was faster.
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw cannotCreate(path, error);
    }
  }
}

function isFolder(folder: string, path: string): boolean {
  try {
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (stats === undefined || stats.isDirectory()) return stats !== undefined;
  } catch (error) {
    // A parent is a file; the next step up reports it.
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return false;
    throw cannotCreate(path, error);
  }
  throw new AppError('unavailable', `The folder ${path} cannot be created: ${folder} is not a folder`);
}

function cannotCreate(path: string, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new AppError('unavailable', `The folder ${path} cannot be created: ${reason}`, { cause });
}
