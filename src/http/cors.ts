/** Which origins may read our answers, and the headers that say so. */
import { POSITION_HEADER, REPLAYED_HEADER } from '../api/operation/requestKey.js';
import type { Header } from './exchange.js';
import type { RequestHead } from './head.js';

const PREFLIGHT_SECONDS = '600';
const EXPOSED = ['ETag, Link, Accept-Ranges, Content-Range, Content-Disposition, Retry-After, X-Request-Id', POSITION_HEADER, REPLAYED_HEADER].join(
  ', ',
);

export class Cors {
  readonly #allowed: '*' | ReadonlySet<string>;

  constructor(origins: '*' | readonly string[]) {
    this.#allowed = origins === '*' ? '*' : new Set(origins);
  }

  /** Whether pages of that origin may read our answers. */
  allows(origin: string): boolean {
    return this.#allowed === '*' || this.#allowed.has(origin);
  }

  /** Whether the origin is listed. The wildcard lists none: it allows reading, not acting with a cookie. */
  names(origin: string): boolean {
    return this.#allowed !== '*' && this.#allowed.has(origin);
  }

  /** For every answer. The origin is echoed, never `*`, because credentials are allowed. */
  headers(head: RequestHead): readonly Header[] {
    if (head.origin === '') return NONE;
    if (!this.allows(head.origin)) return VARY_ONLY;
    return [
      ['Access-Control-Allow-Origin', head.origin],
      ['Access-Control-Allow-Credentials', 'true'],
      ['Access-Control-Expose-Headers', EXPOSED],
      ['Vary', 'Origin'],
    ];
  }

  /** Additional headers of a preflight from an allowed origin. */
  preflight(head: RequestHead, allow: string): readonly Header[] {
    if (head.requestedMethod === '' || this.headers(head) === VARY_ONLY) return NONE;
    const headers: Header[] = [
      ['Access-Control-Allow-Methods', allow],
      ['Access-Control-Max-Age', PREFLIGHT_SECONDS],
    ];
    if (head.requestedHeaders !== '') headers.push(['Access-Control-Allow-Headers', head.requestedHeaders]);
    return headers;
  }
}

const NONE: readonly Header[] = [];
const VARY_ONLY: readonly Header[] = [['Vary', 'Origin']];
