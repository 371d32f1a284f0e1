/** Builds, unless nothing has changed since the last time. Not compiled itself: it runs before anything is. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The last is written by every installation: a library that was missing may be there now. */
const INPUTS = ['src', 'test', 'bench', 'schema', 'package.json', 'package-lock.json', 'tsconfig.json', 'node_modules/.package-lock.json'];
/** What the files in `dist` were built from. */
const STAMP = join(ROOT, 'dist', '.inputs');

const inputs = digestOfInputs();
if (readStamp() !== inputs) {
  const { status, error } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit' });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(STAMP, inputs);
}

function digestOfInputs() {
  const files = INPUTS.flatMap((name) => filesBelow(join(ROOT, name))).sort();
  const hash = createHash('sha256');
  for (const path of files) {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${path} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function filesBelow(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  if (!found.isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
}

function readStamp() {
  try {
    return readFileSync(STAMP, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}
