/** Sends one body in slices of a buffer that it may share with other responses. */
import type { HttpResponse } from 'uWebSockets.js';
import type { FairLanes } from '../../flow/fairLanes.js';
import type { BodyMemory, Holder } from './bodyMemory.js';
import type { ScheduledWriter, WriteScheduler } from './writeScheduler.js';

/** Shared by all answers of a server. */
export interface SendingLimits {
  readonly writes: WriteScheduler;
  readonly held: BodyMemory;
  /** Reads of file pieces from the store; callers take turns. */
  readonly reads: FairLanes;
  /** Compression of pieces of streams; callers take turns. */
  readonly deflates: FairLanes;
  /** Large answers that leave at once. The kernel buffers megabytes of each, whether the client reads or not. */
  readonly leaving: FairLanes;
}

export interface BodyWriterOptions {
  readonly res: HttpResponse;
  readonly body: Uint8Array;
  readonly owner: string;
  /** Writes status and headers; null after that. */
  readonly writeHead: (() => void) | null;
  /** Called after each write: uWebSockets resumes reading from the connection after a write that found it full. */
  readonly onWrote: () => void;
  /** Called when everything was sent. */
  readonly onDone: () => void;
  /** Closes the connection. It must call `stop`. */
  readonly cut: () => void;
}

export class BodyWriter implements ScheduledWriter, Holder {
  readonly owner: string;
  readonly #options: BodyWriterOptions;
  readonly #limits: SendingLimits;
  #writeHead: (() => void) | null;
  #isOver = false;
  #onOver: () => void = () => undefined;

  constructor(options: BodyWriterOptions, limits: SendingLimits) {
    this.#options = options;
    this.#limits = limits;
    this.#writeHead = options.writeHead;
    this.owner = options.owner;
  }

  start(): void {
    const { body, owner, writeHead } = this.#options;
    const { held, leaving } = this.#limits;
    // A view keeps its whole buffer in memory.
    held.hold(this, body.buffer, body.buffer.byteLength);
    // The rest of a started answer waits only for its socket. Anonymous callers cannot be distinguished and would wait for
    // each other; they get only bodies that are the same for all.
    if (writeHead === null || owner === '') void this.#leave();
    else
      void leaving.runIfWanted(
        owner,
        () => this.#leave(),
        (giveUp) => (this.#onOver = giveUp),
      );
  }

  /** Resolves when the body was sent or stopped. */
  #leave(): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    const { res, body } = this.#options;
    const { held, writes } = this.#limits;
    res.onWritable(() => {
      held.progress(this, body.buffer);
      writes.ready(this);
      // Nothing is written here, so nothing failed.
      return true;
    });
    const over = new Promise<void>((resolve) => (this.#onOver = resolve));
    if (this.#writeHead !== null) writes.ready(this);
    return over;
  }

  write(sliceBytes: number): { bytes: number; canGoOn: boolean } {
    if (this.#isOver) return { bytes: 0, canGoOn: false };
    const { res, body, onWrote, onDone } = this.#options;
    const start = res.getWriteOffset();
    const slice = body.subarray(start, start + sliceBytes);
    let [isTaken, isDone] = [false, false];
    res.cork(() => {
      this.#writeHead?.();
      this.#writeHead = null;
      [isTaken, isDone] = res.tryEnd(slice, body.byteLength);
    });
    if (isDone) {
      this.stop();
      onDone();
      return { bytes: slice.byteLength, canGoOn: false };
    }
    onWrote();
    return { bytes: res.getWriteOffset() - start, canGoOn: isTaken };
  }

  cut(): void {
    this.#options.cut();
  }

  /** The connection is closed or everything was sent: the response is not used again. */
  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#limits.writes.remove(this);
    this.#limits.held.release(this, this.#options.body.buffer);
    this.#onOver();
  }
}
