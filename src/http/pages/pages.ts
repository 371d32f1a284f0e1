/**
 * What the build made for readers and programs, served without external files: Swagger UI at /docs, Redoc at /redoc, the
 * events page, the documents as Markdown, and the client as a module. Also below /api.
 */
import { accessSync, existsSync } from 'node:fs';
import { packagePath } from '../../paths.js';
import { loadPage, type Page, type PageHeaders } from './page.js';

export interface Pages {
  /** Undefined if there is none. Throws if its file is gone. */
  find(path: string): Page | undefined;
}

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

/** In the menu of each document, see `menuOf`. Without the application it would lead nowhere. */
const WAY_HOME = /<a class="sb-home"[^>]*>.*?<\/a>/;

/**
 * Each page is read when it is first asked for: they have two megabytes, and most processes never show one. Price: after the
 * files of a running program were replaced, it shows the newer page.
 */
export function documentPages({ hasWebApp }: { readonly hasWebApp: boolean }): Pages {
  const withoutHome = (text: string): string => text.replace(WAY_HOME, '');
  const docs = (name: string, type: string, policy: string): LoadPage => {
    const edit = type === HTML && !hasWebApp ? { edit: withoutHome } : {};
    return loaderOf(packagePath('dist', 'docs', name), { type, policy, cacheControl: 'no-cache', ...edit });
  };
  const loaders = new Map<string, LoadPage>([
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
  return { find: (path) => loaders.get(path)?.() };
}

type LoadPage = () => Page;

/** A build that lacks the file is noticed at the start. */
function loaderOf(path: string, headers: PageHeaders): LoadPage {
  accessSync(path);
  let page: Page | null = null;
  return () => (page ??= loadPage(path, headers));
}

/** None if the program was built without a bundler. */
function clientFiles(): Array<[path: string, load: LoadPage]> {
  const file = (name: string): string => packagePath('dist', 'client', name);
  if (!existsSync(file('client.js'))) return [];
  const common = { policy: FILE_POLICY, cacheControl: CLIENT_CACHE };
  // Programs that load modules by address, such as Deno, find the types by this header.
  const types = [['X-TypeScript-Types', './client.d.ts']] as const;
  return [
    ['/client.js', loaderOf(file('client.js'), { ...common, type: SCRIPT, others: types })],
    ['/client.d.ts', loaderOf(file('client.d.ts'), { ...common, type: 'application/typescript; charset=utf-8' })],
  ];
}
