/**
 * A mark stands in a text for bytes that are too large to be part of it. It has a NUL at both ends, which JSON never has,
 * so that nothing a user wrote can look like one.
 */
const NUL = '\0';

/** The bytes that a mark stands for. */
export type MarkedBytes = ReadonlyMap<string, Uint8Array>;

export function markOf(name: string): string {
  return `${NUL}${name}${NUL}`;
}

export function holdsMark(text: string): boolean {
  return text.includes(NUL);
}

/** The text in parts, with the bytes in the place of their marks. */
export function splitAtMarks(text: string, marked: MarkedBytes): Array<string | Uint8Array> {
  return text.split(NUL).map((part, index) => {
    // Between the two ends of a mark stands its name.
    if (index % 2 === 0) return part;
    const bytes = marked.get(markOf(part));
    if (bytes === undefined) throw new Error(`nothing is known of the mark ${part}`);
    return bytes;
  });
}
