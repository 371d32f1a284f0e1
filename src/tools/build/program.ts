/**
 * Bundles the program into `dist/program`: a process, and each of its threads, then load one file instead of hundreds, with V8's
 * code cache. The modules in `dist/src` stay what tests import, and what the single executable contains.
 */
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Plugin } from 'esbuild';
import { cacheOf, compileBundle } from './bundled.js';
import { findBundler } from './bundler.js';

/** `placeholder`: without esbuild the modules are loaded as they are. */
export type BuiltProgram = 'made' | 'placeholder';

const MAIN = 'main.js';
/** They are loaded by their address, so each is a file of its own. */
const THREAD = /Thread\.js$/;
/** Valibot has both forms: of its modules only what is used gets into the bundle. The others are modules alone. */
const BUNDLED = /^(?:valibot|jose|openid-client|oauth4webapi)(?:\/|$)/;
const RUNNER = 'tools/build/bundled.js';
const ROOT_MODULE = 'program-root';
/** Modules move when they are bundled: their own address stays what it was below `dist/src`. */
const ROOT_CODE = `import { pathToFileURL } from 'node:url';
const root = pathToFileURL(__filename).href.replace(/\\/dist\\/program\\/.*$/s, '/dist/program/');
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
  const entries = [MAIN, ...threads];
  await bundler.build({
    entryPoints: entries.map((name) => join(source, name)),
    outbase: source,
    outdir: target,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    // A cache belongs to a script, which no module is.
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    plugins: [packages(), addresses(source)],
  });
  copyFileSync(join(source, RUNNER), join(target, 'bundled.js'));
  for (const name of entries) writeEntry(target, name);
  return 'made';
}

/** The file that is started, and the cache of its bundle. */
function writeEntry(target: string, name: string): void {
  const runner = relative(dirname(name), 'bundled.js');
  const address = runner.startsWith('.') ? runner : `./${runner}`;
  const code = `#!/usr/bin/env node\nimport { runBundle } from '${address}';\nrunBundle(import.meta.url);\n`;
  writeFileSync(join(target, name), code, { mode: 0o755 });
  const bundle = join(target, name.replace(/\.js$/, '.cjs'));
  writeFileSync(cacheOf(bundle), compileBundle(bundle).createCachedData());
}

/**
 * What Node finds in `node_modules` stays there, but for packages of modules alone: not every Node 20 can require them, and a
 * script that runs from its cache can import nothing.
 */
function packages(): Plugin {
  return {
    name: 'packages',
    setup({ onResolve }) {
      onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
        if (kind === 'entry-point' || path === ROOT_MODULE || BUNDLED.test(path)) return undefined;
        return { path, external: true };
      });
    },
  };
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
