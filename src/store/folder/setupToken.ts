/** The file with the token for the first superuser. Only who may read the data folder may read it. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readOrCreate } from './privateFile.js';

export const SETUP_TOKEN_FILE = 'setup-token';

/** The folder's token; without a file, `fresh` becomes it. Instances that start at the same time get the same, complete one. */
export function readSetupToken(dataDir: string, fresh: string): string {
  const content = readOrCreate(join(dataDir, SETUP_TOKEN_FILE), () => Buffer.from(`${fresh}\n`));
  return Buffer.from(content).toString().trim();
}

/** After the setup it opens nothing. */
export function removeSetupToken(dataDir: string): void {
  rmSync(join(dataDir, SETUP_TOKEN_FILE), { force: true });
}
