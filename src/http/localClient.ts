/** Whether a request comes from a program on this machine, or from a page that it serves there: through no proxy, at a loopback address. */
import { isIP } from 'node:net';
import type { Peer } from './clientAddress.js';
import type { RequestHead } from './head.js';
import type { AskingPage, OwnOrigin } from './ownOrigin.js';

export interface LocalRequest extends Peer, AskingPage {
  readonly head: Pick<RequestHead, 'origin' | 'host' | 'fetchSite' | 'forwardedFor' | 'forwardedHost' | 'forwardedProto' | 'otherHops'>;
}

/**
 * The host keeps out pages of other names that were made to resolve to this machine, the origin pages of other sites, and
 * the headers of proxies whatever a proxy on this machine passes on.
 */
export function isLocalClient(request: LocalRequest, ownOrigin: OwnOrigin): boolean {
  const { origin, host, fetchSite, forwardedFor, forwardedHost, forwardedProto, otherHops } = request.head;
  if (forwardedFor !== '' || forwardedHost !== '' || forwardedProto !== '' || otherHops !== '') return false;
  if (!isLoopback(request.peerAddress()) || !isLoopbackHost(host)) return false;
  if (fetchSite !== '' && fetchSite !== 'same-origin' && fetchSite !== 'none') return false;
  return origin === '' || ownOrigin.is(request);
}

/** Also the form in which a socket for both protocols shows addresses of IPv4. */
function isLoopback(address: string): boolean {
  if (isIP(address) === 0) return false;
  const text = address.toLowerCase().replace(/^(?:::ffff:|0000:0000:0000:0000:0000:ffff:)/, '');
  if (isIP(text) === 4) return text.startsWith('127.');
  if (/^7f[0-9a-f]{2}:[0-9a-f]{1,4}$/.test(text)) return true;
  return text === '::1' || text === '0000:0000:0000:0000:0000:0000:0000:0001';
}

function isLoopbackHost(host: string): boolean {
  if (!URL.canParse(`http://${host}`)) return false;
  const { hostname, username, password, pathname, search } = new URL(`http://${host}`);
  if (username !== '' || password !== '' || pathname !== '/' || search !== '') return false;
  return hostname === 'localhost' || hostname === '[::1]' || isLoopback(hostname);
}
