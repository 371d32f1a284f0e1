/** Files that only their owner can read: they contain password hashes and a key. */
import { chmodSync, chownSync, closeSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export const PRIVATE_FILE = 0o600;
const OTHERS = 0o077;

/** Creates an empty file unless it exists. */
export function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'wx', PRIVATE_FILE));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return;
    throw error;
  }
  makePrivate(file);
}

/**
 * Independent of the umask. A file created by root, for example with `user create`, is given to the owner of its
 * folder: otherwise the service could not open it.
 */
export function makePrivate(file: string): void {
  chmodSync(file, PRIVATE_FILE);
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(file));
  if (statSync(file).uid !== uid) chownSync(file, uid, gid);
}

/** False if there is no such file. */
export function isOpenToOthers(file: string): boolean {
  return ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS) !== 0;
}
