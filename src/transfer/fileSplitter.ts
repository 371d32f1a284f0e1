/**
 * Extracts the files from a board's document while it arrives, so that none is held in memory. The result is the
 * document as text, with a short mark in the place of each file.
 */
import { CONTENT_KEY } from '../domain/document/boardDocument.js';
import { AppError } from '../domain/errors.js';
import { inOwnMemory } from '../domain/content/sharedBytes.js';
import { Base64Decoder } from './base64Decoder.js';

export interface FileSink {
  /** A file begins. Its mark must be ASCII without quotes. */
  begin(): Promise<string>;
  write(bytes: Uint8Array): Promise<void>;
  end(): Promise<void>;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const SLASH = 0x2f;
/** Most documents are small: the first block is, too. */
const FIRST_BLOCK_BYTES = 16 * 1024;
const BLOCK_BYTES = 256 * 1024;
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
/**
 * With its quotes. Inside a JSON text every quote follows a backslash, so this matches only a whole key or a whole
 * text.
 */
const KEY = Buffer.from(`"${CONTENT_KEY}"`);

/**
 * `text`: outside files. `key`: after the key of a file; a colon must follow. `colon`: after that colon; a quote must
 * follow. `beginning`: after that quote. `file`: in the content. `fileEscape`: after a backslash in the content, where
 * only a slash may follow.
 */
type State = 'text' | 'key' | 'colon' | 'beginning' | 'file' | 'fileEscape';

export class FileSplitter {
  readonly #sink: FileSink;
  readonly #maxTextBytes: number;
  /**
   * Each has memory of its own, which can be transferred, and all but the last are full. One buffer that grows would be
   * copied again and again; a buffer for every few bytes would take a hundred times the memory.
   */
  readonly #blocks: Buffer[] = [Buffer.allocUnsafeSlow(FIRST_BLOCK_BYTES)];
  /** In the last block. */
  #lastBytes = 0;
  #textBytes = 0;
  #state: State = 'text';
  /** The end of the last piece, in which a key may have begun. */
  #rest: Buffer = Buffer.alloc(0);
  /** The byte before `#rest`. */
  #before = 0;
  #decoder = new Base64Decoder();

  /** The limit applies to the text outside files. */
  constructor(sink: FileSink, maxTextBytes: number) {
    this.#sink = sink;
    this.#maxTextBytes = maxTextBytes;
  }

  async push(piece: Buffer): Promise<void> {
    const chunk = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    this.#rest = Buffer.alloc(0);
    for (let at = 0; at < chunk.length;) {
      if (this.#state === 'text') at = this.#readText(chunk, at);
      else if (this.#state === 'key' || this.#state === 'colon') at = this.#readPunctuation(chunk, at);
      else if (this.#state === 'beginning') await this.#beginFile();
      else at = await this.#readFile(chunk, at);
    }
    if (this.#state === 'beginning') await this.#beginFile();
  }

  /** The text so far, without files. */
  get textBytes(): number {
    return this.#textBytes;
  }

  /** The document without its files, in pieces. A truncated document is invalid JSON, which the parser reports. */
  finish(): Uint8Array[] {
    this.#keep(this.#rest);
    this.#rest = Buffer.alloc(0);
    const last = this.#blocks.pop();
    return last === undefined ? [] : [...this.#blocks.splice(0), inOwnMemory(last.subarray(0, this.#lastBytes))];
  }

  /** Reads up to and including the next key, or nearly to the end. Returns the next offset. */
  #readText(chunk: Buffer, from: number): number {
    const key = chunk.indexOf(KEY, from);
    if (key >= 0) {
      const end = key + KEY.length;
      const before = key === from ? this.#before : chunk[key - 1];
      this.#keep(chunk.subarray(from, end));
      if (before !== BACKSLASH) this.#state = 'key';
      return end;
    }
    const end = Math.max(from, chunk.length - KEY.length + 1);
    this.#keep(chunk.subarray(from, end));
    this.#rest = Buffer.from(chunk.subarray(end));
    return chunk.length;
  }

  /** Between a key and its file. Anything but the colon and the quote means that there is no file. */
  #readPunctuation(chunk: Buffer, from: number): number {
    let at = from;
    while (at < chunk.length && BLANKS.has(chunk[at] ?? 0)) at += 1;
    this.#keep(chunk.subarray(from, at));
    if (at === chunk.length) return at;
    const byte = chunk[at];
    const isFile = this.#state === 'colon' && byte === QUOTE;
    const isColon = this.#state === 'key' && byte === COLON;
    this.#state = isFile ? 'beginning' : isColon ? 'colon' : 'text';
    // What follows is text and may itself begin with a key.
    if (this.#state === 'text') return at;
    this.#keep(chunk.subarray(at, at + 1));
    return at + 1;
  }

  async #beginFile(): Promise<void> {
    this.#keep(Buffer.from(await this.#sink.begin()));
    this.#decoder = new Base64Decoder();
    this.#state = 'file';
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
    this.#state = 'text';
    this.#keep(chunk.subarray(stop, stop + 1));
    return stop + 1;
  }

  async #write(encoded: Buffer): Promise<void> {
    const bytes = this.#decoder.push(encoded);
    if (bytes.length > 0) await this.#sink.write(bytes);
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#textBytes += bytes.length;
    if (this.#textBytes > this.#maxTextBytes) {
      throw new AppError('too_large', `body: must be at most ${this.#maxTextBytes} bytes besides its files`);
    }
    for (let at = 0; at < bytes.length;) {
      const block = this.#blockWithRoom();
      const copied = bytes.copy(block, this.#lastBytes, at);
      this.#lastBytes += copied;
      at += copied;
    }
    this.#before = bytes.at(-1) ?? this.#before;
  }

  #blockWithRoom(): Buffer {
    const last = this.#blocks.at(-1);
    if (last !== undefined && this.#lastBytes < last.length) return last;
    const block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    this.#blocks.push(block);
    this.#lastBytes = 0;
    return block;
  }
}

function indexOrEnd(chunk: Buffer, byte: number, from: number): number {
  const index = chunk.indexOf(byte, from);
  return index < 0 ? chunk.length : index;
}
