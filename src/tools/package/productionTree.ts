/** The files that the program needs at run time; all others stay out of the single executable. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, posix, relative, sep } from 'node:path';
import { findBinary } from '../../http/uWebSockets.js';
import { SQLITE_PACKAGE } from '../../store/sqlite/sqlite.js';

interface PackageManifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The build and the packaging; the browser application is served as the build made it. */
const NOT_RUN = /^dist\/src\/(?:tools|web)\/(?!package\/enter\.cjs$)/;
/** Used only when a package is installed. */
const INSTALLERS = ['@scarf/scarf', 'prebuild-install'];
/** Licenses must accompany the code. */
const LICENSE = /^(?:licen[cs]e|notice)/i;
const LOADABLE = /\.(?:[cm]?js|json|node)$/;
const UNLOADED_FOLDER = /^(?:benchmarks?|docs|examples?|tests?)\//;

/** The loaded files of packages that carry many others. */
const LOADED_PARTS: Readonly<Record<string, readonly string[]>> = {
  'better-sqlite3': [],
  'better-sqlite3-13': [],
  [SQLITE_PACKAGE]: ['package.json', 'lib/', 'build/Release/better_sqlite3.node', `prebuilds/${process.platform}-${process.arch}.node`],
  // Loaded without the code around it, which `productionTree` adds: one binary of one of them.
  'uWebSockets.js': [],
  uwebsockets: [],
};

/** Paths below the root of the package, sorted, with `/` as separator. */
export function productionTree(root: string): string[] {
  const program = filesBelow(root, 'dist/src').filter((path) => /\.c?js$/.test(path) && !NOT_RUN.test(path));
  const packages = [...productionPackages(root)].flatMap((folder) => loadedFiles(root, folder));
  const assets = ['dist/client', 'dist/docs', 'dist/web', 'schema'].flatMap((folder) => filesBelow(root, folder));
  // This Node becomes part of the executable.
  const uWebSockets = posix.join(...relative(root, findBinary().path).split(sep));
  return ['LICENSE', 'package.json', ...program, ...assets, ...packages, uWebSockets].sort();
}

/** The folders of all production dependencies, such as `node_modules/pino`. */
function productionPackages(root: string): Set<string> {
  const found = new Set<string>();
  const follow = (folder: string): void => {
    const text = readFileSync(join(root, folder, 'package.json'), 'utf8');
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(text) as PackageManifest;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      if (INSTALLERS.includes(name)) continue;
      const location = locate(root, folder, name);
      // Each optional one is for one platform, and the others are not installed.
      if (location === null && name in optionalDependencies) continue;
      if (location === null) throw new Error(`${name} is not installed, and ${folder || 'the program'} needs it`);
      if (found.has(location)) continue;
      found.add(location);
      follow(location);
    }
  };
  follow('');
  return found;
}

/** Searches like Node: the `node_modules` of the given folder, then of those above it. */
function locate(root: string, from: string, name: string): string | null {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/'), 0))) {
    const location = posix.join(folder, 'node_modules', name);
    if (existsSync(join(root, location, 'package.json'))) return location;
    if (folder === '') return null;
  }
}

function loadedFiles(root: string, folder: string): string[] {
  const parts = LOADED_PARTS[folder.replace(/^.*\bnode_modules\//, '')];
  return filesBelow(root, folder).filter((path) => {
    const file = path.slice(folder.length + 1);
    if (file.startsWith('node_modules/')) return false;
    if (LICENSE.test(basename(file))) return true;
    if (parts === undefined) return LOADABLE.test(file) && !UNLOADED_FOLDER.test(file);
    return parts.some((part) => file === part || (part.endsWith('/') && file.startsWith(part)));
  });
}

function filesBelow(root: string, folder: string): string[] {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  const start = join(root, folder).length + 1;
  return entries.filter((entry) => entry.isFile()).map((entry) => posix.join(folder, join(entry.parentPath, entry.name).slice(start)));
}
