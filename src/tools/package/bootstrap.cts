/**
 * The first code of the single executable. Native modules and threads start from files, so it unpacks the program into
 * a private folder, or finds it there unchanged, and continues from that. Node requires the first code to be one
 * CommonJS file with Node's own modules only, and it runs before there is a configuration.
 */
import crypto = require('node:crypto');
import fs = require('node:fs');
import nodeModule = require('node:module');
import os = require('node:os');
import path = require('node:path');
import sea = require('node:sea');

/** The asset `manifest`, as JSON: describes the other assets. */
export interface Manifest {
  /** Derived from the files, so that every build has its own folder. */
  readonly id: string;
  /** SHA-256 in hexadecimal, by path below the root of the package. The content is the asset of that name. */
  readonly files: Readonly<Record<string, string>>;
}

type Unpacked = { kind: 'absent' } | { kind: 'intact' } | { kind: 'changed'; file: string };

/** EX_CANTCREAT of sysexits.h. */
const EXIT_CANNOT_UNPACK = 73;
const ENTRANCE = './dist/src/tools/package/enter.cjs';
const WRITABLE_BY_OTHERS = 0o022;
const OPEN_TO_OTHERS = 0o077;
/** In a sticky folder only the owner of an entry can rename or remove it. */
const STICKY = 0o1000;

const manifest = JSON.parse(sea.getAsset('manifest', 'utf8')) as Manifest;
const program = findProgram();
if (program !== null) nodeModule.createRequire(path.join(program, 'package.json'))(ENTRANCE);

/** The folder with the program; null if there is none, after the reasons are printed and the exit code is set. */
function findProgram(): string | null {
  const refusals: string[] = [];
  for (const cache of cacheFolders()) {
    try {
      preparePrivateFolder(cache);
      return programIn(cache);
    } catch (error) {
      refusals.push(`  - ${cache}: ${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
  process.stderr.write(
    `switchboard: The program found no folder to unpack itself into.\n${refusals.join('')}` +
      'Set XDG_CACHE_HOME to a folder that you alone can write to.\n',
  );
  process.exitCode = EXIT_CANNOT_UNPACK;
  return null;
}

/** In order of preference. The last is for users without a home, such as service users. */
function cacheFolders(): string[] {
  const { XDG_CACHE_HOME: cache = '', HOME: home = '' } = process.env;
  const ownFolders = [cache, path.join(home, '.cache')].filter((folder) => path.isAbsolute(folder));
  return [...ownFolders.map((folder) => path.join(folder, 'switchboard')), path.join(os.tmpdir(), `switchboard-cache-${process.getuid?.()}`)];
}

/** Its files are executed, so no other user may be able to change them or to replace the folder. */
function preparePrivateFolder(folder: string): void {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const user = process.getuid?.();
  const own = fs.lstatSync(folder);
  if (!own.isDirectory() || own.uid !== user) throw new Error('it is not a folder of yours');
  if ((own.mode & OPEN_TO_OTHERS) !== 0) throw new Error('it is open to others; its mode must be 0700');
  const parent = fs.statSync(path.dirname(folder));
  if ((parent.mode & STICKY) !== 0) return;
  if ((parent.uid === user || parent.uid === 0) && (parent.mode & WRITABLE_BY_OTHERS) === 0) return;
  throw new Error('others can change the folder that it is in');
}

function programIn(cache: string): string {
  const folder = path.join(cache, manifest.id);
  const found = inspect(folder);
  if (found.kind === 'intact') return folder;
  const draft = fs.mkdtempSync(path.join(cache, 'draft-'));
  try {
    unpack(draft);
    if (found.kind === 'changed') {
      const file = path.join(folder, found.file);
      process.stderr.write(`switchboard: ${file} is not as unpacked; all is unpacked again.\n`);
    }
    replace(folder, found, draft);
    return folder;
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

/** Reads everything at every start: the files could have been changed, or truncated by a crash, at any time. */
function inspect(folder: string): Unpacked {
  if (fs.lstatSync(folder, { throwIfNoEntry: false }) === undefined) return { kind: 'absent' };
  const missing = new Set(Object.keys(manifest.files));
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const location = path.join(entry.parentPath, entry.name);
    const file = path.relative(folder, location);
    // An unknown file counts too, because modules are looked up by name. So does a link to another place.
    const isKnown = entry.isFile() && missing.delete(file);
    if (!isKnown || hash(location) !== manifest.files[file]) return { kind: 'changed', file };
  }
  const [file] = missing;
  return file === undefined ? { kind: 'intact' } : { kind: 'changed', file };
}

function hash(file: string): string {
  return crypto.createHash('sha256').update(fs.readFileSync(file)).digest('hex');
}

function unpack(draft: string): void {
  for (const file of Object.keys(manifest.files)) {
    const target = path.join(draft, 'program', file);
    fs.mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
    fs.writeFileSync(target, Buffer.from(sea.getRawAsset(file) as ArrayBuffer), { mode: 0o400 });
  }
}

/** In one step, so that another start sees the whole program or nothing. */
function replace(folder: string, found: Unpacked, draft: string): void {
  try {
    if (found.kind === 'changed') fs.renameSync(folder, path.join(draft, 'changed'));
    fs.renameSync(path.join(draft, 'program'), folder);
  } catch (error) {
    // Another start was faster. Its result is as good as ours.
    if (inspect(folder).kind !== 'intact') throw error;
  }
}
