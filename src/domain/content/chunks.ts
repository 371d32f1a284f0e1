/** Cuts a file that arrives in pieces of any size into chunks of equal size, and copies only what a cut divides. */
export class Chunks {
  readonly #size: number;
  /** Less than a chunk. */
  #rest: Uint8Array[] = [];
  #restBytes = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** The chunks that are complete with this piece. They may share its memory. */
  *add(piece: Uint8Array): Generator<Uint8Array> {
    let at = 0;
    if (this.#restBytes > 0 && this.#restBytes + piece.length >= this.#size) {
      at = this.#size - this.#restBytes;
      this.#keep(piece.subarray(0, at));
      yield this.#takeRest();
    }
    for (; this.#restBytes === 0 && piece.length - at >= this.#size; at += this.#size) yield piece.subarray(at, at + this.#size);
    // Not the memory of the whole piece.
    if (at < piece.length) this.#keep(at === 0 ? piece : new Uint8Array(piece.subarray(at)));
  }

  /** What is left at the end of the file, if anything is. */
  *end(): Generator<Uint8Array> {
    if (this.#restBytes > 0) yield this.#takeRest();
  }

  #keep(bytes: Uint8Array): void {
    this.#rest.push(bytes);
    this.#restBytes += bytes.length;
  }

  #takeRest(): Uint8Array {
    const [first, ...others] = this.#rest;
    const whole = first !== undefined && others.length === 0 ? first : Buffer.concat(this.#rest);
    this.#rest = [];
    this.#restBytes = 0;
    return whole;
  }
}
