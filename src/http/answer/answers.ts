/** What leaves for a request: the answer of an operation, a page or a refusal, with the headers of every answer. */
import type { Logger } from 'pino';
import { namesTag } from '../../api/operation/entityTags.js';
import type { Operation, OperationAnswer } from '../../api/operation/operation.js';
import { STATUS_OF, statusOf } from '../../api/operation/statuses.js';
import { AppError, INTERNAL_ERROR, type ErrorData } from '../../domain/errors.js';
import type { RequestMetrics } from '../../metrics/requestMetrics.js';
import { ClientGone } from '../body/bodyReader.js';
import type { Cors } from '../cors.js';
import { Compression, isCompressible, MIN_LENGTH } from './compression.js';
import { chooseCoding } from './contentCoding.js';
import { asOneHeader, withHeader, type Exchange, type Header, type Headers } from '../exchange.js';
import type { Page } from '../pages/page.js';
import type { Route } from '../router.js';

/**
 * How long a connection without requests stays open at least: uWebSockets closes it after ten seconds, give or take half
 * of a tick of four. A client that does not know may send a request at that moment, and gets a reset instead of an answer.
 */
const KEPT_SECONDS = 8;
const COMMON_HEADERS = asOneHeader([
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
  ['Keep-Alive', `timeout=${KEPT_SECONDS}`],
]);
const JSON_HEADERS = asOneHeader([
  ['Content-Type', 'application/json'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
]);
const NOT_CACHED: Header = ['Cache-Control', 'no-store'];
const UNCACHED_JSON = asOneHeader([JSON_HEADERS, NOT_CACHED]);
const PLAIN_JSON: readonly Header[] = [UNCACHED_JSON];
/** Follows the first header of an answer with JSON. */
const PLAIN_END = withHeader(withHeader('', COMMON_HEADERS), UNCACHED_JSON);
const VARIES: Header = ['Vary', 'Accept-Encoding'];
const COMPRESSED: readonly Header[] = [['Content-Encoding', 'gzip'], VARIES];
const PAGE_ROUTE = { kind: 'method_not_allowed', allow: 'GET, HEAD, OPTIONS' } as const;

export interface AnswersOptions {
  readonly cors: Cors;
  readonly log: Logger;
  readonly metrics: RequestMetrics;
  /** Whether each connection must close after its answer. */
  readonly isStopping: () => boolean;
}

export class Answers {
  readonly #options: AnswersOptions;
  readonly #compression = new Compression();

  constructor(options: AnswersOptions) {
    this.#options = options;
  }

  /** Null if the answer is complete; a stream takes time and may fail, and so does what has to be compressed first. */
  answer(exchange: Exchange, operation: Operation, answer: OperationAnswer): Promise<void> | null {
    const status = answer.status ?? operation.success.status;
    const headers = headersOf(answer);
    if (answer.live !== undefined) {
      this.#count(exchange, status);
      answer.live(exchange.answerLive(status, this.#complete(exchange, headers)));
      return null;
    }
    if (answer.stream !== undefined) {
      this.#count(exchange, status);
      const { stream } = answer;
      const isCompressed = stream.size > MIN_LENGTH && isCompressible(operation) && this.#compression.accepts(exchange.head.acceptEncoding);
      const own = isCompressed ? [...headers, ...COMPRESSED] : headers;
      return exchange.answerStream(status, this.#complete(exchange, own), stream, { close: this.#options.isStopping(), isCompressed });
    }
    const { json } = answer;
    if (answer.text !== undefined) {
      this.#send(exchange, status, headers, answer.text.content);
      return null;
    }
    const isPlain = json === null || json.length <= MIN_LENGTH || !isCompressible(operation);
    const compressed = isPlain ? null : this.#compression.of(json, exchange.head.acceptEncoding, exchange.caller);
    if (compressed instanceof Promise) return compressed.then((settled) => this.#sendJson(exchange, status, headers, json, settled));
    this.#sendJson(exchange, status, headers, json, compressed);
    return null;
  }

  /** Compressed with the same tag as plain: it names the state that the answer shows. */
  #sendJson(exchange: Exchange, status: number, headers: readonly Header[], json: string | Uint8Array | null, compressed: Uint8Array | null): void {
    if (compressed !== null) this.#send(exchange, status, [...headers, ...COMPRESSED], compressed);
    // What must not be stored need not say what it depends on.
    else this.#send(exchange, status, headers !== PLAIN_JSON && headers.some(isTag) ? [...headers, VARIES] : headers, json);
  }

  fail(exchange: Exchange, operation: Operation, error: unknown): void {
    if (error instanceof ClientGone) return;
    if (error instanceof AppError && error.code !== 'internal') {
      this.refuse(exchange, error.toData());
      return;
    }
    this.#options.log.error({ err: error, requestId: exchange.requestId, operation: operation.name }, 'an operation failed');
    this.refuse(exchange, INTERNAL_ERROR);
  }

  refuse(exchange: Exchange, error: ErrorData, headers: readonly Header[] = []): void {
    const own: Header[] = [UNCACHED_JSON, ...headers];
    if (error.code === 'unauthenticated') own.push(['WWW-Authenticate', 'Bearer']);
    if (error.code === 'too_many' || error.code === 'unavailable') own.push(['Retry-After', String(error.retryAfter ?? 1)]);
    this.#send(exchange, statusOf(error.code), own, JSON.stringify({ detail: error.detail, ...error.fields }));
  }

  refuseMethod(exchange: Exchange, allow: string): void {
    this.refuse(exchange, { code: 'method_not_allowed', detail: 'Method Not Allowed' }, [['Allow', allow]]);
  }

  answerOptions(exchange: Exchange, route: Route): void {
    if (route.kind !== 'method_not_allowed') {
      this.refuse(exchange, { code: 'not_found', detail: 'Not Found' });
      return;
    }
    const headers: Header[] = [['Allow', route.allow], ...this.#options.cors.preflight(exchange.head, route.allow)];
    this.#send(exchange, 204, headers, null);
  }

  answerPage(exchange: Exchange, page: Page): void {
    const { method, ifNoneMatch } = exchange.head;
    if (method === 'OPTIONS') {
      this.answerOptions(exchange, PAGE_ROUTE);
    } else if (method !== 'GET' && method !== 'HEAD') {
      this.refuseMethod(exchange, PAGE_ROUTE.allow);
    } else if (namesTag(ifNoneMatch, page.etag)) {
      this.#send(exchange, 304, page.headers, null);
    } else {
      const coding = chooseCoding(exchange.head.acceptEncoding, page.encodings);
      const encoded = coding === null ? undefined : page.encodings[coding];
      const headers: readonly Header[] = coding === null ? page.headers : [...page.headers, ['Content-Encoding', coding]];
      this.#send(exchange, 200, headers, encoded ?? page.content);
    }
  }

  #send(exchange: Exchange, status: number, headers: readonly Header[], body: string | Uint8Array | null): void {
    const { head, requestId, startedAt } = exchange;
    this.#count(exchange, status);
    // The rest of a body that came too slowly is not waited for.
    const close = this.#options.isStopping() || status === STATUS_OF.timeout;
    exchange.answer(status, this.#complete(exchange, headers), body, close);
    if (this.#options.log.isLevelEnabled('debug')) {
      const milliseconds = Math.round((performance.now() - startedAt) * 10) / 10;
      this.#options.log.debug({ requestId, method: head.method, path: head.path, status, milliseconds }, 'answered');
    }
  }

  /** Measured when the answer begins to leave: the client's reading time says nothing about the service. */
  #count({ operation, startedAt }: Exchange, status: number): void {
    this.#options.metrics.count(operation, status, (performance.now() - startedAt) / 1000);
  }

  /** Adds the headers of every answer. */
  #complete({ head, requestId }: Exchange, headers: readonly Header[]): Headers {
    // Nearly every answer: its headers are one text, to which the operation's headers are added.
    if (headers[0] === UNCACHED_JSON && head.origin === '') {
      const own = requestId + PLAIN_END;
      return [['X-Request-Id', headers.length === 1 ? own : headers.slice(1).reduce(withHeader, own)]];
    }
    return [['X-Request-Id', requestId], COMMON_HEADERS, ...(head.origin === '' ? [] : this.#options.cors.headers(head)), ...headers];
  }
}

/** The headers of an answer; by default it must not be stored. */
function headersOf({ json, text, headers = [] }: OperationAnswer): readonly Header[] {
  const isCached = headers.some(([name]) => name === 'Cache-Control');
  if (json !== null && text === undefined && !isCached) return headers.length === 0 ? PLAIN_JSON : [UNCACHED_JSON, ...headers];
  const own: Header[] = text === undefined ? [] : [['Content-Type', text.type]];
  if (json !== null) own.push(JSON_HEADERS);
  if (!isCached) own.push(NOT_CACHED);
  return [...own, ...headers];
}

function isTag([name]: Header): boolean {
  return name === 'ETag';
}
