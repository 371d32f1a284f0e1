/** Whether an `Origin` is ours: the page that sent a request came from the address that the request went to. */
import type { ClientAddresses } from './clientAddress.js';
import type { Exchange } from './exchange.js';

/**
 * Behind a proxy the address that the browser sees may be in `X-Forwarded-Host` alone, which is believed of proxies that
 * are trusted. The scheme is compared where it is known: with a certificate of our own, or from such a proxy.
 */
export function isOwnOrigin(exchange: Exchange, addresses: ClientAddresses, isTls: boolean): boolean {
  const { origin, host, forwardedHost, forwardedProto } = exchange.head;
  const url = parseOrigin(origin);
  if (url === null) return false;
  const isFromProxy = (forwardedHost !== '' || forwardedProto !== '') && addresses.isFromProxy(exchange);
  const scheme = isTls ? 'https' : isFromProxy ? lastOf(forwardedProto) : '';
  if (scheme !== '' && url.protocol !== `${scheme.toLowerCase()}:`) return false;
  const hosts = isFromProxy ? [host, lastOf(forwardedHost)] : [host];
  return hosts.some((each) => each !== '' && isSameHost(each, url));
}

/** Null where it names no page: `null`, of a sandbox or a file, is nobody's. */
function parseOrigin(origin: string): URL | null {
  return URL.canParse(origin) ? new URL(origin) : null;
}

/** The port of the scheme may be written out or not. */
function isSameHost(host: string, origin: URL): boolean {
  const text = `${origin.protocol}//${host}`;
  return URL.canParse(text) && new URL(text).host === origin.host;
}

/** Each proxy adds at the end: the last entry is that of the one which is trusted. */
function lastOf(list: string): string {
  return list.split(',').at(-1)?.trim() ?? '';
}
