/**
 * JSON made smaller for clients that ask for it. What is answered again, such as a board that many read, is compressed
 * once for all its readers.
 */
import { constants, gzip } from 'node:zlib';
import type { Operation } from '../../api/operation/operation.js';
import { chooseCoding } from './contentCoding.js';

/** A shorter answer fits into a packet or two with its headers. */
export const MIN_LENGTH = 1024;
/** Two of the four threads that libuv has for everything; streams may take a third, and the last stays free for files. */
const MAX_RUNNING = 2;
/** An answer does not wait longer for it and leaves as it is; the next one may find it done. */
const PATIENCE_MS = 25;
/** Answers that the read cache gives again as the same text; a longer one is compared with all of its length. */
const MAX_KEPT_TEXT = 16 * 1024;
const KEPT_TEXTS_BYTES = 4 * 1024 * 1024;
const MAX_KNOWN_HEADERS = 64;
/** Five times as fast as the usual level, and a tenth larger. */
const OPTIONS = { level: constants.Z_BEST_SPEED } as const;
const HINT = { gzip: new Uint8Array() };

/** Null: the answer leaves as it is. */
export type Compressed = Uint8Array | null;

/**
 * Nothing beside a secret is compressed: from the length of answers, a page that can make a user's browser repeat a
 * request with texts of its choice could guess the secret.
 */
export function isCompressible({ path, isAnswerKept, success }: Operation): boolean {
  return success.schema !== undefined && isAnswerKept !== false && !path.startsWith('/auth');
}

export class Compression {
  readonly #patienceMs: number;
  /**
   * By the memory of a body: it is gone with the cached board. It is kept only if it is at most half as large, so it
   * adds at most half to what the cache may take, and commonly a tenth.
   */
  readonly #bodies = new WeakMap<Uint8Array, Compressed | Promise<Compressed>>();
  /** The least recently used first. */
  readonly #texts = new Map<string, Uint8Array>();
  #textBytes = 0;
  readonly #knownHeaders = new Map<string, boolean>();
  /** Callers whose answers are being compressed: one answer each, so that no caller waits for another's. */
  readonly #callers = new Set<string>();

  constructor(patienceMs = PATIENCE_MS) {
    this.#patienceMs = patienceMs;
  }

  /** The body for this client. A promise never rejects, and is settled soon. */
  of(body: string | Uint8Array, acceptEncoding: string, caller: string): Compressed | Promise<Compressed> {
    if (body.length <= MIN_LENGTH || !this.accepts(acceptEncoding)) return null;
    return typeof body === 'string' ? this.#ofText(body, caller) : this.#ofBytes(body, caller);
  }

  /** Clients send the same few headers all the time. */
  accepts(acceptEncoding: string): boolean {
    if (acceptEncoding === '') return false;
    const known = this.#knownHeaders.get(acceptEncoding);
    if (known !== undefined) return known;
    const accepts = chooseCoding(acceptEncoding, HINT) !== null;
    if (this.#knownHeaders.size >= MAX_KNOWN_HEADERS) this.#knownHeaders.clear();
    this.#knownHeaders.set(acceptEncoding, accepts);
    return accepts;
  }

  #ofBytes(body: Uint8Array, caller: string): Compressed | Promise<Compressed> {
    const known = this.#bodies.get(body);
    if (known !== undefined) return known instanceof Promise ? this.#patiently(known) : known;
    const work = this.#start(body, caller);
    if (work === null) return null;
    const kept = work.then((compressed) => {
      // Null if it is not worth it; then it is not tried again.
      const result = compressed !== null && compressed.length * 2 <= body.length ? compressed : null;
      this.#bodies.set(body, result);
      return result;
    });
    this.#bodies.set(body, kept);
    return this.#patiently(kept);
  }

  #ofText(text: string, caller: string): Compressed | Promise<Compressed> {
    const known = text.length <= MAX_KEPT_TEXT ? this.#texts.get(text) : undefined;
    if (known !== undefined) {
      this.#texts.delete(text);
      this.#texts.set(text, known);
      return known;
    }
    const work = this.#start(text, caller);
    if (work === null) return null;
    return this.#patiently(
      work.then((compressed) => {
        if (compressed !== null && text.length <= MAX_KEPT_TEXT) this.#keep(text, compressed);
        return compressed;
      }),
    );
  }

  /** Null if enough is being compressed: the answer does not wait for its turn. */
  #start(body: string | Uint8Array, caller: string): Promise<Compressed> | null {
    if (this.#callers.size >= MAX_RUNNING || this.#callers.has(caller)) return null;
    this.#callers.add(caller);
    return new Promise((resolve) => {
      gzip(body, OPTIONS, (error, compressed) => {
        this.#callers.delete(caller);
        // Only for want of memory; the answer itself is there.
        resolve(error === null ? compressed : null);
      });
    });
  }

  #keep(text: string, compressed: Uint8Array): void {
    if (this.#texts.has(text)) return;
    this.#texts.set(text, compressed);
    this.#textBytes += costOf(text, compressed);
    for (const [oldest, itsBytes] of this.#texts) {
      if (this.#textBytes <= KEPT_TEXTS_BYTES) return;
      this.#texts.delete(oldest);
      this.#textBytes -= costOf(oldest, itsBytes);
    }
  }

  /** The result, or null if it takes too long. */
  #patiently(work: Promise<Compressed>): Promise<Compressed> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#patienceMs, null);
      void work.then((compressed) => {
        clearTimeout(timer);
        resolve(compressed);
      });
    });
  }
}

function costOf(text: string, compressed: Uint8Array): number {
  return 2 * text.length + compressed.length;
}
