/** Fills a folder completely or not at all. */
import { mkdtemp, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { AppError } from '../../domain/errors.js';
import { makeFolder } from '../folder/makeFolder.js';

/** The default mode of `mkdir`: the folders above a backup are not ours. */
const SHARED_FOLDER = 0o777;

/**
 * Fills a temporary folder and renames it when everything is on disk. An existing target must be empty. It may be the
 * root of a volume, which cannot be replaced, so it is filled from a folder inside it; then `last` is the file that
 * appears after all others.
 */
export async function fillFolder<T>(target: string, last: string, fill: (folder: string) => Promise<T>): Promise<T> {
  const folder = resolve(target);
  const exists = await isEmptyFolder(folder);
  if (!exists) makeFolder(dirname(folder), SHARED_FOLDER);
  const partial = await mkdtemp(exists ? join(folder, '.partial-') : `${folder}.partial-`);
  try {
    const result = await fill(partial);
    const names = (await readdir(partial)).sort((a, b) => Number(a === last) - Number(b === last));
    for (const name of names) await flush(join(partial, name));
    await flush(partial);
    if (exists) {
      for (const name of names) await rename(join(partial, name), join(folder, name));
      await rmdir(partial);
      await flush(folder);
    } else {
      await rename(partial, folder);
    }
    await flush(dirname(folder));
    return result;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

/** False if nothing has that name. An existing folder is not changed. */
async function isEmptyFolder(folder: string): Promise<boolean> {
  try {
    if ((await readdir(folder)).length === 0) return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
  throw new AppError('conflict', `The folder ${folder} is not empty. Nothing was changed.`);
}

/** For a folder: the names in it. */
async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
