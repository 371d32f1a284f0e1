/** The key with which the instances on one data folder seal their messages. No stored data needs it. */
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../domain/errors.js';
import { readOrCreate } from './privateFile.js';

export const CLUSTER_KEY_FILE = 'cluster.key';

const KEY_BYTES = 32;

/**
 * The folder's key. The first instance creates it; instances that start at the same time get the same, complete key.
 */
export function readClusterKey(dataDir: string): Uint8Array {
  const path = join(dataDir, CLUSTER_KEY_FILE);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const key = readOrCreate(path, () => randomBytes(KEY_BYTES));
  if (key.length === KEY_BYTES) return key;
  const problem = `${path} has ${key.length} bytes instead of ${KEY_BYTES}`;
  throw new AppError('unavailable', `${problem}. Stop all instances and delete it: the first to start creates a new one`);
}
