/** The browser application as the build made it, in memory: a page for `/` and every path below `/app`, and its assets. */
import { existsSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { packagePath } from '../../paths.js';
import { loadPage, type Page } from './page.js';

const ASSETS = '/app/assets/';
const WORKER = '/app/worker.js';
/**
 * Nothing inline and nothing from elsewhere. Pictures of attachments are shown from memory. Texts cannot become HTML
 * but through the one sanitizer that makes trusted types.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "manifest-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // The names of DOMPurify's own policy, and of the one for the address of the service worker.
  'trusted-types dompurify worker',
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
};
const COMPRESSED = /\.(?:br|gz)$/;

export interface WebApp {
  /** Undefined if the path belongs to others, or names an asset that does not exist. */
  find(path: string): Page | undefined;
}

/** For a service without the application. */
export const NO_WEB_APP: WebApp = { find: () => undefined };

export function loadWebApp(folder = packagePath('dist', 'web')): WebApp {
  const page = load(join(folder, 'index.html'), 'no-cache');
  // Absent in a build without the application. Asked for again at every visit: it decides which page is shown.
  const worker = existsSync(join(folder, 'worker.js')) ? load(join(folder, 'worker.js'), 'no-cache', [['Service-Worker-Allowed', '/']]) : undefined;
  const assets = new Map<string, Page>();
  const inside = join(folder, 'assets');
  for (const name of existsSync(inside) ? readdirSync(inside) : []) {
    // The name changes with the content.
    if (!COMPRESSED.test(name)) assets.set(ASSETS + name, load(join(inside, name), 'public, max-age=31536000, immutable'));
  }
  return {
    find(path) {
      if (path === '/' || path === '/app') return page;
      if (path === WORKER) return worker;
      if (path.startsWith(ASSETS)) return assets.get(path);
      return path.startsWith('/app/') ? page : undefined;
    },
  };
}

function load(path: string, cacheControl: string, further: Page['headers'] = []): Page {
  const type = TYPES[extname(path)] ?? 'application/octet-stream';
  return loadPage(path, { type, policy: POLICY, cacheControl, others: [['Cross-Origin-Opener-Policy', 'same-origin'], ...further] });
}
