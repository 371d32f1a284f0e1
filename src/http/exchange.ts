/**
 * One request and its one answer. Hides the demands of uWebSockets: corking, aborts, and never using a dead response.
 */
import type { HttpResponse } from 'uWebSockets.js';
import type { ByteStream } from '../api/operation/operation.js';
import { statusLine } from '../api/operation/statuses.js';
import { MAX_CHUNK_BYTES } from '../domain/ports/boardsPort.js';
import { BodyStream } from './body/bodyStream.js';
import { BodyReader } from './body/bodyReader.js';
import { BodyWriter, type SendingLimits } from './answer/bodyWriter.js';
import { DocumentBody } from './body/documentBody.js';
import type { RequestHead } from './head.js';
import type { Intake } from './body/keptBodies.js';
import { GzipSender } from './answer/gzipSender.js';
import { LiveResponse } from './answer/liveResponse.js';
import { MultipartUpload } from './body/multipart.js';
import { PlainSender, type StreamSender } from './answer/plainSender.js';
import { toSent } from '../flow/sentText.js';

export type Header = readonly [name: string, value: string];

export type Headers = readonly [Header, ...Header[]];

/**
 * Each header costs a call into uWebSockets, which writes name and value unchanged. Joining the headers of a small
 * answer into one saves a tenth of its time.
 */
export function asOneHeader([first, ...others]: Headers): Header {
  return [first[0], others.reduce(withHeader, first[1])];
}

/** The value of a header, followed by another header. */
export function withHeader(value: string, [name, other]: Header): string {
  return `${value}\r\n${name}: ${other}`;
}

/** `leaving`: a part of the answer is still to be sent. */
type State = 'open' | 'leaving' | 'answered' | 'gone';

/** How a stream leaves. */
export interface StreamForm {
  /** Whether the connection closes after it. */
  readonly close: boolean;
  /** Whether it is compressed (gzip) on its way. Then it states no length. */
  readonly isCompressed: boolean;
}

/** A larger body is sent in slices. */
const LARGE_BODY = 512 * 1024;
/**
 * `end` lets uWebSockets buffer what the socket does not take without reporting it: a client that sends requests and
 * never reads would accumulate answers without bound. `tryEnd` reports it, for 0.6 µs more, which is little for a body
 * of some size. Of the small ones a random share is sent that way, so that the pile stays below a few dozen kilobytes
 * and no client can tell which answers are checked.
 */
const SMALL_BODY = 4 * 1024;
const CHECKED_SHARE = 1 / 16;

export class Exchange {
  readonly head: RequestHead;
  readonly requestId: string;
  readonly startedAt = performance.now();
  /** The operation of the request, for the metrics. */
  operation = 'none';
  readonly #res: HttpResponse;
  readonly #onSettled: () => void;
  readonly #limits: SendingLimits;
  /** The id of the caller once known: unread answers count towards it. */
  caller = '';
  #state: State = 'open';
  /** The rest of the request's body is not read, so this is the last request of the connection. */
  #isLast = false;
  #onGone: () => void = () => undefined;
  /** uWebSockets' handler runs: what is written leaves together when it returns. */
  #isInHandler = true;
  /** Null if the request has no body. */
  readonly #incomingBody: BodyStream | null;
  #body: BodyReader | MultipartUpload | DocumentBody | null = null;

  /** Must be created inside the uWebSockets handler, which must call `outliveHandler`. `onSettled` is called once. */
  constructor(res: HttpResponse, head: RequestHead, requestId: string, limits: SendingLimits, onSettled: () => void) {
    this.#res = res;
    this.head = head;
    this.requestId = requestId;
    this.#limits = limits;
    this.#onSettled = onSettled;
    this.#incomingBody = head.body.kind === 'none' ? null : new BodyStream(res, head.body, () => this.cut());
  }

