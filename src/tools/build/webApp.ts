/**
 * Builds the browser application: scripts and styles with hashed names, each also compressed, and the page that loads
 * them. Nothing of it is needed at run time but these files.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { findBundler } from './bundler.js';
import { compress } from './compress.js';

/** `placeholder`: on a machine without esbuild, which is a development dependency, and without an earlier build. */
export type BuiltApp = 'made' | 'current' | 'placeholder';

const ASSETS = '/app/assets/';
const PLACEHOLDER = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Switchboard</title></head>
  <body><p>This build has no browser application. The API is described at <a href="/docs">/docs</a>.</p></body>
</html>
`;

/** `source` is the folder of the application, `target` the folder of what is served. */
export function buildWebApp(source: string, target: string): BuiltApp {
  const bundler = findBundler();
  if (bundler === null) {
    if (existsSync(join(target, 'index.html'))) return 'current';
    mkdirSync(target, { recursive: true });
    writeFileSync(join(target, 'index.html'), PLACEHOLDER);
    return 'placeholder';
  }
  rmSync(target, { recursive: true, force: true });
  const assets = join(target, 'assets');
  const { metafile } = bundler.buildSync({
    entryPoints: [join(source, 'main.tsx'), join(source, 'style.css')],
    outdir: assets,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    legalComments: 'linked',
    metafile: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
  });
  bundler.buildSync({
    entryPoints: [join(source, 'worker', 'worker.ts')],
    outdir: target,
    bundle: true,
    format: 'iife',
    target: 'es2022',
    minify: true,
    metafile: true,
  });
  const made = Object.entries(metafile.outputs);
  const named = (entry: string): string =>
    ASSETS + basename(made.find(([, { entryPoint = '' }]) => basename(entryPoint) === entry)?.[0] ?? missing(entry));
  const main = made.find(([, { entryPoint = '' }]) => basename(entryPoint) === 'main.tsx')?.[1];
  const preloaded = (main?.imports ?? []).filter(({ kind }) => kind === 'import-statement').map(({ path }) => ASSETS + basename(path));
  const icon = writeIcon(source, assets);
  writeFileSync(join(target, 'index.html'), pageOf({ script: named('main.tsx'), style: named('style.css'), preloaded, icon }));
  for (const name of readdirSync(assets)) compress(join(assets, name));
  compress(join(target, 'index.html'));
  compress(join(target, 'worker.js'));
  return 'made';
}

function writeIcon(source: string, assets: string): string {
  const icon = readFileSync(join(source, 'icon.svg'));
  const name = `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`;
  writeFileSync(join(assets, name), icon);
  return ASSETS + name;
}

interface Parts {
  readonly script: string;
  readonly style: string;
  readonly preloaded: readonly string[];
  readonly icon: string;
}

function pageOf({ script, style, preloaded, icon }: Parts): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>Switchboard</title>
<link rel="icon" href="${icon}" type="image/svg+xml">
<link rel="stylesheet" href="${style}">
${preloaded.map((path) => `<link rel="modulepreload" href="${path}">\n`).join('')}<script type="module" src="${script}"></script>
</head>
<body>
<div id="app"></div>
<noscript>Switchboard needs JavaScript. The API is described at <a href="/docs">/docs</a>.</noscript>
</body>
</html>
`;
}

function missing(entry: string): never {
  throw new Error(`the build of the browser application has no ${entry}`);
}
