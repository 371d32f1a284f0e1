/** Reads a request body as it arrives, within limits of size and time. */
import { AppError } from '../../domain/errors.js';
import { copyOf, type BodyStream } from './bodyStream.js';
import type { WatchedBody } from './bodyWatch.js';
import type { BodyFraming } from '../head.js';
import type { Intake, KeptBody } from './keptBodies.js';

/** The client disconnected: there is no one to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

type State =
  | { readonly kind: 'reading' }
  | { readonly kind: 'complete'; readonly bytes: Buffer }
  | { readonly kind: 'failed'; readonly error: Error };

export class BodyReader implements WatchedBody, KeptBody {
  readonly #stream: Pick<BodyStream, 'onData' | 'refuse'>;
  readonly #limit: number;
  readonly #intake: Intake;
  readonly #owner: () => string;
  #chunks: Buffer[] = [];
  #received = 0;
  #isKept = false;
  #state: State = { kind: 'reading' };
  #waiting: { resolve(bytes: Buffer): void; reject(error: Error): void } | null = null;

  /** `owner`: see `KeptBody`. The caller is identified while the body arrives. */
  constructor(stream: Pick<BodyStream, 'onData' | 'refuse'>, framing: BodyFraming, limit: number, intake: Intake, owner: () => string) {
    this.#stream = stream;
    this.#limit = limit;
    this.#intake = intake;
    this.#owner = owner;
    if (framing.kind === 'none') {
      this.#settle({ kind: 'complete', bytes: Buffer.alloc(0) });
      return;
    }
    if (framing.kind === 'length' && framing.bytes > limit) this.#failAsTooLarge();
    else stream.onData((chunk, isLast) => this.#take(chunk, isLast));
  }

  read(): Promise<Buffer> {
    const state = this.#state;
    if (state.kind === 'complete') return Promise.resolve(state.bytes);
    if (state.kind === 'failed') return Promise.reject(state.error);
    this.#intake.watch.add(this);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  /** Resolves when the body is complete or has failed: `read` then has its result. */
  async settled(): Promise<void> {
    if (this.#state.kind === 'reading') await this.read().catch(() => undefined);
  }

  /** Counts the complete body as kept while the work needs it. Rejects if it is refused meanwhile: then no more is wanted. */
  async keepWhile(bytes: number, work: (isWanted: () => boolean) => Promise<void>): Promise<void> {
    const { kept } = this.#intake;
    let refusal: AppError | null = null;
    const body: KeptBody = { owner: this.owner, refuse: (reason) => (refusal = reason) };
    kept.keep(body, bytes);
    try {
      await work(() => refusal === null);
    } finally {
      kept.release(body);
    }
    if (refusal !== null) throw refusal;
  }

  get received(): number {
    return this.#received;
  }

  get owner(): string {
    return this.#owner();
  }

  refuse(reason: AppError): void {
    this.#fail(reason);
    this.#stream.refuse();
  }

  noteTooSlow(): void {
    this.#fail(tooSlow());
  }

  clientGone(): void {
    // Nearly every body is complete when its answer leaves. The error is created only if needed, because it records the
    // stack.
    if (this.#state.kind === 'reading') this.#fail(new ClientGone());
  }

  /** The rest is unwanted. `BodyStream` decides whether it is still read. */
  discard(): void {
    this.clientGone();
  }

  #take(chunk: ArrayBuffer, isLast: boolean): void {
    if (this.#state.kind !== 'reading') return;
    this.#received += chunk.byteLength;
    if (this.#received > this.#limit) {
      this.#failAsTooLarge();
      return;
    }
    const bytes = copyOf(chunk);
    this.#chunks.push(bytes);
    // Most bodies arrive in one chunk and are not counted.
    if (!isLast) this.#keep();
    else this.#settle({ kind: 'complete', bytes: this.#chunks.length === 1 ? bytes : Buffer.concat(this.#chunks) });
  }

  #keep(): void {
    this.#isKept = true;
    this.#intake.kept.keep(this, this.#received);
  }

  /** The answer may take a while: the rest is not read meanwhile. */
  #failAsTooLarge(): void {
    this.#fail(tooLarge(this.#limit));
    this.#stream.refuse();
  }

  #fail(error: Error): void {
    this.#settle({ kind: 'failed', error });
  }

  #settle(state: State): void {
    if (this.#state.kind !== 'reading') return;
    this.#state = state;
    this.#chunks = [];
    this.#intake.watch.remove(this);
    if (this.#isKept) this.#intake.kept.release(this);
    if (state.kind === 'complete') this.#waiting?.resolve(state.bytes);
    if (state.kind === 'failed') this.#waiting?.reject(state.error);
  }
}

export function tooSlow(): AppError {
  return new AppError('timeout', 'The body arrived too slowly');
}

export function tooLarge(limit: number): AppError {
  return new AppError('too_large', `body: must be at most ${limit} bytes`);
}
