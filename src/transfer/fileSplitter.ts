/**
 * Takes the files out of a board's document while it arrives, so that none of them is ever held in memory. What is left
 * is the document as text, in which a short mark stands for each file.
 */
import { CONTENT_KEY } from '../domain/boardDocument.js';
import { AppError } from '../domain/errors.js';
import { Base64Decoder } from './base64Decoder.js';

export interface FileSink {
  /** A file begins. Its mark must be plain ASCII without quotes. */
  begin(): Promise<string>;
  write(bytes: Uint8Array): Promise<void>;
  end(): Promise<void>;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const SLASH = 0x2f;
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/**
 * `between` values and keys, in a `text` or right behind a backslash in one (`escape`), in a `file` or right behind a
 * backslash there, where only a slash may follow.
 */
type State = 'between' | 'text' | 'escape' | 'file' | 'fileEscape';

export class FileSplitter {
  readonly #sink: FileSink;
  readonly #maxTextBytes: number;
  readonly #text: Buffer[] = [];
  #textBytes = 0;
  #state: State = 'between';
  /** The text that is being read, as far as it can still be the key of a file; null when it cannot. */
  #key: string | null = null;
  /** What must come next for a file to begin. */
  #awaits: 'key' | 'colon' | 'value' = 'key';
  #decoder = new Base64Decoder();

  /** The limit is on what is not in files. */
  constructor(sink: FileSink, maxTextBytes: number) {
    this.#sink = sink;
    this.#maxTextBytes = maxTextBytes;
  }

  async push(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; ) {
      if (this.#state === 'file' || this.#state === 'fileEscape') at = await this.#readFile(chunk, at);
      else at = await this.#readText(chunk, at);
    }
  }

  /** The document without its files. One that broke off in the middle is no JSON, which its reader will find. */
  finish(): Buffer {
    return Buffer.concat(this.#text);
  }

  /** Up to and including the quote that opens a file, or to the end. Returns where to go on. */
  async #readText(chunk: Buffer, from: number): Promise<number> {
    for (let at = from; at < chunk.length; at += 1) {
      if (!this.#step(chunk[at] ?? 0)) continue;
      this.#keep(chunk.subarray(from, at + 1));
      this.#keep(Buffer.from(await this.#sink.begin()));
      this.#decoder = new Base64Decoder();
      return at + 1;
    }
    this.#keep(chunk.subarray(from));
    return chunk.length;
  }

  /** True when a file begins behind this byte. */
  #step(byte: number): boolean {
    switch (this.#state) {
      case 'escape':
        this.#state = 'text';
        return false;
      case 'text':
        if (byte === QUOTE) {
          this.#state = 'between';
          this.#awaits = this.#key === CONTENT_KEY ? 'colon' : 'key';
        } else if (byte === BACKSLASH) {
          this.#state = 'escape';
          this.#key = null;
        } else if (this.#key !== null) {
          this.#key = this.#key.length < CONTENT_KEY.length ? this.#key + String.fromCharCode(byte) : null;
        }
        return false;
      default:
        return this.#stepBetween(byte);
    }
  }

  #stepBetween(byte: number): boolean {
    if (BLANKS.has(byte)) return false;
    const before = this.#awaits;
    this.#awaits = byte === COLON && before === 'colon' ? 'value' : 'key';
    if (byte !== QUOTE) return false;
    this.#state = before === 'value' ? 'file' : 'text';
    this.#key = '';
    return this.#state === 'file';
  }

  async #readFile(chunk: Buffer, from: number): Promise<number> {
    if (this.#state === 'fileEscape') {
      // JSON may write a slash as `\/`, and some writers always do.
      if (chunk[from] !== SLASH) throw new AppError('malformed', 'body: the content of a file is not valid Base64');
      this.#state = 'file';
      await this.#write(chunk.subarray(from, from + 1));
      return from + 1;
    }
    const end = indexOrEnd(chunk, QUOTE, from);
    const stop = Math.min(end, indexOrEnd(chunk, BACKSLASH, from));
    await this.#write(chunk.subarray(from, stop));
    if (stop === chunk.length) return stop;
    if (stop < end) {
      this.#state = 'fileEscape';
      return stop + 1;
    }
    this.#decoder.finish();
    await this.#sink.end();
    this.#state = 'between';
    this.#keep(chunk.subarray(stop, stop + 1));
    return stop + 1;
  }

  async #write(encoded: Buffer): Promise<void> {
    const bytes = this.#decoder.push(encoded);
    if (bytes.length > 0) await this.#sink.write(bytes);
  }

  #keep(bytes: Buffer): void {
    this.#textBytes += bytes.length;
    if (this.#textBytes > this.#maxTextBytes) {
      throw new AppError('too_large', `body: must be at most ${this.#maxTextBytes} bytes besides its files`);
    }
    // A copy: a piece of the chunk would keep all of it in memory, the file beside it included.
    this.#text.push(Buffer.from(bytes));
  }
}

function indexOrEnd(chunk: Buffer, byte: number, from: number): number {
  const index = chunk.indexOf(byte, from);
  return index < 0 ? chunk.length : index;
}
