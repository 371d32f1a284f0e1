/**
 * The service worker: keeps the page and the scripts that it has loaded, so that they open while the service is away. It
 * answers nothing of the API, and keeps nothing of users.
 */

/** The parts of its global scope that it uses; the library of types describes pages. */
interface WorkerScope {
  readonly location: { readonly origin: string };
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(kind: 'install' | 'activate', listener: (event: Lasting) => void): void;
  addEventListener(kind: 'fetch', listener: (event: Fetching) => void): void;
}

interface Lasting {
  waitUntil(work: Promise<unknown>): void;
}

interface Fetching extends Lasting {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

const scope = self as unknown as WorkerScope;
const CACHE = 'switchboard page';
/** One page for all addresses: the script reads the address. */
const PAGE = '/app';
const ASSETS = '/app/assets/';
const ASSET_ADDRESS = /\/app\/assets\/[\w.-]+/g;
/** Entries of a few versions; the oldest go. */
const MAX_ENTRIES = 100;
/** What a proxy answers while the service behind it is away. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504]);

scope.addEventListener('install', (event) => event.waitUntil(Promise.all([scope.skipWaiting(), keepFirstPage()])));
scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()));
scope.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== scope.location.origin) return;
  if (pathname.startsWith(ASSETS)) event.respondWith(assetOf(event));
  else if (request.mode === 'navigate' && isPage(pathname)) event.respondWith(pageOf(event));
});

/** What the first visit loaded before it had a worker: mostly from the cache of the browser itself. */
async function keepFirstPage(): Promise<void> {
  try {
    const response = await fetch(PAGE);
    if (response.status !== 200 || response.redirected) return;
    const assets = (await response.clone().text()).match(ASSET_ADDRESS) ?? [];
    const cache = await caches.open(CACHE);
    await cache.addAll([...new Set(assets)]);
    await cache.put(PAGE, response);
  } catch (error) {
    // The next visit is kept while it loads.
    console.warn(error);
  }
}

function isPage(path: string): boolean {
  return path === '/' || path === PAGE || path.startsWith(`${PAGE}/`);
}

/** As the service has it; the kept one only while the service is away. */
async function pageOf(event: Fetching): Promise<Response> {
  try {
    const response = await fetch(event.request);
    if (response.status === 200 && !response.redirected) keep(event, PAGE, response.clone());
    return AWAY.has(response.status) ? ((await keptAs(PAGE)) ?? response) : response;
  } catch (error) {
    const kept = await keptAs(PAGE);
    if (kept !== undefined) return kept;
    throw error;
  }
}

/** Its name changes with its content. */
async function assetOf(event: Fetching): Promise<Response> {
  const kept = await keptAs(event.request);
  if (kept !== undefined) return kept;
  const response = await fetch(event.request);
  if (response.status === 200) keep(event, event.request, response.clone());
  return response;
}

/** A browser without room, or without a cache, still shows what the service answers. */
function keep(event: Fetching, key: Request | string, response: Response): void {
  const put = async (): Promise<void> => {
    const cache = await caches.open(CACHE);
    await cache.put(key, response);
    const entries = await cache.keys();
    for (const old of entries.slice(0, Math.max(0, entries.length - MAX_ENTRIES))) await cache.delete(old);
  };
  event.waitUntil(put().catch((error: unknown) => console.warn(error)));
}

async function keptAs(key: Request | string): Promise<Response | undefined> {
  try {
    return await (await caches.open(CACHE)).match(key);
  } catch (error) {
    console.warn(error);
    return undefined;
  }
}
