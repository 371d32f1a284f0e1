/** Whose address a request comes from, for limits per address. */
import type { Exchange } from './exchange.js';

/**
 * A reverse proxy on the same machine is believed about its client; anyone else could claim any address. The last
 * entry is the one that the proxy itself added.
 */
export function clientAddress(exchange: Exchange): string {
  const peer = exchange.peerAddress();
  const forwarded = exchange.head.forwardedFor;
  if (forwarded === '' || !isLoopback(peer)) return peer;
  return forwarded.slice(forwarded.lastIndexOf(',') + 1).trim() || peer;
}

/** As uWebSockets writes addresses: IPv6 in full, and IPv4 within it when the service listens on both. */
function isLoopback(address: string): boolean {
  return /^127\.|^(0000:){7}0001$|^(0000:){5}ffff:7f/.test(address);
}
