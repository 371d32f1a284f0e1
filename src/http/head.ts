/** A copy of the parts of a request that uWebSockets invalidates when its handler returns. */
import type { HttpRequest } from 'uWebSockets.js';

export interface RequestHead {
  /** In capitals, as sent. */
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly authorization: string;
  readonly cookie: string;
  readonly origin: string;
  readonly host: string;
  /** `Sec-Fetch-Site`: the browser's statement of how the page relates to us; empty without one. */
  readonly fetchSite: string;
  readonly contentType: string;
  readonly ifNoneMatch: string;
  readonly range: string;
  readonly ifRange: string;
  readonly accept: string;
  readonly acceptEncoding: string;
  readonly lastEventId: string;
  readonly userAgent: string;
  /** `Expected-User`: the id of the user that the request must be of; empty without one. */
  readonly expectedUser: string;
  readonly forwardedFor: string;
  readonly forwardedHost: string;
  readonly forwardedProto: string;
  /** Other headers by which proxies say that they passed the request on. */
  readonly otherHops: string;
  /** The client's id for this request, if valid: see `requestIdFrom`. */
  readonly requestId: string;
  readonly requestedMethod: string;
  readonly requestedHeaders: string;
  /** `Idempotency-Key`; null without one, because an empty one is invalid. */
  readonly idempotencyKey: string | null;
  readonly body: BodyFraming;
}

/**
 * How the body is delimited. `ambiguous`: two lengths, a length and chunks, or one that is not understood. uWebSockets
 * 20.49 would run the tail of such a body as a second request, so the connection is closed first.
 */
export type BodyFraming =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'ambiguous' };

/** Each is in a field of its own, but for `OTHER_HOPS`. */
type HeaderField = Exclude<keyof RequestHead, 'otherHops' | 'method' | 'path' | 'query' | 'idempotencyKey' | 'body'>;

/** The headers in use. */
const HEADER_OF: Readonly<Record<HeaderField, string>> = {
  authorization: 'authorization',
  cookie: 'cookie',
  origin: 'origin',
  host: 'host',
  fetchSite: 'sec-fetch-site',
  contentType: 'content-type',
  ifNoneMatch: 'if-none-match',
  range: 'range',
  ifRange: 'if-range',
  accept: 'accept',
  acceptEncoding: 'accept-encoding',
  lastEventId: 'last-event-id',
  userAgent: 'user-agent',
  expectedUser: 'expected-user',
  forwardedFor: 'x-forwarded-for',
  forwardedHost: 'x-forwarded-host',
  forwardedProto: 'x-forwarded-proto',
  requestId: 'x-request-id',
  requestedMethod: 'access-control-request-method',
  requestedHeaders: 'access-control-request-headers',
};
const HEADER_FIELDS = Object.keys(HEADER_OF) as readonly HeaderField[];
const OTHER_HOPS = ['forwarded', 'via', 'x-real-ip', 'x-forwarded-server', 'x-forwarded-port'] as const;
const FIELD_OF: ReadonlyMap<string, HeaderField | 'otherHops'> = new Map<string, HeaderField | 'otherHops'>([
  ...HEADER_FIELDS.map((field) => [HEADER_OF[field], field] as const),
  ...OTHER_HOPS.map((name) => [name, 'otherHops'] as const),
]);

type UnfinishedHead = { -readonly [Field in keyof RequestHead]: RequestHead[Field] };

/**
 * One pass over all headers, because a lookup by name returns only the first line: a second length behind an empty one
 * would stay hidden. Lines of the same header are joined as HTTP says; a proxy's own entry is the last.
 */
export function readHead(req: HttpRequest): RequestHead {
  const head: UnfinishedHead = {
    method: req.getCaseSensitiveMethod(),
    path: req.getUrl(),
    query: req.getQuery() ?? '',
    authorization: '',
    cookie: '',
    origin: '',
    host: '',
    fetchSite: '',
    contentType: '',
    ifNoneMatch: '',
    range: '',
    ifRange: '',
    accept: '',
    acceptEncoding: '',
    lastEventId: '',
    userAgent: '',
    expectedUser: '',
    forwardedFor: '',
    forwardedHost: '',
    forwardedProto: '',
    otherHops: '',
    requestId: '',
    requestedMethod: '',
    requestedHeaders: '',
    idempotencyKey: null,
    body: { kind: 'none' },
  };
  const lengths: string[] = [];
  const encodings: string[] = [];
  req.forEach((name, value) => {
    const field = FIELD_OF.get(name);
    if (field !== undefined) head[field] = joined(head[field], value, field === 'cookie' ? '; ' : ', ');
    else if (name === 'idempotency-key') head.idempotencyKey = joined(head.idempotencyKey ?? '', value, ', ');
    else if (name === 'content-length') lengths.push(value);
    else if (name === 'transfer-encoding') encodings.push(value);
  });
  if (lengths.length + encodings.length > 0) head.body = framingOf(lengths, encodings);
  return head;
}

function joined(before: string, value: string, separator: string): string {
  return before === '' ? value : `${before}${separator}${value}`;
}

function framingOf(lengths: readonly string[], encodings: readonly string[]): BodyFraming {
  if (lengths.length + encodings.length > 1) return { kind: 'ambiguous' };
  const [length] = lengths;
  const [encoding] = encodings;
  if (length !== undefined && /^\d+$/.test(length)) return { kind: 'length', bytes: Number(length) };
  return encoding?.toLowerCase() === 'chunked' ? { kind: 'chunked' } : { kind: 'ambiguous' };
}
