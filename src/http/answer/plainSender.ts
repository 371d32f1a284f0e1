/** Sends a stream whose length is known as it is. */
import type { HttpResponse } from 'uWebSockets.js';

/** Sends the pieces of a stream one after another. */
export interface StreamSender {
  /** Resolves when the socket has taken the piece, or the sender was stopped. */
  send(bytes: Uint8Array): Promise<void>;
  /** After the last piece. */
  end(): void;
  /** The connection is closed: the response is not used again. */
  stop(): void;
}

export interface SendingTarget {
  readonly res: HttpResponse;
  /** Writes status and headers. */
  readonly writeHead: () => void;
  /** Called after a write that found the socket full. */
  readonly onRefused: () => void;
}

interface Chunk {
  readonly bytes: Uint8Array;
  /** Offset in the answer. */
  readonly start: number;
  resolve(): void;
}

export class PlainSender implements StreamSender {
  readonly #target: SendingTarget;
  /** Length of the whole answer. */
  readonly #total: number;
  #isBegun = false;
  /** What the socket has not taken yet. */
  #chunk: Chunk | null = null;

  constructor(target: SendingTarget, total: number) {
    this.#target = target;
    this.#total = total;
    // Set once for all chunks: a handler that is set while the former one runs is lost, because uWebSockets restores
    // that one.
    target.res.onWritable(() => this.#tryChunk());
  }

  send(bytes: Uint8Array): Promise<void> {
    const { res, writeHead } = this.#target;
    return new Promise((resolve) => {
      this.#chunk = { bytes, start: res.getWriteOffset(), resolve };
      res.cork(() => {
        if (!this.#isBegun) writeHead();
        this.#isBegun = true;
        this.#tryChunk();
      });
    });
  }

  /** uWebSockets has ended the answer with the last of its bytes. */
  end(): void {}

  stop(): void {
    this.#chunk?.resolve();
    this.#chunk = null;
  }

  /** Whether the socket has taken the whole chunk. */
  #tryChunk(): boolean {
    if (this.#chunk === null) return true;
    const { bytes, start, resolve } = this.#chunk;
    const { res, onRefused } = this.#target;
    const [sent, done] = res.tryEnd(bytes.subarray(res.getWriteOffset() - start), this.#total);
    if (sent || done) {
      this.#chunk = null;
      resolve();
    } else {
      onRefused();
    }
    return sent;
  }
}
