/** One request and its one answer. Hides what uWebSockets demands: corking, aborts, and never touching a dead response. */
import type { HttpResponse } from 'uWebSockets.js';
import type { ByteStream } from '../api/operation.js';
import { statusLine } from '../api/statuses.js';
import { MAX_CHUNK_BYTES } from '../domain/ports/boardsPort.js';
import { Arrival } from './arrival.js';
import { BodyReader } from './bodyReader.js';
import type { BodyWatch } from './bodyWatch.js';
import { Departure, type Exits } from './departure.js';
import { DocumentBody } from './documentBody.js';
import type { RequestHead } from './head.js';
import { MultipartUpload } from './multipart.js';

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

/** `leaving` is an answer of which a part has still to be sent. */
type State = 'open' | 'leaving' | 'answered' | 'gone';

interface Chunk {
  readonly bytes: Uint8Array;
  /** Of the whole answer. */
  readonly total: number;
  /** Where in the answer it begins. */
  readonly start: number;
  resolve(): void;
}

/** A larger body leaves in slices. */
const LARGE_BODY = 512 * 1024;
/**
 * `end` lets uWebSockets keep what the socket does not take, and does not say so: a client that asks on and never reads
 * would pile up answers without bound. `tryEnd` says so, for 0.6 µs more. That is nothing beside a body of some size;
 * of small ones, as many as make the pile a few dozen kilobytes high are sent that way, drawn so that no client can
 * tell which.
 */
const SMALL_BODY = 4 * 1024;
const CHECKED_SHARE = 1 / 16;

export class Exchange {
  readonly head: RequestHead;
  readonly requestId: string;
  readonly startedAt = performance.now();
  /** What the request turned out to ask for, for the metrics. */
  operation = 'none';
  readonly #res: HttpResponse;
  readonly #onSettled: () => void;
  readonly #exits: Exits;
  /** The id of the caller once it is known: unread answers count for it. */
  caller = '';
  #state: State = 'open';
  /** The rest of the request's body is not read, so that the connection has carried its last request. */
  #isLast = false;
  #onGone: () => void = () => undefined;
  /** The part of a stream that the socket has not taken yet. */
  #chunk: Chunk | null = null;
  /** Null where the request has no body. */
  readonly #arrival: Arrival | null;
  #body: BodyReader | MultipartUpload | DocumentBody | null = null;

  /**
   * Must be made inside the uWebSockets handler: a response without an abort handler may not outlive it. `onSettled` is
   * called once.
   */
  constructor(res: HttpResponse, head: RequestHead, requestId: string, exits: Exits, onSettled: () => void) {
    this.#res = res;
    this.head = head;
    this.requestId = requestId;
    this.#exits = exits;
    this.#onSettled = onSettled;
    this.#arrival = head.body.kind === 'none' ? null : new Arrival(res, head.body, () => this.cut());
    res.onAborted(() => {
      if (this.#state !== 'open' && this.#state !== 'leaving') return;
      this.#state = 'gone';
      this.#body?.clientGone();
      this.#onGone();
      this.#onSettled();
    });
  }

  /** Begins to take the body in. Call it before the handler returns, or the first bytes are lost. */
  startBody(limit: number, watch: BodyWatch): BodyReader {
    const reader = new BodyReader(this.#incoming(), this.head.body, limit, watch);
    this.#body = reader;
    return reader;
  }

  /** The same for a file, which is only let in when someone receives it. */
  startUpload(watch: BodyWatch): MultipartUpload {
    const upload = new MultipartUpload(this.#incoming(), this.head.body, this.head.contentType, watch);
    this.#body = upload;
    return upload;
  }

  startDocument(watch: BodyWatch): DocumentBody {
    const document = new DocumentBody(this.#incoming(), this.head.body, this.head.contentType, watch);
    this.#body = document;
    return document;
  }

  #incoming(): Arrival {
    return this.#arrival ?? new Arrival(this.#res, this.head.body, () => this.cut());
  }

  /** The address of the peer; of the client when the peer is a proxy, see `clientAddress`. */
  peerAddress(): string {
    return this.#state === 'open' ? Buffer.from(this.#res.getRemoteAddressAsText()).toString() : '';
  }

  /** Answers, once. A client that has gone gets nothing, and that is no error. */
  answer(status: number, headers: Headers, body: string | Uint8Array | null, close: boolean): void {
    if (this.#state !== 'open') return;
    this.#body?.discard();
    if (this.#arrival === null || this.#arrival.isModest || close) this.#answerNow(status, headers, body, close);
    else this.#readNoMore(this.#arrival).then(() => this.#answerNow(status, headers, body, false)).catch(() => this.cut());
  }

  /**
   * Before the answer to a request whose body goes on, perhaps for ever. After the answer nothing could end it:
   * uWebSockets would read and discard. So no more is read. What had been read before is looked at within this turn; if
   * that was not all, the client is told that the connection ends, and has the ten seconds in which uWebSockets waits
   * for more to read the answer.
   */
  async #readNoMore(arrival: Arrival): Promise<void> {
    arrival.refuse();
    await new Promise(setImmediate);
    this.#isLast = !arrival.isComplete;
  }

  #answerNow(status: number, headers: Headers, body: string | Uint8Array | null, close: boolean): void {
    if (this.#state !== 'open') return;
    if (body !== null && body.length > LARGE_BODY && this.head.method !== 'HEAD') {
      this.#depart(bytesOf(body), () => this.#writeHeadOf(status, headers, close));
      return;
    }
    let isDone = true;
    this.#res.cork(() => {
      this.#writeHead(status, headers);
      if (body === null) this.#endWithoutBody(null, close);
      else if (this.head.method === 'HEAD') this.#endWithoutBody(byteLength(body), close);
      else if (close || isUnchecked(body)) this.#res.end(body, close);
      else isDone = this.#res.tryEnd(body, byteLength(body))[1];
    });
    if (body !== null && !isDone) this.#depart(bytesOf(body), null);
    else this.#settle();
  }

  #settle(): void {
    this.#state = 'answered';
    this.#onSettled();
  }

  /** uWebSockets reads again after a write that found the socket full. */
  #stayStopped(): void {
    if (this.#isLast) this.#res.pause();
  }

  /** Sends a body, or the rest of one that has begun, as the socket takes it. */
  #depart(body: Uint8Array, writeHead: (() => void) | null): void {
    this.#state = 'leaving';
    const departure = new Departure(
      {
        res: this.#res,
        body,
        owner: this.caller,
        writeHead,
        onWrote: () => this.#stayStopped(),
        onDone: () => this.#settle(),
        cut: () => this.cut(),
      },
      this.#exits,
    );
    this.#onGone = () => departure.stop();
    departure.start();
  }

