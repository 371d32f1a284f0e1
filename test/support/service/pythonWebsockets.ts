/** Python with the package `websockets`, or the reason why there is none. */
import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { downloadPackage, lastLine, unpackPackage } from './debianPackages.js';
import { packageCache } from './packageCache.js';
import { findProgram } from './programs.js';

const run = promisify(execFile);
const PACKAGE = 'python3-websockets';

export type Python = { readonly path: string; readonly env: Readonly<Record<string, string>> } | { readonly missing: string };

/** Python's own, or else Debian's package unpacked into a cache, which needs no root. */
export async function findPythonWebsockets(): Promise<Python> {
  const path = await findProgram('python3');
  if (path === null) return { missing: 'no python3 is installed' };
  if (await hasWebsockets(path, {})) return { path, env: {} };
  if ((await findProgram('apt-get')) === null || (await findProgram('dpkg')) === null) {
    return { missing: `python3 has no websockets, and without apt-get and dpkg ${PACKAGE} cannot be fetched` };
  }
  const cache = packageCache();
  const env = { PYTHONPATH: join(cache, PACKAGE, 'usr', 'lib', 'python3', 'dist-packages') };
  try {
    const isUnpacked = await access(env.PYTHONPATH).then(
      () => true,
      () => false,
    );
    if (!isUnpacked) await unpackPackage(cache, PACKAGE, (folder) => downloadPackage(PACKAGE, folder));
  } catch (error) {
    return { missing: `python3 has no websockets, and fetching ${PACKAGE} failed: ${lastLine(error)}` };
  }
  return (await hasWebsockets(path, env)) ? { path, env } : { missing: `this python3 cannot load ${PACKAGE}` };
}

function hasWebsockets(path: string, env: Readonly<Record<string, string>>): Promise<boolean> {
  return run(path, ['-c', 'import websockets'], { env: { ...process.env, ...env } }).then(
    () => true,
    () => false,
  );
}
