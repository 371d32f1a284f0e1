/** A large JSON document, read from the connection only as fast as it is consumed. */
import type { IncomingDocument } from '../api/operation.js';
import { copyOf, type IncomingBytes } from './arrival.js';
import { ClientGone, tooLarge, tooSlow } from './bodyReader.js';
import type { BodyWatch, WatchedBody } from './bodyWatch.js';
import { requireJson } from './contentType.js';
import type { BodyFraming } from './head.js';
import { Inflow } from './inflow.js';

/** Searching the worst piece takes a few milliseconds. */
const PIECE_BYTES = 64 * 1024;

type State = 'arriving' | 'complete' | 'too slow' | 'gone';

/** Unconsumed bytes are at most what uWebSockets read at once: then the connection is paused. */
export class DocumentBody implements IncomingDocument, WatchedBody {
  readonly #framing: BodyFraming;
  readonly #contentType: string;
  readonly #waiting: Buffer[] = [];
  #state: State = 'arriving';
  readonly #inflow: Inflow;
  #received = 0;
  #wake: () => void = () => undefined;

  constructor(arrival: IncomingBytes, framing: BodyFraming, contentType: string, watch: BodyWatch) {
    this.#inflow = new Inflow(arrival, watch, this);
    this.#framing = framing;
    this.#contentType = contentType;
    if (framing.kind === 'none') {
      this.#state = 'complete';
      return;
    }
    arrival.onData((chunk, isLast) => {
      if (this.#state !== 'arriving') return;
      this.#received += chunk.byteLength;
      this.#waiting.push(copyOf(chunk));
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

  noteTooSlow(): void {
    this.#state = 'too slow';
    this.#inflow.end();
    this.#wake();
  }

  clientGone(): void {
    this.#state = 'gone';
    this.#inflow.end();
    this.#waiting.length = 0;
    this.#wake();
  }

  /** The rest is unwanted. `Arrival` decides whether it is still read. */
  discard(): void {
    this.clientGone();
    this.#inflow.resume();
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

  /** Null after the last one. */
  async #next(): Promise<Buffer | null> {
    for (;;) {
      const chunk = this.#waiting.shift();
      if (chunk !== undefined) return chunk;
      if (this.#state === 'gone') throw new ClientGone();
      if (this.#state === 'too slow') throw tooSlow();
      if (this.#state === 'complete') return null;
      const arrived = new Promise<void>((resolve) => (this.#wake = resolve));
      this.#inflow.resume();
      await arrived;
    }
  }
}
