/** One request and its one answer. Hides what uWebSockets demands: corking, aborts, and never touching a dead response. */
import type { HttpResponse } from 'uWebSockets.js';
import { BodyReader } from './bodyReader.js';
import type { RequestHead } from './head.js';
import { statusLine } from './statuses.js';

export type Header = readonly [name: string, value: string];

type State = 'open' | 'answered' | 'gone';

export class Exchange {
  readonly head: RequestHead;
  readonly requestId: string;
  readonly startedAt = performance.now();
  readonly #res: HttpResponse;
  readonly #onSettled: (exchange: Exchange) => void;
  #state: State = 'open';
  #body: BodyReader | null = null;

  /** Must be made inside the uWebSockets handler: a response without an abort handler may not outlive it. */
  constructor(res: HttpResponse, head: RequestHead, requestId: string, onSettled: (exchange: Exchange) => void) {
    this.#res = res;
    this.head = head;
    this.requestId = requestId;
    this.#onSettled = onSettled;
    res.onAborted(() => {
      if (this.#state !== 'open') return;
      this.#state = 'gone';
      this.#body?.clientGone();
      this.#onSettled(this);
    });
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Begins to take the body in. Call it before the handler returns, or the first bytes are lost. */
  startBody(limit: number): BodyReader {
    this.#body = new BodyReader(this.#res, this.head.body, limit);
    return this.#body;
  }

  /** The address of the peer; of the client when the peer is a proxy, see `clientAddress`. */
  peerAddress(): string {
    return this.#state === 'open' ? Buffer.from(this.#res.getRemoteAddressAsText()).toString() : '';
  }

  /** Answers, once. A client that has gone gets nothing, and that is no error. */
  answer(status: number, headers: readonly Header[], body: string | Uint8Array | null, close: boolean): void {
    this.#body?.stop();
    if (this.#state !== 'open') return;
    this.#state = 'answered';
    this.#res.cork(() => {
      this.#res.writeStatus(statusLine(status));
      for (const [name, value] of headers) this.#res.writeHeader(name, value);
      // Without arguments, or it would state a length, which 204 and 304 must not have.
      if (body === null) this.#res.endWithoutBody();
      else if (this.head.method === 'HEAD') this.#res.endWithoutBody(byteLength(body), close);
      else this.#res.end(body, close);
    });
    this.#onSettled(this);
  }

  /** Cuts the connection without an answer. */
  cut(): void {
    if (this.#state !== 'open') return;
    this.#state = 'answered';
    this.#res.close();
    this.#onSettled(this);
  }
}

function byteLength(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
}
