/** Builds the documents for people: the events page, Markdown and llms.txt, and the menu that all pages share. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { OpenAPIObject } from 'openapi3-ts/oas31';
import type { AsyncApiDocument } from '../../api/describe/asyncapi.js';
import { apiMarkdown, eventsMarkdown, llmsText } from '../../api/describe/markdown.js';
import { compress } from './compress.js';

/** Relative, so that the pages also work below /api and below a proxy's prefix. `depth` folders below the root. */
export type DocsPage = 'docs' | 'redoc' | 'docs/events';

const MENU: ReadonlyArray<readonly [page: DocsPage, title: string]> = [
  ['docs', 'Try it'],
  ['redoc', 'Reference'],
  ['docs/events', 'Events'],
];

/** Light and dark, as the reader's system is, and nothing wider than a phone. */
export const MENU_STYLE = `
.sb-menu { position: relative; display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 18px; padding: 10px clamp(12px, 3vw, 28px);
  background: #1a1e27; color: #e7eaf1; font: 15px/1.5 system-ui, sans-serif; }
.sb-menu a { color: #c9d1ff; text-decoration: none; padding: 2px 0; }
.sb-menu .sb-home { margin-right: auto; color: #fff; font-weight: 600; }
.sb-menu a:hover, .sb-menu a:focus-visible { text-decoration: underline; }
.sb-menu a[aria-current] { color: #fff; border-bottom: 2px solid #a3b0ff; }
`;

const EVENTS_STYLE = `
:root { color-scheme: light dark; --ink: #1a1e27; --muted: #575f6e; --line: #d5d9e2; --paper: #fff; --sunken: #f3f4f8; --accent: #3d4ccc; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e7eaf1; --muted: #a3acbb; --line: #333a47; --paper: #12141a; --sunken: #1e222b; --accent: #a3b0ff; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 860px; margin: 0 auto; padding: 8px clamp(12px, 3vw, 28px) 60px; }
a { color: var(--accent); }
h2 { margin-top: 2.2em; border-bottom: 1px solid var(--line); padding-bottom: .2em; }
h3 { margin-top: 2em; }
h4 { margin: 2em 0 .3em; font: 600 1.05em ui-monospace, monospace; }
code, pre { font: .88em/1.5 ui-monospace, monospace; background: var(--sunken); border-radius: 4px; }
code { padding: .1em .3em; }
pre { padding: 12px; overflow-x: auto; white-space: pre-wrap; max-height: 22em; overflow-y: auto; }
pre code { padding: 0; background: none; }
table { border-collapse: collapse; width: 100%; font-size: .92em; }
th, td { text-align: left; vertical-align: top; padding: 4px 10px 4px 0; border-bottom: 1px solid var(--line); }
.contents { columns: 16em; padding-left: 1.2em; font: .9em/1.6 ui-monospace, monospace; }
`;

/** The way back to the application is at the root, unlike these pages. */
export function menuOf(current: DocsPage): string {
  const up = '../'.repeat(current.split('/').length - 1);
  const links = MENU.map(([page, title]) => `<a href="${up}${page}"${page === current ? ' aria-current="page"' : ''}>${title}</a>`);
  return `<nav class="sb-menu" aria-label="Documentation"><a class="sb-home" href="/">← Switchboard</a>${links.join('')}<a href="${up}docs/api.md">Markdown</a></nav>`;
}

export function buildDocumentPages(openApi: OpenAPIObject, asyncApi: AsyncApiDocument, version: string, target: string): void {
  mkdirSync(target, { recursive: true });
  const events = eventsMarkdown(asyncApi);
  const files = {
    'api.md': apiMarkdown(openApi),
    'events.md': events,
    'llms.txt': llmsText(version),
    'menu.css': MENU_STYLE,
    'events.html': eventsPage(events),
  };
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(target, name), content);
    compress(join(target, name));
  }
}

function eventsPage(markdown: string): string {
  const body = renderMarkdown(markdown);
  const names = [...body.matchAll(/<h4 id="([^"]+)">([^<]+)<\/h4>/g)];
  const contents = names.map(([, id = '', name = '']) => `<li><a href="#${id}">${name}</a></li>`).join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Switchboard events</title>
<link rel="icon" href="favicon.png">
<style>${MENU_STYLE}${EVENTS_STYLE}</style>
</head>
<body>
${menuOf('docs/events')}
<main>
${body.replace('</h1>', `</h1>\n<details><summary>All messages</summary><ul class="contents">${contents}</ul></details>`)}
</main>
</body>
</html>
`;
}

/** Without the library, which is a development dependency, the page shows the Markdown as it is. */
function renderMarkdown(markdown: string): string {
  const marked = findMarked();
  if (marked === null) return `<pre>${markdown.replace(/[&<>]/g, (letter) => `&#${letter.charCodeAt(0)};`)}</pre>`;
  const used = new Set<string>();
  return marked.parse(markdown).replace(/<h([1-4])>(.*?)<\/h\1>/g, (_match, level: string, text: string) => {
    const base = text
      .replace(/<[^>]*>/g, '')
      .toLowerCase()
      .replace(/[^\w.]+/g, '-');
    let id = base;
    for (let n = 2; used.has(id); n += 1) id = `${base}-${n}`;
    used.add(id);
    return `<h${level} id="${id}">${text}</h${level}>`;
  });
}

function findMarked(): { parse(markdown: string): string } | null {
  try {
    return createRequire(import.meta.url)('marked') as { parse(markdown: string): string };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}
