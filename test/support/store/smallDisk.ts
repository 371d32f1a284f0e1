/** A disk of a few megabytes, which a test can fill. */
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { lookFor } from '../service/programs.js';
import { temporaryFolder } from './folder.js';

const run = promisify(execFile);

/** The folder where it is mounted, or the reason why there is none. */
export async function smallDisk(t: Test, bytes: number): Promise<{ folder: string } | { missing: string }> {
  if (process.platform !== 'linux') return { missing: 'a small disk can be mounted on Linux only' };
  const [mount, umount] = [await lookFor('mount'), await lookFor('umount')];
  if ('missing' in mount) return mount;
  if ('missing' in umount) return umount;
  const folder = join(await temporaryFolder(t), 'disk');
  await mkdir(folder);
  try {
    await run(mount.path, ['-t', 'tmpfs', '-o', `size=${bytes}`, 'switchboard-test', folder]);
  } catch (error) {
    return { missing: `a small disk cannot be mounted here: ${String(error)}` };
  }
  t.teardown(() => run(umount.path, ['--lazy', folder]));
  return { folder };
}
