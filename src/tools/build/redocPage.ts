/** Builds the page at /redoc: one file that fetches only the icon of /docs. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compress } from './compress.js';
import { MENU_STYLE, menuOf } from './documentPages.js';

/** `current`: built earlier. `placeholder`: on a machine without redoc-cli, which is a development dependency. */
export type BuiltPage = 'made' | 'current' | 'placeholder';

/** Redoc's default is a web font. */
const FONT = 'system-ui, sans-serif';
const OPTIONS = ['--disableGoogleFont', `--options.theme.typography.fontFamily=${FONT}`, `--options.theme.typography.headings.fontFamily=${FONT}`];
/** The picture beside "powered by Redoc", which the page would fetch. */
const LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg';
const NO_PICTURE = 'data:,';
/** Redoc has no dark theme: its colours are inverted, and the colours of pictures and the menu inverted back. */
const STYLE = `<meta name="color-scheme" content="light dark">
<style>${MENU_STYLE}
html, body { overflow-x: clip; }
@media (prefers-color-scheme: dark) {
  html { background: #121212; }
  #redoc { filter: invert(0.93) hue-rotate(180deg); background: #fff; }
  #redoc img { filter: invert(1) hue-rotate(180deg); }
}
</style>`;
/** Without it a browser requests /favicon.ico, which does not exist. */
const ICON = '<link rel="icon" href="docs/favicon.png">';
/**
 * Everything that makes a browser fetch: tags, properties of elements that a script creates, styles. Links do not
 * count.
 */
const FETCHES = [
  /<(?:script|link|img|iframe|source|object|embed)\b[^>]*?\b(?:src|href|data)\s*=\s*["']?(?:https?:)?\/\/[^"'\s>]*/gi,
  /\bsrc\s*[:=]\s*["'`](?:https?:)?\/\/[^"'`]*/gi,
  /\burl\(\s*["']?(?:https?:)?\/\/[^"')]*/gi,
  /@import\s+["'](?:https?:)?\/\/[^"']*/gi,
];

const PLACEHOLDER = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Switchboard API</title></head>
  <body><p>This build has no Redoc page. The same documentation is at <a href="docs">/docs</a>.</p></body>
</html>
`;

/** `document`: the path of the OpenAPI document; `page`: of the page. */
export function buildRedocPage(document: string, page: string): BuiltPage {
  mkdirSync(dirname(page), { recursive: true });
  const redoc = findRedocCli();
  if (redoc === null) {
    if (existsSync(page)) return 'current';
    writeFileSync(page, PLACEHOLDER);
    return 'placeholder';
  }
  const stamp = stampOf(readFileSync(document), redoc.version);
  if (existsSync(`${page}.gz`) && readFileSync(page, 'utf8').endsWith(stamp)) return 'current';

  const draft = `${page}.new`;
  execFileSync(process.execPath, [redoc.program, 'build', document, '-o', draft, ...OPTIONS], { stdio: 'pipe' });
  const plain = readFileSync(draft, 'utf8').replaceAll(LOGO, NO_PICTURE).replace('<head>', `<head>\n  ${ICON}\n  ${STYLE}`);
  const html = plain.replace(/<body[^>]*>/, (tag) => `${tag}\n${menuOf('redoc')}`);
  const fetches = FETCHES.flatMap((pattern) => html.match(pattern) ?? []);
  if (fetches.length > 0) throw new Error(`The Redoc page would fetch from other servers:\n${fetches.join('\n')}`);
  writeFileSync(draft, html + stamp);
  renameSync(draft, page);
  compress(page);
  return 'made';
}

function findRedocCli(): { readonly program: string; readonly version: string } | null {
  const { resolve } = createRequire(import.meta.url);
  try {
    const manifest = resolve('redoc-cli/package.json');
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
    return { program: resolve('redoc-cli'), version };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}

/** The end of a page names its inputs: the document, redoc-cli and this module. */
function stampOf(document: Uint8Array, redocVersion: string): string {
  const module = readFileSync(fileURLToPath(import.meta.url));
  const hash = createHash('sha256')
    .update(redocVersion)
    .update(module)
    .update(MENU_STYLE + menuOf('redoc'))
    .update(document)
    .digest('hex');
  return `<!-- ${hash} -->\n`;
}
