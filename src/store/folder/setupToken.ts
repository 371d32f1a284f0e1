/** The file with the token for the first superuser. Only who may read the data folder may read it. */
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export const SETUP_TOKEN_FILE = 'setup-token';

const OWNER_ONLY = 0o600;

/** The folder's token; without a file, `fresh` becomes it. Instances that start at the same time get the same, complete one. */
export function readSetupToken(dataDir: string, fresh: string): string {
  const path = join(dataDir, SETUP_TOKEN_FILE);
  return readIfThere(path) ?? createFile(path, fresh);
}

/** After the setup it opens nothing. */
export function removeSetupToken(dataDir: string): void {
  rmSync(join(dataDir, SETUP_TOKEN_FILE), { force: true });
}

function createFile(path: string, token: string): string {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const file = openSync(draft, 'wx', OWNER_ONLY);
  try {
    writeSync(file, `${token}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    // Unlike a rename, a link never replaces the token of another instance.
    linkSync(draft, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(path, 'utf8').trim();
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
