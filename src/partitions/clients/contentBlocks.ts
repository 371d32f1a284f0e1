/**
 * Memory for chunks of files on their way to a store thread, which reads them in place. It is used again: the content of
 * a few uploads would otherwise be hundreds of megabytes of garbage, in two threads, and each collection a wait of
 * everyone.
 */
export class ContentBlocks {
  readonly #bytes: number;
  readonly #free: SharedArrayBuffer[] = [];

  /** `bytes`: of one block. */
  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Lends a copy of the bytes to the task. If that fails, another thread may still read the block: it is not used again. */
  async lend<Result>(bytes: Uint8Array, task: (copy: Uint8Array) => Promise<Result>): Promise<Result> {
    const block = this.#free.pop() ?? new SharedArrayBuffer(this.#bytes);
    const copy = new Uint8Array(block, 0, bytes.length);
    copy.set(bytes);
    const result = await task(copy);
    this.#free.push(block);
    return result;
  }
}
