/**
 * Loads better-sqlite3, in the version that this Node can run: 13 crashes Node 20, and 12 ends a process under Node 24.19 or later
 * whenever one of its objects is collected as garbage.
 */
import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';
import { UnsupportedHost } from '../../domain/errors.js';

/** `process.versions.modules` of Node 24. */
const NODE_24 = 137;

/** By `process.versions.modules`, which a binary is compiled for. */
const NODE_OF: Readonly<Record<string, string>> = { 115: 'Node 20', 127: 'Node 22', 137: 'Node 24' };

/** `process.versions`. */
type Versions = Readonly<Record<'node' | 'modules', string>>;

/** The package, below `node_modules`. */
export const SQLITE_PACKAGE = packageFor(process.versions);

export const Sqlite = loadSqlite(process.versions, createRequire(import.meta.url));

/** Throws `UnsupportedHost`. */
export function loadSqlite(versions: Versions, load: (name: string) => unknown): typeof BetterSqlite3 {
  const name = packageFor(versions);
  try {
    const Sqlite = load(name) as typeof BetterSqlite3;
    // Its binary is loaded with the first database.
    new Sqlite(':memory:').close();
    return Sqlite;
  } catch (error) {
    throw new UnsupportedHost(whyNotLoaded(name, versions.node, error), { cause: error });
  }
}

function packageFor({ modules }: Versions): string {
  return Number(modules) >= NODE_24 ? 'better-sqlite3-13' : 'better-sqlite3';
}

function whyNotLoaded(name: string, node: string, error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  // npm leaves an optional package out if the Node that installs does not need it, or when it is told to.
  if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') {
    return `${name} is not installed, and Node ${node} needs it: run npm ci with this Node, without --omit=optional.`;
  }
  const [, abi] = /NODE_MODULE_VERSION (\d+)/.exec(reason) ?? [];
  if (abi === undefined) return `${name} cannot be loaded: ${reason}`;
  const installer = NODE_OF[abi] ?? `another version of Node (NODE_MODULE_VERSION ${abi})`;
  return `${name} was installed for ${installer}, and this is Node ${node}: run npm ci with this Node, which installs all packages for it.`;
}
