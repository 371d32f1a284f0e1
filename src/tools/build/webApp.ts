/**
 * Builds the browser application: scripts and styles with hashed names, each also compressed, and the page that loads
 * them. Nothing of it is needed at run time but these files.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, parse } from 'node:path';
import { findBundler } from './bundler.js';
import { compress } from './compress.js';

/** `placeholder`: on a machine without esbuild, which is a development dependency, and without an earlier build. */
export type BuiltApp = 'made' | 'current' | 'placeholder';

const ASSETS = '/app/assets/';
/** The header of the page in both themes, for the bar of a phone's browser. */
const LIGHT = '#ffffff';
const DARK = '#1c2029';
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
    entryPoints: [join(source, 'main.tsx'), join(source, 'style.css'), join(source, 'style', 'later.css')],
    outdir: assets,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    // Every part that is loaded later needs the application around it. As all of them say so, what they share with it is one file, not one for each
    // combination: a first visit takes few requests.
    inject: [join(source, 'App.tsx')],
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
  const icons = writeIcons(join(source, 'icons'), assets);
  const manifest = writeHashed(assets, 'manifest.webmanifest', JSON.stringify(manifestOf(icons)));
  writeFileSync(
    join(target, 'index.html'),
    pageOf({
      script: named('main.tsx'),
      style: named('style.css'),
      laterStyle: named('later.css'),
      preloaded,
      icon: icons.svg,
      touchIcon: icons.touch,
      manifest,
    }),
  );
  for (const name of readdirSync(assets)) compress(join(assets, name));
  compress(join(target, 'index.html'));
  compress(join(target, 'worker.js'));
  return 'made';
}

/** Addresses. */
interface Icons {
  readonly svg: string;
  /** For the home screens of phones, in the sizes that their browsers ask for. */
  readonly small: string;
  readonly large: string;
  /** Without corners: the phone cuts its own. */
  readonly maskable: string;
  readonly touch: string;
}

function writeIcons(source: string, assets: string): Icons {
  const write = (name: string): string => writeHashed(assets, name, readFileSync(join(source, name)));
  return {
    svg: write('icon.svg'),
    small: write('icon-192.png'),
    large: write('icon-512.png'),
    maskable: write('maskable-512.png'),
    touch: write('touch-180.png'),
  };
}

/** Returns its address. */
function writeHashed(assets: string, name: string, content: string | Buffer): string {
  const { name: stem, ext } = parse(name);
  const hashed = `${stem}-${createHash('sha256').update(content).digest('hex').slice(0, 8)}${ext}`;
  writeFileSync(join(assets, hashed), content);
  return ASSETS + hashed;
}

/** With it a phone puts the application on its home screen. */
function manifestOf({ svg, small, large, maskable }: Icons): object {
  return {
    name: 'Switchboard',
    short_name: 'Switchboard',
    start_url: '/',
    scope: '/',
    display: 'standalone',
    background_color: LIGHT,
    theme_color: LIGHT,
    icons: [
      { src: small, sizes: '192x192', type: 'image/png' },
      { src: large, sizes: '512x512', type: 'image/png' },
      { src: maskable, sizes: '512x512', type: 'image/png', purpose: 'maskable' },
      { src: svg, sizes: 'any', type: 'image/svg+xml' },
    ],
  };
}

interface Parts {
  readonly script: string;
  readonly style: string;
  readonly laterStyle: string;
  readonly preloaded: readonly string[];
  readonly icon: string;
  readonly touchIcon: string;
  readonly manifest: string;
}

function pageOf({ script, style, laterStyle, preloaded, icon, touchIcon, manifest }: Parts): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="${LIGHT}">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="${DARK}">
<title>Switchboard</title>
<link rel="icon" href="${icon}" type="image/svg+xml">
<link rel="apple-touch-icon" href="${touchIcon}">
<link rel="manifest" href="${manifest}">
<link rel="stylesheet" href="${style}">
<meta name="later-style" content="${laterStyle}">
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
