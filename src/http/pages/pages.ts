/**
 * What the build made for readers and programs, served without external files: Swagger UI at /docs, Redoc at /redoc, the
 * events page, the documents as Markdown, and the client as a module. Also below /api.
 */
import { existsSync } from 'node:fs';
import { packagePath } from '../../paths.js';
import { loadPage, type Page } from './page.js';

export type Pages = ReadonlyMap<string, Page>;

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

const SWAGGER_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";
/** Redoc's page is one file: script and styles are inline, and its search runs in a worker made from a blob. */
const REDOC_POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src 'self' data:; worker-src blob:; frame-ancestors 'none'";
const EVENTS_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; frame-ancestors 'none'";
const MARKDOWN = 'text/markdown; charset=utf-8';
const FILE_POLICY = "default-src 'none'; frame-ancestors 'none'";
/** Its address does not name its version. An older one still works with this service for so long. */
const CLIENT_CACHE = 'public, max-age=300, must-revalidate';

export function loadPages(): Pages {
  const docs = (name: string, type: string, policy: string): Page =>
    loadPage(packagePath('dist', 'docs', name), { type, policy, cacheControl: 'no-cache' });
  return new Map([
    ['/docs', docs('docs.html', HTML, SWAGGER_POLICY)],
    ['/docs/start.js', docs('start.js', SCRIPT, SWAGGER_POLICY)],
    ['/docs/swagger-ui.css', docs('swagger-ui.css', 'text/css; charset=utf-8', SWAGGER_POLICY)],
    ['/docs/swagger-ui-bundle.js', docs('swagger-ui-bundle.js', SCRIPT, SWAGGER_POLICY)],
    ['/docs/favicon.png', docs('favicon.png', 'image/png', SWAGGER_POLICY)],
    ['/docs/menu.css', docs('menu.css', 'text/css; charset=utf-8', SWAGGER_POLICY)],
    ['/docs/narrow.css', docs('narrow.css', 'text/css; charset=utf-8', SWAGGER_POLICY)],
    ['/docs/events', docs('events.html', HTML, EVENTS_POLICY)],
    ['/docs/events.md', docs('events.md', MARKDOWN, FILE_POLICY)],
    ['/docs/api.md', docs('api.md', MARKDOWN, FILE_POLICY)],
    ['/llms.txt', docs('llms.txt', MARKDOWN, FILE_POLICY)],
    ['/redoc', docs('redoc.html', HTML, REDOC_POLICY)],
    ...clientFiles(),
  ]);
}

/** None if the program was built without a bundler. */
function clientFiles(): Array<[path: string, page: Page]> {
  const file = (name: string): string => packagePath('dist', 'client', name);
  if (!existsSync(file('client.js'))) return [];
  const common = { policy: FILE_POLICY, cacheControl: CLIENT_CACHE };
  // Programs that load modules by address, such as Deno, find the types by this header.
  const types = [['X-TypeScript-Types', './client.d.ts']] as const;
  return [
    ['/client.js', loadPage(file('client.js'), { ...common, type: SCRIPT, others: types })],
    ['/client.d.ts', loadPage(file('client.d.ts'), { ...common, type: 'application/typescript; charset=utf-8' })],
  ];
}