  /**
   * Answers with bytes that are read as fast as the client takes them. When reading fails the connection is cut, because
   * the status has already been sent; the error is the caller's to log.
   */
  async answerStream(status: number, headers: Headers, stream: ByteStream, close: boolean): Promise<void> {
    if (this.#arrival !== null && !this.#arrival.isModest) await this.#readNoMore(this.#arrival);
    if (this.#state !== 'open') return;
    if (this.head.method === 'HEAD' || stream.size === 0) {
      this.#res.cork(() => {
        this.#writeHead(status, headers);
        this.#endWithoutBody(stream.size, close);
      });
      this.#settle();
      return;
    }
    const writeHead = (): void => this.#writeHeadOf(status, headers, close);
    const { held, leaving } = this.#exits;
    const holder = { owner: this.caller, cut: () => this.cut() };
    held.hold(holder, stream, MAX_CHUNK_BYTES + (stream.heldBytes ?? 0));
    try {
      const send = (): Promise<void> => this.#sendStream(stream, writeHead, () => held.progress(holder, stream));
      await leaving.runIfWanted(this.caller, send, (giveUp) => (this.#onGone = giveUp));
    } catch (error) {
      this.cut();
      throw error;
    } finally {
      held.release(holder, stream);
    }
  }

  async #sendStream(stream: ByteStream, writeHead: () => void, onProgress: () => void): Promise<void> {
    if (this.#isGone()) return;
    // Once for all chunks: one that was set while the former runs would be lost, because uWebSockets puts that one back.
    this.#res.onWritable(() => this.#tryChunk());
    for (let sent = 0; sent < stream.size; ) {
      const [start, end] = [sent, Math.min(sent + MAX_CHUNK_BYTES, stream.size)];
      const chunk = await this.#exits.reads.run(this.caller, () => stream.read(start, end));
      if (this.#isGone()) return;
      await this.#sendChunk(chunk, stream.size, start === 0 ? writeHead : null);
      if (this.#isGone()) return;
      onProgress();
      sent += chunk.length;
    }
    this.#settle();
  }

  /** Resolves when the socket has taken the chunk, or the client is gone. */
  #sendChunk(bytes: Uint8Array, total: number, writeHead: (() => void) | null): Promise<void> {
    return new Promise((resolve) => {
      this.#onGone = resolve;
      this.#chunk = { bytes, total, start: this.#res.getWriteOffset(), resolve };
      this.#res.cork(() => {
        writeHead?.();
        this.#tryChunk();
      });
    });
  }

  /** Whether the socket has taken all of the chunk. */
  #tryChunk(): boolean {
    if (this.#chunk === null) return true;
    const { bytes, total, start, resolve } = this.#chunk;
    const [sent, done] = this.#res.tryEnd(bytes.subarray(this.#res.getWriteOffset() - start), total);
    if (sent || done) {
      this.#chunk = null;
      resolve();
    } else {
      this.#stayStopped();
    }
    return sent;
  }

  #writeHeadOf(status: number, headers: Headers, close: boolean): void {
    this.#writeHead(status, headers);
    if (close && !this.#isLast) this.#announceClose();
  }

  #writeHead(status: number, headers: Headers): void {
    this.#res.writeStatus(statusLine(status));
    const [name, value] = asOneHeader(headers);
    this.#res.writeHeader(name, value);
    if (this.#isLast) this.#announceClose();
  }

  /**
   * 204 and 304 must not state a length. Where there is one it is written here: told of it, uWebSockets 20.49 would wait
   * for the body and take the connection's next request for an intrusion.
   */
  #endWithoutBody(length: number | null, close: boolean): void {
    if (length !== null) this.#res.writeHeader('Content-Length', String(length));
    if (close && !this.#isLast) this.#announceClose();
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

  /** Cuts the connection without an answer, or in the middle of one. */
  cut(): void {
    if (this.#state !== 'open' && this.#state !== 'leaving') return;
    this.#state = 'gone';
    this.#body?.clientGone();
    this.#onGone();
    this.#res.close();
    this.#onSettled();
  }
}

function isUnchecked(body: string | Uint8Array): boolean {
  return body.length <= SMALL_BODY && Math.random() > CHECKED_SHARE;
}

function bytesOf(body: string | Uint8Array): Uint8Array {
  return typeof body === 'string' ? Buffer.from(body) : body;
}

function byteLength(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
}
