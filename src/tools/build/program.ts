/**
 * Bundles the program into `dist/program`: a process, and each of its threads, then load a few files instead of hundreds.
 * The modules in `dist/src` stay what tests import, and what the single executable contains.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Plugin } from 'esbuild';
import { findBundler } from './bundler.js';

/** `placeholder`: without esbuild the modules are loaded as they are. */
export type BuiltProgram = 'made' | 'placeholder';

const MAIN = 'main.js';
/** They are loaded by their address, so each is a file of its own. */
const THREAD = /Thread\.js$/;
const ROOT_MODULE = 'program-root';
/** Modules move when they are bundled: their own address stays what it was below `dist/src`. */
const ROOT_CODE = `const root = import.meta.url.replace(/\\/dist\\/program\\/.*$/s, '/dist/program/');
export const moduleUrl = (path) => root + path;
`;

/** `source` is the folder of the compiled modules. */
export async function buildProgram(source: string, target: string): Promise<BuiltProgram> {
  const bundler = findBundler();
  rmSync(target, { recursive: true, force: true });
  if (bundler === null) {
    mkdirSync(target, { recursive: true });
    writeFileSync(join(target, MAIN), `#!/usr/bin/env node\nawait import('../src/${MAIN}');\n`, { mode: 0o755 });
    return 'placeholder';
  }
  const threads = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => THREAD.test(name));
  await bundler.build({
    entryPoints: [MAIN, ...threads].map((name) => join(source, name)),
    outbase: source,
    outdir: target,
    entryNames: '[dir]/[name]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    sourcemap: true,
    plugins: [addresses(source)],
  });
  return 'made';
}

function addresses(source: string): Plugin {
  return {
    name: 'addresses',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: new RegExp(`^${ROOT_MODULE}$`) }, ({ path }) => ({ path, namespace: ROOT_MODULE }));
      onLoad({ filter: /.*/, namespace: ROOT_MODULE }, () => ({ contents: ROOT_CODE }));
      onLoad({ filter: /\.js$/ }, async ({ path }) => {
        const code = await readFile(path, 'utf8');
        if (!code.includes('import.meta.url')) return null;
        const own = JSON.stringify(relative(source, path).replaceAll('\\', '/'));
        // On the first line, so that the others keep their numbers.
        return { contents: `import { moduleUrl } from '${ROOT_MODULE}'; ${code.replaceAll('import.meta.url', `moduleUrl(${own})`)}` };
      });
    },
  };
}
