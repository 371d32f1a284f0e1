/** The body of a request on its connection: who reads it, and how much is still to come. */
import type { HttpResponse } from 'uWebSockets.js';
import type { BodyFraming } from '../head.js';

/**
 * The rest of an unwanted body is still read up to this, so that the connection can carry the next request. A client
 * that sends a little too much gets its answer and can continue; one that sends without end is cut off. uWebSockets may
 * read it in one turn of the event loop, a few milliseconds.
 */
export const UNWANTED_BYTES = 4 * 1024 * 1024;

type Take = (chunk: ArrayBuffer, isLast: boolean) => void;

/** What a reader needs of a body. */
export interface IncomingBytes {
  /** See `copyOf`. */
  onData(take: Take): unknown;
  pause(): unknown;
  resume(): unknown;
}

/** uWebSockets reuses the memory of a chunk after the callback. */
export function copyOf(chunk: ArrayBuffer): Buffer {
  return Buffer.from(new Uint8Array(chunk));
}

export class BodyStream implements IncomingBytes {
  readonly #res: HttpResponse;
  /** Null for a chunked body of unknown length. */
  readonly #length: number | null;
  readonly #cut: () => void;
  #take: Take | null = null;
  #received = 0;
  #unwanted = 0;
  #isComplete: boolean;
  #isStopped = false;
  #wasPaused = false;
  #isPaused = false;
  #isAnswered = false;
  /** The body is complete, and the connection is paused until the answer. */
  #isHeld = false;

  /** Must be created inside the uWebSockets handler, before the first bytes are lost. `cut` closes the connection. */
  constructor(res: HttpResponse, framing: BodyFraming, cut: () => void) {
    this.#res = res;
    this.#cut = cut;
    this.#length = framing.kind === 'length' ? framing.bytes : null;
    this.#isComplete = framing.kind === 'none';
    if (!this.#isComplete) res.onData((chunk, isLast) => this.#receive(chunk, isLast));
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Whether the rest is small enough to read for the sake of the connection. */
  get isModest(): boolean {
    return this.#isComplete || (this.#length !== null && this.#length - this.#received <= UNWANTED_BYTES);
  }

  onData(take: Take): void {
    this.#take = take;
  }

  /** The body is unwanted from now on. No more of it is read unless the rest is small. */
  refuse(): void {
    this.#take = null;
    if (this.#isStopped || this.isModest) return;
    this.#isStopped = true;
    this.#res.pause();
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  pause(): void {
    this.#wasPaused = true;
    this.#isPaused = true;
    this.#res.pause();
  }

  /**
   * A pause stops uWebSockets' time-out, but after its handler, and with bytes that it had read already, uWebSockets starts
   * it again: it would cut off a client whose turn comes later than in ten seconds.
   */
  stayPaused(): void {
    // After the answer the response must not be used.
    if (this.#isPaused && !this.#isAnswered) this.#res.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (!this.#isComplete) this.#res.resume();
  }

  /** The answer leaves: the next request needs the connection. */
  letGo(): void {
    this.#isAnswered = true;
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#res.resume();
  }

  #receive(chunk: ArrayBuffer, isLast: boolean): void {
    this.#received += chunk.byteLength;
    if (isLast) this.#finish();
    if (isLast) this.#hold();
    else this.stayPaused();
    if (this.#take !== null) this.#take(chunk, isLast);
    else if ((this.#unwanted += chunk.byteLength) > UNWANTED_BYTES) this.#cut();
  }

  /**
   * Resuming starts uWebSockets' time-out of ten seconds, and the end of the body does not stop it: an answer that takes
   * longer would find the connection closed. Only a pause stops it.
   */
  #hold(): void {
    if (!this.#wasPaused || this.#isAnswered) return;
    this.#isHeld = true;
    this.#res.pause();
  }

  /** uWebSockets had already read the whole body before it was stopped: the next request needs the connection. */
  #finish(): void {
    this.#isComplete = true;
    if (this.#isStopped) this.#res.resume();
    this.#isStopped = false;
  }
}
