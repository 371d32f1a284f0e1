/** A real nats-server of a sufficient version, or the reason why there is none. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { downloadDebianPackage, downloadPackage, lastLine, unpackPackage } from '../service/debianPackages.js';
import { packageCache } from '../service/packageCache.js';
import { findProgram, isExecutable, type Found } from '../service/programs.js';

const run = promisify(execFile);

/** Names another program for all tests, such as a newer version for a long run. */
const CHOSEN = 'SWITCHBOARD_TEST_NATS';
/** Debian suites with newer packages, oldest first: 2.10.27, and 2.15 or later. Both run on Debian 12 as they are. */
const NEWER_SUITES = ['trixie', 'testing'];
const ANY_VERSION = '0.0.0';

/** The first version that the service accepts for replication: earlier ones lose streams when they are killed. */
export const REPLICATION_NATS = '2.10.23';
/** What deploy/machines.md recommends. */
export const RECOMMENDED_NATS = '2.12.3';

interface Wanted {
  readonly atLeast?: string;
  readonly cache?: string;
}

/** An installed server, or else Debian's package unpacked into a cache, which needs no root. */
export async function findNatsServer(wanted: Wanted = {}): Promise<Found> {
  const { atLeast = ANY_VERSION, cache = packageCache() } = wanted;
  const chosen = process.env[CHOSEN];
  if (chosen !== undefined) return isNewEnough(chosen, atLeast, CHOSEN);

  const cachedAs = (name: string): string => join(cache, name, 'usr', 'sbin', 'nats-server');
  const candidates = [await findProgram('nats-server'), ...['nats-server', ...NEWER_SUITES.map(folderOf)].map(cachedAs)];
  for (const path of candidates) {
    // One that does not run here is no candidate; the reason is found below.
    const version = path !== null && (await isExecutable(path)) && (await natsVersion(path).catch(() => null));
    if (path !== null && typeof version === 'string' && isAtLeast(version, atLeast)) return { path };
  }

  const wish = atLeast === ANY_VERSION ? 'nats-server' : `nats-server ${atLeast} or later`;
  if ((await findProgram('apt-get')) === null || (await findProgram('dpkg')) === null) {
    return { missing: `no ${wish} is installed, and without apt-get and dpkg it cannot be fetched` };
  }
  try {
    if (atLeast === ANY_VERSION) {
      await unpackPackage(cache, 'nats-server', (folder) => downloadPackage('nats-server', folder));
      return { path: cachedAs('nats-server') };
    }
    for (const suite of NEWER_SUITES) {
      const path = cachedAs(folderOf(suite));
      if (!(await isExecutable(path))) {
        await unpackPackage(cache, folderOf(suite), (folder) => downloadDebianPackage('nats-server', suite, folder));
      }
      if (isAtLeast(await natsVersion(path), atLeast)) return { path };
    }
    return { missing: `no ${wish} is installed, and Debian has none` };
  } catch (error) {
    return { missing: `no ${wish} is installed, and fetching it failed: ${lastLine(error)}` };
  }
}

/**
 * For tests that restart servers. On a busy machine about one server of 2.10.27 in a hundred hears the leaders after its restart
 * and is not heard by them, until it is restarted again; none of 2.15.1 in 350. deploy/machines.md tells operators the same. An
 * earlier version is taken where the recommended one is not to be had.
 */
export async function findClusterNats(): Promise<Found> {
  const recommended = await findNatsServer({ atLeast: RECOMMENDED_NATS });
  return 'path' in recommended ? recommended : findNatsServer({ atLeast: REPLICATION_NATS });
}

export async function natsVersion(program: string): Promise<string> {
  const { stdout } = await run(program, ['--version']);
  const version = /v(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  if (version === undefined) throw new Error(`${program} is not a nats-server: ${stdout.trim()}`);
  return version;
}

function folderOf(suite: string): string {
  return `nats-server-${suite}`;
}

async function isNewEnough(path: string, atLeast: string, setting: string): Promise<Found> {
  const version = await natsVersion(path);
  return isAtLeast(version, atLeast) ? { path } : { missing: `${setting} names version ${version}, not ${atLeast} or later` };
}

function isAtLeast(version: string, atLeast: string): boolean {
  return version.localeCompare(atLeast, 'en', { numeric: true }) >= 0;
}
