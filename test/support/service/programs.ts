/** Programs that tests use but npm does not install. A test that lacks one is skipped and says why. */
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

export type Found = { readonly path: string } | { readonly missing: string };

/** Where Debian puts servers: beside the folders of other programs. The search path of an ordinary user often leaves these out. */
function serverFolders(folders: readonly string[]): string[] {
  return folders.filter((folder) => folder.endsWith('/bin')).map((folder) => folder.replace(/bin$/, 'sbin'));
}

export async function findProgram(...names: readonly string[]): Promise<string | null> {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  for (const name of names) {
    for (const folder of [...folders, ...serverFolders(folders)]) {
      if (await isExecutable(join(folder, name))) return join(folder, name);
    }
  }
  return null;
}

/** Of the first of these names. `install` tells how to get it. */
export async function lookFor(names: string | readonly string[], install?: string): Promise<Found> {
  const all = typeof names === 'string' ? [names] : names;
  const path = await findProgram(...all);
  if (path !== null) return { path };
  return { missing: `no ${all[0]} is installed${install === undefined ? '' : ` (${install})`}` };
}

/** For a test that is skipped without the program. No test runs an empty command. */
export function pathOf(found: Found): string {
  if ('path' in found) return found.path;
  throw new Error(`this test must be skipped: ${found.missing}`);
}

export async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** For tap's `skip` option. */
export function skipWithout(found: Found): string | false {
  return 'missing' in found ? found.missing : false;
}
