/** A large JSON document, read from the connection only as fast as it is consumed. */
import type { DocumentMemory } from '../../api/documentsPort.js';
import type { IncomingDocument } from '../../api/operation/operation.js';
import type { AppError } from '../../domain/errors.js';
import { copyOf, type IncomingBytes } from './bodyStream.js';
import { ClientGone, tooLarge, tooSlow } from './bodyReader.js';
import type { WatchedBody } from './bodyWatch.js';
import { requireJson } from './contentType.js';
import type { BodyFraming } from '../head.js';
import { Inflow } from './inflow.js';
import type { GatedBody } from './inflowGate.js';
import type { Intake, KeptBodies, KeptBody } from './keptBodies.js';

/** Searching the worst piece takes a few milliseconds. */
const PIECE_BYTES = 64 * 1024;

type State = 'arriving' | 'complete' | 'gone' | { readonly refusal: AppError };

/** Unconsumed bytes are at most what uWebSockets read at once: then the connection is paused. */
export class DocumentBody implements IncomingDocument, WatchedBody, KeptBody, GatedBody {
  readonly #framing: BodyFraming;
  readonly #contentType: string;
  readonly #waiting: Buffer[] = [];
  #state: State = 'arriving';
  readonly #inflow: Inflow;
  #received = 0;
  #unconsumedBytes = 0;
  #wake: () => void = () => undefined;
  readonly #kept: KeptBodies;
  readonly #owner: () => string;
  #onRefused: (reason: Error) => void = () => undefined;
  readonly memory: DocumentMemory = {
    keep: (bytes) => this.#keep(bytes),
    onRefused: (listener) => this.#setRefusalListener(listener),
  };

  /** `owner`: see `KeptBody`. */
  constructor(stream: IncomingBytes, framing: BodyFraming, contentType: string, intake: Intake, owner: () => string) {
    this.#inflow = new Inflow(stream, intake, this);
    this.#kept = intake.kept;
    this.#owner = owner;
    this.#framing = framing;
    this.#contentType = contentType;
    if (framing.kind === 'none') {
      this.#state = 'complete';
      return;
    }
    stream.onData((chunk, isLast) => {
      if (this.#state !== 'arriving') return;
      this.#received += chunk.byteLength;
      this.#waiting.push(copyOf(chunk));
      this.#unconsumedBytes += chunk.byteLength;
      if (isLast) {
        this.#state = 'complete';
        this.#inflow.end();
        // A small body arrives despite the pause, which must end with it: the next request needs the connection.
        this.#inflow.resume();
      } else {
        this.#inflow.pause();
      }
      this.#wake();
    });
    this.#inflow.pause();
  }

  get received(): number {
    return this.#received;
  }

  get unconsumedBytes(): number {
    return this.#unconsumedBytes;
  }

  get owner(): string {
    return this.#owner();
  }

  noteTooSlow(): void {
    this.#end({ refusal: tooSlow() });
  }

  refuse(reason: AppError): void {
    this.#dropWaiting();
    this.#end({ refusal: reason });
    this.#onRefused(reason);
  }

  clientGone(): void {
    this.#kept.release(this);
    this.#dropWaiting();
    this.#inflow.leave();
    this.#end('gone');
    this.#onRefused(new ClientGone());
  }

  /** The rest is unwanted. `BodyStream` decides whether it is still read. */
  discard(): void {
    this.clientGone();
    this.#inflow.readRest();
  }

  async receive(maxBytes: number, onChunk: (bytes: Buffer) => Promise<void>): Promise<void> {
    requireJson(this.#contentType);
    if (this.#framing.kind === 'length' && this.#framing.bytes > maxBytes) throw tooLarge(maxBytes);
    let received = 0;
    for (let chunk = await this.#next(); chunk !== null; chunk = await this.#next()) {
      received += chunk.length;
      if (received > maxBytes) throw tooLarge(maxBytes);
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
        await onChunk(chunk.subarray(at, at + PIECE_BYTES));
        // All chunks of a fast sender may be there at once: other requests get their turn between the pieces.
        await new Promise(setImmediate);
      }
    }
  }

  #dropWaiting(): void {
    this.#waiting.length = 0;
    this.#unconsumedBytes = 0;
  }

  #end(state: State): void {
    this.#state = state;
    this.#inflow.end();
    this.#wake();
  }

  /** What was refused or is gone counts no more. */
  #keep(bytes: number): void {
    if (this.#state !== 'arriving' && this.#state !== 'complete') return;
    if (bytes === 0) this.#kept.release(this);
    else this.#kept.keep(this, bytes);
  }

  #setRefusalListener(listener: (reason: Error) => void): void {
    this.#onRefused = listener;
    if (this.#state === 'gone') listener(new ClientGone());
    else if (typeof this.#state === 'object') listener(this.#state.refusal);
  }

  /** Null after the last one. */
  async #next(): Promise<Buffer | null> {
    for (;;) {
      const chunk = this.#waiting.shift();
      if (chunk !== undefined) {
        this.#unconsumedBytes -= chunk.length;
        return chunk;
      }
      if (this.#state === 'gone') throw new ClientGone();
      if (this.#state === 'complete') return null;
      if (this.#state !== 'arriving') throw this.#state.refusal;
      const arrived = new Promise<void>((resolve) => (this.#wake = resolve));
      this.#inflow.resume();
      await arrived;
    }
  }
}
