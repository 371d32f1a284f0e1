/** The key with which the instances on one data folder seal their messages. No stored data needs it. */
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../domain/errors.js';

export const CLUSTER_KEY_FILE = 'cluster.key';

const KEY_BYTES = 32;
const OWNER_ONLY = 0o600;

/**
 * The folder's key. The first instance creates it; instances that start at the same time get the same, complete key.
 */
export function readClusterKey(dataDir: string): Uint8Array {
  const path = join(dataDir, CLUSTER_KEY_FILE);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const key = readIfThere(path) ?? createKey(path);
  if (key.length === KEY_BYTES) return key;
  const problem = `${path} has ${key.length} bytes instead of ${KEY_BYTES}`;
  throw new AppError('unavailable', `${problem}. Stop all instances and delete it: the first to start creates a new one`);
}

function createKey(path: string): Uint8Array {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const file = openSync(draft, 'wx', OWNER_ONLY);
  try {
    writeSync(file, randomBytes(KEY_BYTES));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    // Unlike a rename, a link never replaces the key of another instance.
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
