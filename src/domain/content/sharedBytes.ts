/**
 * Encodes text to bytes with their own memory, which a message transfers to another thread without a copy. Not a
 * SharedArrayBuffer: V8 does not count its memory, and gigabytes piled up before it collected any.
 */
import { toEnd } from '../slices.js';

/** From this size on, copying the text to another thread and encoding it there cost more than separate memory. */
export const LARGE_ANSWER_CHARACTERS = 256 * 1024;

/** Smaller bytes are copied: they may share their memory with others. */
const LEAST_HANDED_BYTES = 256 * 1024;

/** A fraction of a millisecond. */
const SLICE_CHARACTERS = 256 * 1024;
const COPY_BYTES = 1024 * 1024;

export function toSharedBytes(text: string): Uint8Array {
  return toEnd(toSharedBytesInSlices(text));
}

/** The same in slices. */
export function toSharedBytesInSlices(text: string): Generator<undefined, Uint8Array> {
  return joinSharedInSlices([text]);
}

function* writeInSlices(text: string, to: Buffer, at: number): Generator<undefined, void> {
  let written = 0;
  for (let from = 0; from < text.length;) {
    const end = endOfSlice(text, from);
    written += to.write(text.slice(from, end), at + written);
    from = end;
    if (from < text.length) yield undefined;
  }
}

/** Never splits a surrogate pair. */
function endOfSlice(text: string, from: number): number {
  const to = from + SLICE_CHARACTERS;
  if (to >= text.length) return text.length;
  const isHighSurrogate = (text.charCodeAt(to - 1) & 0xfc00) === 0xd800;
  return isHighSurrogate ? to + 1 : to;
}

/** Bytes that are written when they are needed, so that they are in memory once. */
export interface UnwrittenBytes {
  readonly length: number;
  /** Writes all of them at this offset. Pauses often. */
  write(to: Buffer, at: number): Generator<undefined, void>;
}

/** Joins text and bytes. */
export function* joinSharedInSlices(parts: ReadonlyArray<string | Uint8Array | UnwrittenBytes>): Generator<undefined, Uint8Array> {
  const sizes = parts.map((part) => (typeof part === 'string' ? Buffer.byteLength(part) : part.length));
  const shared = new Uint8Array(sizes.reduce((sum, size) => sum + size, 0));
  const buffer = Buffer.from(shared.buffer);
  let at = 0;
  let paused = 0;
  for (const [index, part] of parts.entries()) {
    if (at - paused >= SLICE_CHARACTERS) {
      paused = at;
      yield undefined;
    }
    if (typeof part === 'string') yield* writeInSlices(part, buffer, at);
    else if (part instanceof Uint8Array) yield* copyInSlices(part, shared, at);
    else yield* part.write(buffer, at);
    at += sizes[index] ?? 0;
  }
  return shared;
}

function* copyInSlices(from: Uint8Array, to: Uint8Array, at: number): Generator<undefined, void> {
  for (let copied = 0; copied < from.length; copied += COPY_BYTES) {
    if (copied > 0) yield undefined;
    to.set(from.subarray(copied, copied + COPY_BYTES), at + copied);
  }
}

/** The memory of large bytes among these values, for the transfer list. */
export function memoryOf(...lists: ReadonlyArray<readonly unknown[]>): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  for (const list of lists) {
    for (const value of list) {
      if (value instanceof Uint8Array && value.buffer instanceof ArrayBuffer && value.length >= LEAST_HANDED_BYTES) {
        buffers.add(value.buffer);
      }
    }
  }
  return [...buffers];
}

/**
 * The same bytes with memory of their own. A message copies the whole memory behind a view: without this, each chunk of
 * a buffer would be sent with all the others.
 */
export function inOwnMemory(bytes: Uint8Array): Uint8Array {
  return bytes.length === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
