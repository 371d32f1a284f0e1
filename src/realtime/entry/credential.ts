/** Where a socket has its credential from. */
import type { HttpRequest } from 'uWebSockets.js';
import { Callers } from '../../auth/callers.js';
import { AUTH_COOKIE, readCookie } from '../../auth/cookie.js';

/** A browser cannot set headers of a socket, but names protocols that it would speak. */
const BEARER_PROTOCOL = 'bearer.';

export interface HandshakeCredential {
  readonly token: string | null;
  /** The one that is answered; empty if none was offered. */
  readonly protocol: string;
}

/** The first of: the parameter `token`, a Bearer header, the protocol `bearer.<token>`, and the cookie if it is admitted. */
export function readCredential(req: HttpRequest, admitsCookie: () => boolean): HandshakeCredential {
  const offered = req
    .getHeader('sec-websocket-protocol')
    .split(',')
    .map((each) => each.trim());
  // At most one protocol can be selected. Messages are the same in all of them, so any offered one is fine.
  const protocol = offered[0] ?? '';
  const given = new URLSearchParams(req.getQuery() ?? '').get('token') ?? Callers.bearer(req.getHeader('authorization'));
  if (given !== null) return { token: given, protocol };
  const bearer = offered.find((each) => each.startsWith(BEARER_PROTOCOL));
  if (bearer !== undefined) return { token: bearer.slice(BEARER_PROTOCOL.length), protocol: bearer };
  const cookie = req.getHeader('cookie');
  const token = cookie !== '' && admitsCookie() ? readCookie(cookie, AUTH_COOKIE) : undefined;
  return { token: token ?? null, protocol };
}
