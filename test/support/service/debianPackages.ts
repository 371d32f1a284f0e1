/** Downloads Debian packages with apt-get, without root and without changing what apt knows about this machine. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
/** An unreachable mirror must not hold up the tests. */
const TIMEOUT_SECONDS = 15;
const NETWORK = ['-o', `Acquire::http::Timeout=${TIMEOUT_SECONDS}`, '-o', 'Acquire::Retries=1'];

/** The version of the suites that this machine is configured with. */
export async function downloadPackage(name: string, folder: string): Promise<void> {
  await run('apt-get', [...NETWORK, 'download', name], { cwd: folder });
}

/** The version of another suite, from the mirror that this machine is configured with. */
export async function downloadDebianPackage(name: string, suite: string, folder: string): Promise<void> {
  const [lists, cache, sources] = [join(folder, 'lists'), join(folder, 'cache'), join(folder, 'sources.list')];
  await Promise.all([join(lists, 'partial'), join(cache, 'archives', 'partial')].map((path) => mkdir(path, { recursive: true })));
  await writeFile(sources, `deb [signed-by=${KEYRING} target=Packages] ${await debianMirror()} ${suite} main\n`);
  const options = [
    ...NETWORK,
    '-o', `Dir::State::Lists=${lists}`,
    '-o', `Dir::Etc::SourceList=${sources}`,
    '-o', 'Dir::Etc::SourceParts=-',
    '-o', `Dir::Cache=${cache}`,
    // Run by root, apt-get becomes another user for downloads, who cannot enter this folder.
    '-o', 'APT::Sandbox::User=root',
  ];
  await run('apt-get', [...options, 'update'], { cwd: folder });
  await run('apt-get', [...options, 'download', name], { cwd: folder });
}

async function debianMirror(): Promise<string> {
  const { stdout } = await run('apt-get', ['indextargets', '--format', '$(LABEL) $(REPO_URI)', 'Identifier: Packages']);
  const mirror = /^Debian (\S+)$/m.exec(stdout)?.[1];
  if (mirror === undefined) throw new Error('apt-get is not configured with a mirror of Debian, or was never updated');
  return mirror;
}
