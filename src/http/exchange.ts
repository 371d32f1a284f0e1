/** One request and its one answer. Hides what uWebSockets demands: corking, aborts, and never touching a dead response. */
import type { HttpResponse } from 'uWebSockets.js';
import type { ByteStream } from '../api/operation.js';
import { MAX_CHUNK_BYTES } from '../domain/boardsPort.js';
import { BodyReader } from './bodyReader.js';
import type { BodyWatch } from './bodyWatch.js';
import { DocumentBody } from './documentBody.js';
import type { RequestHead } from './head.js';
import { MultipartUpload } from './multipart.js';
import { statusLine } from './statuses.js';

export type Header = readonly [name: string, value: string];

export type Headers = readonly [Header, ...Header[]];

/**
 * Each header costs a call into uWebSockets, which adds a name and a value to the answer as they are: joined to one,
 * those of a small answer take a tenth of its time less.
 */
export function asOneHeader([[name, value], ...others]: Headers): Header {
  let joined = value;
  for (const other of others) joined += `\r\n${other[0]}: ${other[1]}`;
  return [name, joined];
}

type State = 'open' | 'answered' | 'gone';

export class Exchange {
  readonly head: RequestHead;
  readonly requestId: string;
  readonly startedAt = performance.now();
  /** What the request turned out to ask for, for the metrics. */
  operation = 'none';
  readonly #res: HttpResponse;
  readonly #onSettled: () => void;
  #state: State = 'open';
  #onGone: () => void = () => undefined;
  #body: BodyReader | MultipartUpload | DocumentBody | null = null;

  /**
   * Must be made inside the uWebSockets handler: a response without an abort handler may not outlive it. `onSettled` is
   * called once.
   */
  constructor(res: HttpResponse, head: RequestHead, requestId: string, onSettled: () => void) {
    this.#res = res;
    this.head = head;
    this.requestId = requestId;
    this.#onSettled = onSettled;
    res.onAborted(() => {
      if (this.#state !== 'open') return;
      this.#state = 'gone';
      this.#body?.clientGone();
      this.#onGone();
      this.#onSettled();
    });
  }

  /** Begins to take the body in. Call it before the handler returns, or the first bytes are lost. */
  startBody(limit: number, watch: BodyWatch): BodyReader {
    const reader = new BodyReader(this.#res, this.head.body, limit, watch);
    this.#body = reader;
    return reader;
  }

  /** The same for a file, which is only let in when someone receives it. */
  startUpload(watch: BodyWatch): MultipartUpload {
    const upload = new MultipartUpload(this.#res, this.head.body, this.head.contentType, watch);
    this.#body = upload;
    return upload;
  }

  startDocument(watch: BodyWatch): DocumentBody {
    const document = new DocumentBody(this.#res, this.head.body, this.head.contentType, watch);
    this.#body = document;
    return document;
  }

  /** The address of the peer; of the client when the peer is a proxy, see `clientAddress`. */
  peerAddress(): string {
    return this.#state === 'open' ? Buffer.from(this.#res.getRemoteAddressAsText()).toString() : '';
  }

  /** Answers, once. A client that has gone gets nothing, and that is no error. */
  answer(status: number, headers: Headers, body: string | Uint8Array | null, close: boolean): void {
    if (this.#state !== 'open') return;
    this.#body?.discard();
    this.#state = 'answered';
    this.#res.cork(() => {
      this.#writeHead(status, headers);
      if (body === null) this.#endWithoutBody(null, close);
      else if (this.head.method === 'HEAD') this.#endWithoutBody(byteLength(body), close);
      else this.#res.end(body, close);
    });
    this.#onSettled();
  }

  /**
   * Answers with bytes that are read as fast as the client takes them. When reading fails the connection is cut, because
   * the status has already been sent; the error is the caller's to log.
   */
  async answerStream(status: number, headers: Headers, stream: ByteStream, close: boolean): Promise<void> {
    if (this.#state !== 'open') return;
    if (this.head.method === 'HEAD' || stream.size === 0) {
      this.#state = 'answered';
      this.#res.cork(() => {
        this.#writeHead(status, headers);
        this.#endWithoutBody(stream.size, close);
      });
      this.#onSettled();
      return;
    }
    const writeHead = (): void => {
      this.#writeHead(status, headers);
      if (close) this.#announceClose();
    };
    try {
      let headSent = false;
      for (let sent = 0; sent < stream.size; ) {
        const chunk = await stream.read(sent, Math.min(sent + MAX_CHUNK_BYTES, stream.size));
        if (this.#isGone()) return;
        await this.#sendChunk(chunk, stream.size, headSent ? null : writeHead);
        if (this.#isGone()) return;
        headSent = true;
        sent += chunk.length;
      }
      this.#state = 'answered';
      this.#onSettled();
    } catch (error) {
      this.cut();
      throw error;
    }
  }

  /** Resolves when the socket has room for more, or the client is gone. */
  #sendChunk(chunk: Uint8Array, total: number, writeHead: (() => void) | null): Promise<void> {
    return new Promise((resolve) => {
      const start = this.#res.getWriteOffset();
      this.#onGone = resolve;
      this.#res.onWritable((offset) => {
        const [sent, done] = this.#res.tryEnd(chunk.subarray(offset - start), total);
        if (sent || done) resolve();
        return sent;
      });
      this.#res.cork(() => {
        writeHead?.();
        const [sent, done] = this.#res.tryEnd(chunk, total);
        if (sent || done) resolve();
      });
    });
  }

  #writeHead(status: number, headers: Headers): void {
    this.#res.writeStatus(statusLine(status));
    const [name, value] = asOneHeader(headers);
    this.#res.writeHeader(name, value);
  }

  /**
   * 204 and 304 must not state a length. Where there is one it is written here: told of it, uWebSockets 20.49 would wait
   * for the body and take the connection's next request for an intrusion.
   */
  #endWithoutBody(length: number | null, close: boolean): void {
    if (length !== null) this.#res.writeHeader('Content-Length', String(length));
    if (close) this.#announceClose();
    this.#res.endWithoutBody();
  }

  /** `end` says it and does it; everywhere else the client is told, and hangs up or is cut off by the end of the stop. */
  #announceClose(): void {
    this.#res.writeHeader('Connection', 'close');
  }

  /** A method, because the state changes while something is awaited. */
  #isGone(): boolean {
    return this.#state === 'gone';
  }

  /** Cuts the connection without an answer. */
  cut(): void {
    if (this.#state !== 'open') return;
    this.#state = 'answered';
    this.#res.close();
    this.#onSettled();
  }
}

function byteLength(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
}
