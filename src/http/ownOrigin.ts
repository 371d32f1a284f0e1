/** Whether an `Origin` is ours: the origin of `PUBLIC_URL`, or without it of the address that the request was sent to. */
import type { ClientAddresses, Peer } from './clientAddress.js';
import type { RequestHead } from './head.js';

export interface OwnOriginOptions {
  /** `PUBLIC_URL`. */
  readonly publicUrl: string | null;
  readonly addresses: ClientAddresses;
  readonly isTls: boolean;
}

/** A request, or a handshake of a socket. */
export interface AskingPage extends Peer {
  readonly head: Pick<RequestHead, 'origin' | 'host' | 'forwardedHost' | 'forwardedProto'>;
}

export class OwnOrigin {
  readonly #options: OwnOriginOptions;

  constructor(options: OwnOriginOptions) {
    this.#options = options;
  }

  is(page: AskingPage): boolean {
    const { publicUrl } = this.#options;
    return publicUrl === null ? this.#isRequestedAddress(page) : page.head.origin === publicUrl;
  }

  /**
   * Behind a proxy the public address may be in `X-Forwarded-Host` only, which is read from trusted proxies. The scheme
   * is compared where it is known: with our own certificate, or from such a proxy.
   */
  #isRequestedAddress(page: AskingPage): boolean {
    const { addresses, isTls } = this.#options;
    const { origin, host, forwardedHost, forwardedProto } = page.head;
    const url = parseOrigin(origin);
    if (url === null) return false;
    const isFromProxy = (forwardedHost !== '' || forwardedProto !== '') && addresses.isFromProxy(page);
    const scheme = isTls ? 'https' : isFromProxy ? lastOf(forwardedProto) : '';
    if (scheme !== '' && url.protocol !== `${scheme.toLowerCase()}:`) return false;
    const hosts = isFromProxy ? [host, lastOf(forwardedHost)] : [host];
    return hosts.some((each) => each !== '' && isSameHost(each, url));
  }
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

/** Each proxy appends: the trusted one wrote the last entry. */
function lastOf(list: string): string {
  return list.split(',').at(-1)?.trim() ?? '';
}
