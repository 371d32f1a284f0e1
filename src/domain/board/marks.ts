/**
 * A mark stands in a text for bytes that are too large for it. It has a NUL at both ends, which JSON never contains, so
 * no user text can equal a mark.
 */
import type { UnwrittenBytes } from '../content/sharedBytes.js';

const NUL = '\0';

/** The bytes that a mark stands for. */
export type MarkedBytes = ReadonlyMap<string, Uint8Array | UnwrittenBytes>;

export function markOf(name: string): string {
  return `${NUL}${name}${NUL}`;
}

export function holdsMark(text: string): boolean {
  return text.includes(NUL);
}

/** The text in parts, with the bytes in the place of their marks. */
export function splitAtMarks(text: string, marked: MarkedBytes): Array<string | Uint8Array | UnwrittenBytes> {
  return text.split(NUL).map((part, index) => {
    // Odd parts are the names between the two ends of a mark.
    if (index % 2 === 0) return part;
    const bytes = marked.get(markOf(part));
    if (bytes === undefined) throw new Error(`nothing is known of the mark ${part}`);
    return bytes;
  });
}
