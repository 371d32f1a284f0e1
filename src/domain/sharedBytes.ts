/** Text in memory that all threads of the process share: it is encoded once, and passing it on copies nothing. */
import { toEnd } from './slices.js';

/** A fraction of a millisecond. */
const SLICE_CHARACTERS = 256 * 1024;

export function toSharedBytes(text: string): Uint8Array {
  return toEnd(toSharedBytesInSlices(text));
}

/** The same, pausing now and then. */
export function* toSharedBytesInSlices(text: string): Generator<undefined, Uint8Array> {
  const shared = new SharedArrayBuffer(Buffer.byteLength(text));
  const bytes = Buffer.from(shared);
  for (let from = 0, at = 0; from < text.length; ) {
    if (from > 0) yield undefined;
    const to = endOfSlice(text, from);
    at += bytes.write(text.slice(from, to), at);
    from = to;
  }
  return new Uint8Array(shared);
}

/** Never between the two halves of a character. */
function endOfSlice(text: string, from: number): number {
  const to = from + SLICE_CHARACTERS;
  if (to >= text.length) return text.length;
  const isHighSurrogate = (text.charCodeAt(to - 1) & 0xfc00) === 0xd800;
  return isHighSurrogate ? to + 1 : to;
}
