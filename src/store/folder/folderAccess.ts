/** Whether this process may use a data folder, and what to do if it may not. */
import { randomBytes } from 'node:crypto';
import { accessSync, constants, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A page: the first thing that SQLite stores. */
const PROBE_BYTES = 4_096;
const PROBE_START = 'probe-';

/** Tries to store something, because permissions do not show a full disk. Null if it can. */
export function findWriteFault(folder: string): string | null {
  const file = join(folder, `${PROBE_START}${process.pid}-${randomBytes(4).toString('hex')}.tmp`);
  try {
    writeFileSync(file, Buffer.alloc(PROBE_BYTES), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (codeOf(error) === 'ENOSPC') rmSync(file, { force: true });
    return explain(folder, error);
  }
  rmSync(file, { force: true });
  return null;
}

/** The first file that this process cannot read and write, as after a start as another user. Null if there is none. */
export function findAccessFault(folder: string, names: readonly string[]): string | null {
  for (const name of names) {
    const file = join(folder, name);
    try {
      accessSync(file, constants.R_OK | constants.W_OK);
    } catch (error) {
      // Deleted meanwhile, such as the log of another instance.
      if (codeOf(error) !== 'ENOENT') return explain(file, error);
    }
  }
  return null;
}

function explain(path: string, error: unknown): string {
  const elsewhere = 'or set DATA_DIR to another folder';
  switch (codeOf(error)) {
    case 'EACCES':
    case 'EPERM':
      return `${path} ${ownerOf(path)}, and this process cannot write it as user ${ownId()}: chown it to that user, start the service as its owner, ${elsewhere}`;
    case 'EROFS':
      return `${path} is on a read-only file system: mount it writable, ${elsewhere}`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `the disk of ${path} is full: make room, ${elsewhere}`;
    default:
      return `${path} cannot be written (${error instanceof Error ? error.message : String(error)}): correct this, ${elsewhere}`;
  }
}

function ownerOf(path: string): string {
  try {
    return `belongs to user ${statSync(path).uid}`;
  } catch {
    // Without a right to its parent not even that is known, and the first failure says so.
    return 'is not accessible';
  }
}

function ownId(): string {
  return String(process.getuid?.() ?? 'unknown');
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}
