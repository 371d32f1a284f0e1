/** Makes one file of Node and the program, with Node's single executable applications. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { packagePath } from '../../paths.js';
import { VERSION } from '../../version.js';
import type { Manifest } from './bootstrap.cjs';
import { productionTree } from './productionTree.js';

export interface Packaged {
  readonly path: string;
  readonly bytes: number;
  /** The size of the program and its packages, which a start unpacks. */
  readonly programBytes: number;
}

/** Node searches its own file for this text to find out whether it contains a program. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
const BLOB_NAME = 'NODE_SEA_BLOB';

const run = promisify(execFile);

/** With the version of Node, because that decides which glibc it needs. */
export const EXECUTABLE_NAME = `switchboard-${VERSION}-${process.platform}-${process.arch}-node${process.versions.node.split('.', 1)[0]}`;

/** Null if it can be made here. */
export async function whyNotPackaged(): Promise<string | null> {
  if (!['linux', 'darwin'].includes(process.platform)) return 'The single file can be built only on Linux and macOS.';
  // If a distribution keeps Node in a shared library, the program beside it does not work alone.
  const node = await readFile(process.execPath);
  return node.includes(FUSE) ? null : `${process.execPath} cannot contain a program: use a Node from nodejs.org.`;
}

/** Made beside `path` and then moved there, so that an incomplete file is never found. */
export async function makeExecutable(path: string): Promise<Packaged> {
  await mkdir(dirname(path), { recursive: true });
  const workshop = await mkdtemp(`${path}.new-`);
  try {
    const [executable, blob] = [join(workshop, 'executable'), join(workshop, 'blob')];
    const programBytes = await makeBlob(workshop, blob);
    await copyFile(process.execPath, executable);
    await chmod(executable, 0o755);
    // macOS runs only signed programs, and Node's signature does not cover the added part.
    if (process.platform === 'darwin') await run('codesign', ['--remove-signature', executable]);
    await inject(executable, blob);
    if (process.platform === 'darwin') await run('codesign', ['--sign', '-', executable]);
    await rename(executable, path);
    return { path, bytes: (await stat(path)).size, programBytes };
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}

/** Returns the total size of the files. */
async function makeBlob(workshop: string, blob: string): Promise<number> {
  const paths = productionTree(packagePath());
  const contents = await Promise.all(paths.map(async (path) => [path, await readFile(packagePath(path))] as const));
  const files = Object.fromEntries(contents.map(([path, content]) => [path, sha256(content)]));
  const manifest: Manifest = { id: sha256(JSON.stringify(files)), files };
  const manifestPath = join(workshop, 'manifest.json');
  await writeFile(manifestPath, JSON.stringify(manifest));

  const config = {
    main: packagePath('dist', 'src', 'tools', 'package', 'bootstrap.cjs'),
    output: blob,
    disableExperimentalSEAWarning: true,
    assets: { manifest: manifestPath, ...Object.fromEntries(paths.map((path) => [path, packagePath(path)])) },
  };
  const configPath = join(workshop, 'config.json');
  await writeFile(configPath, JSON.stringify(config));
  await run(process.execPath, ['--experimental-sea-config', configPath]);
  return contents.reduce((total, [, content]) => total + content.length, 0);
}

async function inject(executable: string, blob: string): Promise<void> {
  const manifest = createRequire(import.meta.url).resolve('postject/package.json');
  const segment = process.platform === 'darwin' ? ['--macho-segment-name', 'NODE_SEA'] : [];
  const postject = join(dirname(manifest), 'dist', 'cli.js');
  await run(process.execPath, [postject, executable, BLOB_NAME, blob, '--sentinel-fuse', FUSE, ...segment]);
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
