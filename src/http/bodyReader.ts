/** Takes a request body in as it arrives, within a limit of size and of patience. */
import type { HttpResponse } from 'uWebSockets.js';
import { AppError } from '../domain/errors.js';
import type { BodyFraming } from './head.js';

/** A body must bring so many bytes in every such period. */
export interface BodyPace {
  readonly periodMs: number;
  readonly leastBytes: number;
}

/**
 * uWebSockets cuts a connection that brings less than 16 KiB/s over ten seconds. We look a little earlier, so that the
 * client is told instead of cut.
 */
export const DEFAULT_PACE: BodyPace = { periodMs: 8_000, leastBytes: 128 * 1024 };

/** The client went away: there is nobody to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

type State =
  | { readonly kind: 'reading' }
  | { readonly kind: 'complete'; readonly bytes: Buffer }
  | { readonly kind: 'failed'; readonly error: Error };

export class BodyReader {
  readonly #limit: number;
  readonly #pace: BodyPace;
  #chunks: Buffer[] = [];
  #received = 0;
  #receivedAtLastLook = 0;
  #state: State = { kind: 'reading' };
  #waiting: { resolve(bytes: Buffer): void; reject(error: Error): void } | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(res: HttpResponse, framing: BodyFraming, limit: number, pace: BodyPace) {
    this.#limit = limit;
    this.#pace = pace;
    if (framing.kind === 'none') {
      this.#settle({ kind: 'complete', bytes: Buffer.alloc(0) });
      return;
    }
    if (framing.kind === 'length' && framing.bytes > limit) this.#fail(tooLarge(limit));
    res.onData((chunk, isLast) => this.#take(chunk, isLast));
  }

  read(): Promise<Buffer> {
    const state = this.#state;
    if (state.kind === 'complete') return Promise.resolve(state.bytes);
    if (state.kind === 'failed') return Promise.reject(state.error);
    this.#timer ??= setInterval(() => this.#look(), this.#pace.periodMs);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  clientGone(): void {
    // Nearly every body is complete when its answer leaves, and an error is not made for nothing: it records the stack.
    if (this.#state.kind === 'reading') this.#fail(new ClientGone());
  }

  /** Nobody wants the rest. It is still swallowed, so that the connection can carry the next request. */
  discard(): void {
    this.clientGone();
  }

  #take(chunk: ArrayBuffer, isLast: boolean): void {
    if (this.#state.kind !== 'reading') return;
    this.#received += chunk.byteLength;
    if (this.#received > this.#limit) {
      this.#fail(tooLarge(this.#limit));
      return;
    }
    // The memory behind the chunk is reused after this callback, so the bytes are copied.
    this.#chunks.push(Buffer.from(new Uint8Array(chunk)));
    if (isLast) this.#settle({ kind: 'complete', bytes: Buffer.concat(this.#chunks) });
  }

  #look(): void {
    if (this.#received - this.#receivedAtLastLook < this.#pace.leastBytes) {
      this.#fail(new AppError('timeout', 'The body arrived too slowly'));
    }
    this.#receivedAtLastLook = this.#received;
  }

  #fail(error: Error): void {
    this.#settle({ kind: 'failed', error });
  }

  #settle(state: State): void {
    if (this.#state.kind !== 'reading') return;
    this.#state = state;
    this.#chunks = [];
    if (this.#timer !== null) clearInterval(this.#timer);
    if (state.kind === 'complete') this.#waiting?.resolve(state.bytes);
    if (state.kind === 'failed') this.#waiting?.reject(state.error);
  }
}

export function tooLarge(limit: number): AppError {
  return new AppError('too_large', `body: must be at most ${limit} bytes`);
}
