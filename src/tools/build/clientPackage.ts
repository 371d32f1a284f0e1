/**
 * Builds the client as others install and load it into `dist/client`: one module and its types, which the service also
 * serves at `/client.js`, with the manifest, README and licence of the package.
 */
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findBundler } from './bundler.js';
import { joinTypes } from './clientTypes.js';
import { compress } from './compress.js';

/** `missing`: on a machine without esbuild, which is a development dependency, and without an earlier build. */
export type BuiltClient = 'made' | 'current' | 'missing';

export interface ClientSources {
  /** The compiled modules and their types. */
  readonly compiled: string;
  readonly readme: string;
  readonly license: string;
  readonly version: string;
}

export const CLIENT_PACKAGE = 'switchboard-client';
const MODULE = 'client.js';
const TYPES = 'client.d.ts';

export function buildClient({ compiled, readme, license, version }: ClientSources, target: string): BuiltClient {
  const bundler = findBundler();
  if (bundler === null) return existsSync(join(target, MODULE)) ? 'current' : 'missing';
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  bundler.buildSync({
    entryPoints: [join(compiled, 'index.js')],
    outfile: join(target, MODULE),
    bundle: true,
    format: 'esm',
    // Browsers, Node and others: the client uses nothing of one platform alone.
    platform: 'neutral',
    target: 'es2022',
    banner: { js: `/*! ${CLIENT_PACKAGE} ${version}, MIT */` },
    metafile: true,
  });
  writeFileSync(join(target, TYPES), joinTypes(join(compiled, 'index.d.ts')));
  for (const name of [MODULE, TYPES]) compress(join(target, name));
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest(version), null, 2)}\n`);
  copyFileSync(readme, join(target, 'README.md'));
  copyFileSync(license, join(target, 'LICENSE'));
  return 'made';
}

function manifest(version: string): object {
  return {
    name: CLIENT_PACKAGE,
    version,
    description: 'The typed client of Switchboard: every operation as a method, and boards that stay current.',
    license: 'MIT',
    type: 'module',
    sideEffects: false,
    exports: { '.': { types: `./${TYPES}`, default: `./${MODULE}` } },
    types: `./${TYPES}`,
    files: [MODULE, TYPES],
    engines: { node: '>=20' },
  };
}
