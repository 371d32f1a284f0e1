/** The files of the container image: what its last stage copies, and the packages without those for development. */
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packagePath } from '../../../src/paths.js';

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly devOptional?: boolean }>>;
}

/** Packages are links, to be followed with `--preserve-symlinks`: then nothing beside the tree can be found. */
export async function makeProductionTree(folder: string): Promise<void> {
  const lock = JSON.parse(await readFile(packagePath('package-lock.json'), 'utf8')) as Lock;
  for (const [path, { dev = false, devOptional = false }] of Object.entries(lock.packages)) {
    // Nested packages come with the one around them; those for other platforms were not installed. Packages that only
    // development and an optional peer need are deleted from the image.
    const isTop = path.startsWith('node_modules/') && path.indexOf('node_modules/', 1) < 0;
    if (dev || devOptional || !isTop || !existsSync(packagePath(path))) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await symlink(packagePath(path), join(folder, path));
  }
  for (const path of await copiedFromBuild()) {
    if (path !== 'node_modules') await cp(packagePath(path), join(folder, path), { recursive: true });
  }
}

/** Relative to the root of the repository. */
async function copiedFromBuild(): Promise<string[]> {
  return [...(await dockerfile()).matchAll(/^COPY --from=build \/app\/(\S+)/gm)].map(([, path = '']) => path);
}

export async function copiedFromContext(): Promise<string[]> {
  const lines = [...(await dockerfile()).matchAll(/^COPY (?!--)(.+) \S+$/gm)];
  return lines.flatMap(([, sources = '']) => sources.split(' '));
}

function dockerfile(): Promise<string> {
  return readFile(packagePath('deploy', 'Dockerfile'), 'utf8');
}
