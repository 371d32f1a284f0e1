/** The imports between the modules of src/, read from the import statements. */
import { readFile, readdir } from 'node:fs/promises';
import { join, posix, sep } from 'node:path';

export interface Module {
  /** Below src/, as in `store/lock.ts`. */
  readonly path: string;
  readonly text: string;
  /** Modules of the project, as paths below src/. */
  readonly imports: readonly string[];
  /** Names of packages, and of Node's own modules with their prefix. */
  readonly packages: readonly string[];
}

const SPECIFIERS = [
  /^(?:import|export)\s[^'";]*?\bfrom\s+'([^']+)'/gm,
  /^import\s+'([^']+)'/gm,
  /\bimport\(\s*'([^']+)'\s*\)/g,
  /\bresolve\(\s*'([^'.][^']*)'\s*\)/g,
];

export async function readModules(folder: string): Promise<Module[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => /\.(?:c?ts|tsx)$/.test(name)).sort();
  const paths = new Set(names.map((name) => name.split(sep).join('/')));
  return Promise.all(
    names.map(async (name) => {
      const module = toModule(name.split(sep).join('/'), await readFile(join(folder, name), 'utf8'));
      // Both `.ts` and `.tsx` are imported as `.js`.
      const imports = module.imports.map((path) => (!paths.has(path) && paths.has(`${path}x`) ? `${path}x` : path));
      return { ...module, imports };
    }),
  );
}

export function toModule(path: string, text: string): Module {
  const found = SPECIFIERS.flatMap((pattern) => [...text.matchAll(pattern)]);
  const specifiers = found.map(([, specifier = '']) => specifier);
  const isOurs = (specifier: string): boolean => specifier.startsWith('.');
  return {
    path,
    text,
    imports: specifiers.filter(isOurs).map((specifier) => posix.join(posix.dirname(path), specifier).replace(/\.(c?)js$/, '.$1ts')),
    packages: specifiers.filter((specifier) => !isOurs(specifier)).map(packageName),
  };
}

/** `store` for a module in that folder, the file name for a module directly in src/. */
export function layerOf(path: string): string {
  return path.split('/')[0] ?? path;
}

/** The first way found that leads from a module back to itself, or null. */
export function findCycle(modules: readonly Module[]): string[] | null {
  const byPath = new Map(modules.map((module) => [module.path, module]));
  const finished = new Set<string>();
  const visit = (path: string, trail: readonly string[]): string[] | null => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (finished.has(path)) return null;
    for (const next of byPath.get(path)?.imports ?? []) {
      const cycle = visit(next, [...trail, path]);
      if (cycle !== null) return cycle;
    }
    finished.add(path);
    return null;
  };
  for (const { path } of modules) {
    const cycle = visit(path, []);
    if (cycle !== null) return cycle;
  }
  return null;
}

function packageName(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
