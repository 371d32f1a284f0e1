/** Downloads and unpacks Debian packages with apt-get and dpkg, without root and without changing what apt knows about this machine. */
import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { keepInCache } from './packageCache.js';
import { lookFor, pathOf } from './programs.js';

const run = promisify(execFile);
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
/** An unreachable mirror must not hold up the tests. */
const TIMEOUT_SECONDS = 15;
const NETWORK = ['-o', `Acquire::http::Timeout=${TIMEOUT_SECONDS}`, '-o', 'Acquire::Retries=1'];

/** The version of the suites that this machine is configured with. */
export async function downloadPackage(name: string, folder: string): Promise<void> {
  await run(await aptGet(), [...NETWORK, 'download', name], { cwd: folder });
}

/** The version of another suite, from the mirror that this machine is configured with. */
export async function downloadDebianPackage(name: string, suite: string, folder: string): Promise<void> {
  const [lists, cache, sources] = [join(folder, 'lists'), join(folder, 'cache'), join(folder, 'sources.list')];
  await Promise.all([join(lists, 'partial'), join(cache, 'archives', 'partial')].map((path) => mkdir(path, { recursive: true })));
  await writeFile(sources, `deb [signed-by=${KEYRING} target=Packages] ${await debianMirror()} ${suite} main\n`);
  const options = [
    ...NETWORK,
    '-o',
    `Dir::State::Lists=${lists}`,
    '-o',
    `Dir::Etc::SourceList=${sources}`,
    '-o',
    'Dir::Etc::SourceParts=-',
    '-o',
    `Dir::Cache=${cache}`,
    // Run by root, apt-get becomes another user for downloads, who cannot enter this folder.
    '-o',
    'APT::Sandbox::User=root',
  ];
  await run(await aptGet(), [...options, 'update'], { cwd: folder });
  await run(await aptGet(), [...options, 'download', name], { cwd: folder });
}

/** Unpacks a package into a folder of this name in the cache. */
export async function unpackPackage(cache: string, name: string, download: (folder: string) => Promise<void>): Promise<void> {
  await keepInCache(cache, name, async (workplace) => {
    await download(workplace);
    const archive = (await readdir(workplace)).find((file) => file.endsWith('.deb'));
    if (archive === undefined) throw new Error('apt-get downloaded no package');
    await run(pathOf(await lookFor('dpkg')), ['-x', archive, name], { cwd: workplace });
  });
}

/** Of the output of a program that failed. */
export function lastLine(error: unknown): string {
  const text = error instanceof Error && 'stderr' in error ? String(error.stderr) || error.message : String(error);
  return text.trim().split('\n').at(-1) ?? '';
}

async function aptGet(): Promise<string> {
  return pathOf(await lookFor('apt-get'));
}

async function debianMirror(): Promise<string> {
  const { stdout } = await run(await aptGet(), ['indextargets', '--format', '$(LABEL) $(REPO_URI)', 'Identifier: Packages']);
  const mirror = /^Debian (\S+)$/m.exec(stdout)?.[1];
  if (mirror === undefined) throw new Error('apt-get is not configured with a mirror of Debian, or was never updated');
  return mirror;
}
