/** Where programs that tests download stay for later runs. */
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { packagePath } from '../../../src/paths.js';

/** Another folder for them: an empty one is a machine that has never fetched any. */
export const PACKAGE_CACHE = 'SWITCHBOARD_TEST_CACHE';

export function packageCache(): string {
  return process.env[PACKAGE_CACHE] ?? packagePath('node_modules', '.cache', 'switchboard');
}

/**
 * Keeps the folder `name` that `make` leaves in its workplace. Two test files may do this at once: each works in its own
 * folder, and both results are equal.
 */
export async function keepInCache(cache: string, name: string, make: (workplace: string) => Promise<void>): Promise<void> {
  await mkdir(cache, { recursive: true });
  const workplace = await mkdtemp(join(cache, `${name}-`));
  try {
    await make(workplace);
    await rename(join(workplace, name), join(cache, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(workplace, { recursive: true, force: true });
  }
}
