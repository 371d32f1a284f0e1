/** Whether an `Origin` is ours: the page came from the address that the request was sent to. */
import type { ClientAddresses } from './clientAddress.js';
import type { Exchange } from './exchange.js';

/**
 * Behind a proxy the public address may be in `X-Forwarded-Host` only, which is read from trusted proxies. The scheme
 * is compared where it is known: with our own certificate, or from such a proxy.
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

/** Null if it names no page, such as `null` of a sandbox or a file. */
function parseOrigin(origin: string): URL | null {
  return URL.canParse(origin) ? new URL(origin) : null;
}

/** The default port of the scheme may be omitted. */
function isSameHost(host: string, origin: URL): boolean {
  const text = `${origin.protocol}//${host}`;
  return URL.canParse(text) && new URL(text).host === origin.host;
}

/** Each proxy appends: the last entry is that of the trusted one. */
function lastOf(list: string): string {
  return list.split(',').at(-1)?.trim() ?? '';
}
