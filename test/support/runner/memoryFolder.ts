/**
 * The folder of the system that is in memory. Most tests wait for flushes, and none of them loses the power: a killed
 * process leaves the same files there, and the tests of power cuts record what is flushed.
 */
import { readFileSync, statfsSync } from 'node:fs';

const FOLDER = '/dev/shm';
/** Three files at once, with browsers, which keep memory there too. */
const MIN_FREE_BYTES = 4 * 1024 ** 3;

/** Null if there is none, it is small, programs in it do not run, or the caller has chosen a folder with TMPDIR. */
export function findMemoryFolder(environment: NodeJS.ProcessEnv = process.env): string | null {
  if (process.platform !== 'linux' || environment['TMPDIR'] !== undefined) return null;
  const mounts = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '));
  const [, , kind = '', options = ''] = mounts.find(([, path]) => path === FOLDER) ?? [];
  if (kind !== 'tmpfs' || options.split(',').some((option) => option === 'noexec' || option === 'ro')) return null;
  const { bavail, bsize } = statfsSync(FOLDER);
  return Math.min(bavail * bsize, availableBytes()) >= MIN_FREE_BYTES ? FOLDER : null;
}

function availableBytes(): number {
  const [, kibibytes = '0'] = /^MemAvailable: +(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8')) ?? [];
  return Number(kibibytes) * 1024;
}
