/** A response without an end: text that is written as it comes, until the client or the service ends it. */
import type { HttpResponse } from 'uWebSockets.js';
import type { LiveStream } from '../../api/operation/operation.js';
import { toSent } from '../../flow/sentText.js';

/** A comment of a stream of events. */
const NOTHING = ':\n\n';

export class LiveResponse implements LiveStream {
  readonly #res: HttpResponse;
  readonly #onEnded: () => void;
  #isClosed = false;
  #unsentBytes = 0;
  #onDrain: () => void = () => undefined;
  #onClosed: () => void = () => undefined;

  /** `onEnded` is called if the service ends the response. */
  constructor(res: HttpResponse, onEnded: () => void) {
    this.#res = res;
    this.#onEnded = onEnded;
  }

  /** After status and headers. */
  start(): void {
    // With this handler uWebSockets sends what it has buffered only together with a new write (seen with v20.49).
    this.#res.onWritable(() => {
      let isTaken = false;
      this.#res.cork(() => (isTaken = this.#res.write(NOTHING)));
      if (isTaken) {
        this.#unsentBytes = 0;
        this.#onDrain();
      }
      return isTaken;
    });
    // Until a first write uWebSockets does not send the end of the head, so the client would wait for it.
    this.#res.write(NOTHING);
  }

  /** An upper bound, until the client has taken everything. */
  get unsentBytes(): number {
    return this.#unsentBytes;
  }

  write(text: string): void {
    if (this.#isClosed) return;
    let isTaken = false;
    this.#res.cork(() => (isTaken = this.#res.write(toSent(text))));
    if (!isTaken) this.#unsentBytes += Buffer.byteLength(text);
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener;
  }

  onClosed(listener: () => void): void {
    this.#onClosed = listener;
    if (this.#isClosed) listener();
  }

  end(): void {
    if (this.#isClosed) return;
    this.noteClosed();
    this.#res.cork(() => this.#res.end());
    this.#onEnded();
  }

  cut(): void {
    if (this.#isClosed) return;
    this.noteClosed();
    this.#res.close();
    this.#onEnded();
  }

  /** The client is gone, or was never there. */
  noteClosed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#unsentBytes = 0;
    this.#onClosed();
  }
}
