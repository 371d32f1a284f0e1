/** The client address of a request, for limits per address. */
import { BlockList, isIP, isIPv4 } from 'node:net';
import type { Exchange } from './exchange.js';

/** Who sent a request: the client, or a proxy. */
export interface Peer {
  peerAddress(): string;
}

export class ClientAddresses {
  readonly #proxies = new BlockList();

  /** `proxies` are addresses and networks in CIDR form. */
  constructor(proxies: readonly string[]) {
    for (const entry of proxies) {
      const [address = '', prefix] = entry.split('/');
      if (prefix === undefined) this.#proxies.addAddress(address, familyOf(address));
      else this.#proxies.addSubnet(address, Number(prefix), familyOf(address));
    }
  }

  /**
   * Only a trusted proxy may report the address; any other client could claim any address. Each proxy appends its own
   * client, so the client is the last entry that is not a proxy.
   */
  of(exchange: Exchange): string {
    let address = exchange.peerAddress();
    const claimed = exchange.head.forwardedFor.split(',').map((entry) => entry.trim());
    while (this.#isProxy(address)) {
      const before = claimed.pop();
      if (before === undefined || before === '') break;
      address = before;
    }
    return address;
  }

  /** Whether the request came through a trusted proxy. */
  isFromProxy(peer: Peer): boolean {
    return this.#isProxy(peer.peerAddress());
  }

  #isProxy(address: string): boolean {
    return isIP(address) !== 0 && this.#proxies.check(address, familyOf(address));
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}
