/** The part of a request that uWebSockets takes back when its handler returns, copied out while it can be read. */
import type { HttpRequest } from 'uWebSockets.js';

export interface RequestHead {
  /** In capitals, as sent. */
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly authorization: string;
  readonly cookie: string;
  readonly origin: string;
  readonly contentType: string;
  readonly ifNoneMatch: string;
  readonly range: string;
  readonly ifRange: string;
  readonly forwardedFor: string;
  /** What the client calls this request, if it may: see `requestIdFrom`. */
  readonly requestId: string;
  readonly requestedMethod: string;
  readonly requestedHeaders: string;
  readonly body: BodyFraming;
}

/**
 * How the body is delimited. `ambiguous` is a request with two lengths, or with a length and chunks: uWebSockets 20.49
 * would run the tail of such a body as a second request, so the connection is closed before it can.
 */
export type BodyFraming =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'ambiguous' };

export function readHead(req: HttpRequest): RequestHead {
  const origin = req.getHeader('origin');
  const method = req.getCaseSensitiveMethod();
  const preflight = method === 'OPTIONS';
  return {
    method,
    path: req.getUrl(),
    query: req.getQuery() ?? '',
    authorization: req.getHeader('authorization'),
    cookie: req.getHeader('cookie'),
    origin,
    contentType: req.getHeader('content-type'),
    ifNoneMatch: req.getHeader('if-none-match'),
    range: req.getHeader('range'),
    ifRange: req.getHeader('if-range'),
    forwardedFor: req.getHeader('x-forwarded-for'),
    requestId: req.getHeader('x-request-id'),
    requestedMethod: preflight ? req.getHeader('access-control-request-method') : '',
    requestedHeaders: preflight ? req.getHeader('access-control-request-headers') : '',
    body: readFraming(req),
  };
}

function readFraming(req: HttpRequest): BodyFraming {
  const length = req.getHeader('content-length');
  const encoding = req.getHeader('transfer-encoding');
  if (length === '' && encoding === '') return { kind: 'none' };
  let lengths = 0;
  let encodings = 0;
  req.forEach((name) => {
    if (name === 'content-length') lengths += 1;
    if (name === 'transfer-encoding') encodings += 1;
  });
  if (lengths + encodings > 1) return { kind: 'ambiguous' };
  return encodings === 1 ? { kind: 'chunked' } : { kind: 'length', bytes: Number(length) };
}