  /** The handler returns. A response without an abort handler must not outlive it; most are answered by then. */
  outliveHandler(): void {
    this.#isInHandler = false;
    if (!this.#isUnsettled()) return;
    const stream = this.#incomingBody;
    if (stream?.isPaused === true) {
      setImmediate(() => {
        if (this.#isUnsettled()) stream.stayPaused();
      });
    }
    this.#res.onAborted(() => {
      if (!this.#isUnsettled()) return;
      this.#state = 'gone';
      this.#body?.clientGone();
      this.#onGone();
      this.#onSettled();
    });
  }

  /** Starts to read the body. Must be called before the handler returns, or the first bytes are lost. */
  startBody(limit: number, intake: Intake): BodyReader {
    const reader = new BodyReader(this.#incoming(), this.head.body, limit, intake, () => this.caller);
    this.#body = reader;
    return reader;
  }

  /** The same for a file, which is read only when a receiver takes it. */
  startUpload(intake: Intake): MultipartUpload {
    const upload = new MultipartUpload(this.#incoming(), this.head.body, this.head.contentType, intake);
    this.#body = upload;
    return upload;
  }

  startDocument(intake: Intake): DocumentBody {
    const { body, contentType } = this.head;
    const document = new DocumentBody(this.#incoming(), body, contentType, intake, () => this.caller);
    this.#body = document;
    return document;
  }

  #incoming(): BodyStream {
    return this.#incomingBody ?? new BodyStream(this.#res, this.head.body, () => this.cut());
  }

  /** The address of the peer. If the peer is a proxy, see `clientAddress`. */
  peerAddress(): string {
    return this.#state === 'open' ? Buffer.from(this.#res.getRemoteAddressAsText()).toString() : '';
  }

  /** Answers once. If the client is gone, nothing is sent, and that is not an error. */
  answer(status: number, headers: Headers, body: string | Uint8Array | null, close: boolean): void {
    if (this.#state !== 'open') return;
    this.#body?.discard();
    if (this.#incomingBody === null || this.#incomingBody.isModest || close) this.#answerNow(status, headers, body, close);
    else
      this.#readNoMore(this.#incomingBody)
        .then(() => this.#answerNow(status, headers, body, false))
        .catch(() => this.cut());
  }

  /**
   * Called before the answer to a request whose body may continue for ever. After the answer nothing could stop it:
   * uWebSockets would read and discard. So reading stops here. Bytes that were already read are examined within this
   * turn; if the body is not complete then, the answer announces the end of the connection, and the client has the ten
   * seconds of uWebSockets' time-out to read it.
   */
  async #readNoMore(stream: BodyStream): Promise<void> {
    stream.refuse();
    await new Promise(setImmediate);
    this.#isLast = !stream.isComplete;
  }

  #answerNow(status: number, headers: Headers, body: string | Uint8Array | null, close: boolean): void {
    if (this.#state !== 'open') return;
    if (body !== null && body.length > LARGE_BODY && this.head.method !== 'HEAD') {
      this.#depart(bytesOf(body), () => this.#writeHeadOf(status, headers, close));
      return;
    }
    let isDone = true;
    if (this.#isInHandler) isDone = this.#write(status, headers, body, close);
    else this.#res.cork(() => (isDone = this.#write(status, headers, body, close)));
    if (body !== null && !isDone) this.#depart(bytesOf(body), null);
    else this.#settle();
  }

  /** Whether everything is written. */
  #write(status: number, headers: Headers, body: string | Uint8Array | null, close: boolean): boolean {
    this.#writeHead(status, headers);
    if (body === null) this.#endWithoutBody(null, close);
    else if (this.head.method === 'HEAD') this.#endWithoutBody(byteLength(body), close);
    else if (close || isUnchecked(body)) this.#res.end(sentBody(body), close);
    else return this.#res.tryEnd(sentBody(body), byteLength(body))[1];
    return true;
  }

  #settle(): void {
    this.#state = 'answered';
    this.#onSettled();
  }

  /** uWebSockets resumes reading after a write that found the socket full. */
  #stayStopped(): void {
    if (this.#isLast) this.#res.pause();
  }

  /** Sends a body, or the rest of a started one, as the socket takes it. */
  #depart(body: Uint8Array, writeHead: (() => void) | null): void {
    this.#state = 'leaving';
    const writer = new BodyWriter(
      {
        res: this.#res,
        body,
        owner: this.caller,
        writeHead,
        onWrote: () => this.#stayStopped(),
        onDone: () => this.#settle(),
        cut: () => this.cut(),
      },
      this.#limits,
    );
    this.#onGone = () => writer.stop();
    writer.start();
  }

  /**
   * Answers with bytes that are read as fast as the client takes them. If reading fails the connection is cut, because
   * the status has already been sent; the caller logs the error.
   */
  async answerStream(status: number, headers: Headers, stream: ByteStream, { close, isCompressed }: StreamForm): Promise<void> {
    if (this.#incomingBody !== null && !this.#incomingBody.isModest) await this.#readNoMore(this.#incomingBody);
    if (this.#state !== 'open') return;
    if (this.head.method === 'HEAD' || stream.size === 0) {
      this.#res.cork(() => {
        this.#writeHead(status, headers);
        this.#endWithoutBody(isCompressed ? null : stream.size, close);
      });
      this.#settle();
      return;
    }
    const { held, leaving } = this.#limits;
    const holder = { owner: this.caller, cut: () => this.cut() };
    // A chunk, and what became of it.
    held.hold(holder, stream, (isCompressed ? 2 : 1) * MAX_CHUNK_BYTES + (stream.heldBytes ?? 0));
    const target = { res: this.#res, writeHead: () => this.#writeHeadOf(status, headers, close), onRefused: () => this.#stayStopped() };
    const startSending = (): StreamSender =>
      isCompressed ? new GzipSender(target, this.#limits.deflates, this.caller) : new PlainSender(target, stream.size);
    try {
      const send = (): Promise<void> => this.#sendStream(stream, startSending, () => held.progress(holder, stream));
      await leaving.runIfWanted(this.caller, send, (giveUp) => (this.#onGone = giveUp));
    } catch (error) {
      this.cut();
      throw error;
    } finally {
      held.release(holder, stream);
    }
  }

  /** Begins an answer without an end. If the client is gone, it is closed already. */
  answerLive(status: number, headers: Headers): LiveResponse {
    const live = new LiveResponse(this.#res, () => this.#settle());
    if (this.#state !== 'open') {
      live.noteClosed();
      return live;
    }
    this.#state = 'leaving';
    this.#onGone = () => live.noteClosed();
    this.#res.cork(() => {
      this.#writeHead(status, headers);
      live.start();
    });
    return live;
  }

  async #sendStream(stream: ByteStream, startSending: () => StreamSender, onProgress: () => void): Promise<void> {
    if (this.#isGone()) return;
    const sender = startSending();
    this.#onGone = () => sender.stop();
    for (let sent = 0; sent < stream.size;) {
      const [start, end] = [sent, Math.min(sent + MAX_CHUNK_BYTES, stream.size)];
      const chunk = await this.#limits.reads.run(this.caller, () => stream.read(start, end));
      if (this.#isGone()) return;
      await sender.send(chunk);
      if (this.#isGone()) return;
      onProgress();
      sent += chunk.length;
    }
    sender.end();
    this.#settle();
  }

  #writeHeadOf(status: number, headers: Headers, close: boolean): void {
    this.#writeHead(status, headers);
    if (close && !this.#isLast) this.#announceClose();
  }

  #writeHead(status: number, headers: Headers): void {
    this.#incomingBody?.letGo();
    this.#res.writeStatus(statusLine(status));
    const [name, value] = headers.length === 1 ? headers[0] : asOneHeader(headers);
    this.#res.writeHeader(name, value);
    if (this.#isLast) this.#announceClose();
  }

  /**
   * 204 and 304 must not state a length. Otherwise the length is written as a header here: uWebSockets 20.49, given the
   * length, would wait for the body and reject the next request of the connection.
   */
  #endWithoutBody(length: number | null, close: boolean): void {
    if (length !== null) this.#res.writeHeader('Content-Length', String(length));
    if (close && !this.#isLast) this.#announceClose();
    this.#res.endWithoutBody();
  }

  /**
   * `end` announces and closes; elsewhere the client gets the announcement and closes, or is cut off at the end of the
   * stop.
   */
  #announceClose(): void {
    this.#res.writeHeader('Connection', 'close');
  }

  #isUnsettled(): boolean {
    return this.#state === 'open' || this.#state === 'leaving';
  }

  /** A method, because the state changes during an await and TypeScript would narrow the field. */
  #isGone(): boolean {
    return this.#state === 'gone';
  }

  /** Closes the connection without an answer, or in the middle of one. */
  cut(): void {
    if (!this.#isUnsettled()) return;
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

function sentBody(body: string | Uint8Array): string | Uint8Array {
  return typeof body === 'string' ? toSent(body) : body;
}

function byteLength(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
}
