/** The paths of the sockets for operators of a data folder, computed alike on both sides. */
import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../domain/errors.js';

/** The kernel stores the path of a socket in 104 (macOS) or 108 (Linux) bytes, including the final NUL. */
const MAX_SOCKET_PATH_BYTES = 100;
const SOCKET_EXTENSION = '.sock';
/** A process id has at most ten digits; the random part and the extensions are ours. */
const LONGEST_NAME = `${'9'.repeat(10)}-${'f'.repeat(8)}${SOCKET_EXTENSION}`;

/**
 * The name begins with the process id, for readers of a listing. The random part makes it unique: the services in two
 * containers that share a data folder may both be process 1.
 */
export function socketName(processId: number, random: string): string {
  return `${processId}-${random}${SOCKET_EXTENSION}`;
}

/** The folder may not exist yet. Undefined if there is no data folder, hence no service. */
export async function controlFolder(dataDir: string): Promise<string | undefined> {
  const real = await unlessMissing(realpath(dataDir));
  if (real === undefined) return undefined;
  const inside = join(real, 'control');
  if (Buffer.byteLength(join(inside, LONGEST_NAME)) <= MAX_SOCKET_PATH_BYTES) return inside;
  return join(tmpdir(), `switchboard-${createHash('sha256').update(real).digest('hex').slice(0, 16)}`);
}

/** Creates the folder if needed, so that only our own user can enter it. */
export async function createControlFolder(dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  const folder = await controlFolder(dataDir);
  if (folder === undefined) throw new AppError('unavailable', `The data folder ${dataDir} is missing`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await requireTrusted(folder, dataDir);
  await chmod(folder, 0o700);
  return folder;
}

/** The paths of all sockets, live and dead. */
export async function listSockets(dataDir: string): Promise<string[]> {
  const folder = await controlFolder(dataDir);
  const names = folder === undefined ? undefined : await unlessMissing(readdir(folder));
  if (folder === undefined || names === undefined) return [];
  await requireTrusted(folder, dataDir);
  return names.filter((name) => name.endsWith(SOCKET_EXTENSION)).map((name) => join(folder, name));
}

/**
 * Any user can create a folder with this name below the folder for temporary files, and listen there for password
 * hashes. So it counts only if it belongs to us, to the owner of the data or to root.
 */
async function requireTrusted(folder: string, dataDir: string): Promise<void> {
  const [entry, data] = await Promise.all([lstat(folder), stat(dataDir)]);
  if (entry.isDirectory() && [process.getuid?.(), data.uid, 0].includes(entry.uid)) return;
  throw new AppError('unavailable', `${folder} belongs to another user: remove it, or set TMPDIR to another folder`);
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
