/** Versions of Node, besides the one that runs the tests. */
import { execFile } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { temporaryFolder } from '../store/folder.js';
import { keepInCache, packageCache } from './packageCache.js';
import { findProgram, isExecutable, lookFor, pathOf, type Found } from './programs.js';

const run = promisify(execFile);
/** An unreachable registry must not hold up the tests. */
const NETWORK = ['--fetch-timeout=15000', '--fetch-retries=1'];
const MAX_DOWNLOAD_MS = 180_000;

/** Found by the names that distributions give to several versions, else fetched from npm's registry. */
export async function findNode(major: number): Promise<Found> {
  if (process.versions.node.startsWith(`${major}.`)) return { path: process.execPath };
  const installed = await findProgram(`node${major}`, `node-${major}`);
  return installed === null ? fetchNode(major) : { path: installed };
}

/** Of the package that npm's `node` installs on this platform: it is the program alone, and runs no scripts. */
async function fetchNode(major: number): Promise<Found> {
  const [cache, name, program] = [packageCache(), `node-${major}`, `node-${process.platform}-${process.arch}`];
  const path = join(cache, name, 'node_modules', program, 'bin', 'node');
  if (await isExecutable(path)) return { path };
  const npm = await lookFor('npm');
  if ('missing' in npm) return npm;
  try {
    await keepInCache(cache, name, async (workplace) => {
      const folder = join(workplace, name);
      await mkdir(folder);
      const options = ['--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', ...NETWORK];
      await run(pathOf(npm), ['install', ...options, `${program}@${major}`], { cwd: folder, timeout: MAX_DOWNLOAD_MS });
    });
  } catch {
    return { missing: `no node${major} is installed, and npm cannot fetch ${program}@${major}` };
  }
  return (await isExecutable(path)) ? { path } : { missing: `${program}@${major} has no program` };
}

/** The environment in which `node` means this program, for npm too. */
export async function withNode(t: Test, path: string): Promise<NodeJS.ProcessEnv> {
  const folder = await temporaryFolder(t);
  await symlink(path, join(folder, 'node'));
  return { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` };
}
