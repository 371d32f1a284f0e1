/** Files that only their owner can read: they contain password hashes, keys and tokens. */
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

export const PRIVATE_FILE = 0o600;
const OTHERS = 0o077;

/** Creates an empty file unless it exists. */
export function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'wx', PRIVATE_FILE));
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    throw error;
  }
  makePrivate(file);
}

/** The content of a file that is created whole, by this process or by another that was first. It is on disk. */
export function readOrCreate(path: string, make: () => Uint8Array): Uint8Array {
  return readIfThere(path) ?? createWhole(path, make());
}

function createWhole(path: string, content: Uint8Array): Uint8Array {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const file = openSync(draft, 'wx', PRIVATE_FILE);
  try {
    writeSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    // Unlike a rename, a link never replaces the file of another process.
    linkSync(draft, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(path);
}

function readIfThere(path: string): Uint8Array | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
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
