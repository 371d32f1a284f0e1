/**
 * Which items of a long list are near the visible part. Heights of items that were shown are known, heights of others
 * estimated.
 */
export interface Range {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  /** The height of all items before and after the range, in pixels. */
  readonly before: number;
  readonly after: number;
}

/** Pixels beyond the visible part, so that scrolling shows no gaps. */
const MARGIN = 600;

export class ListWindow {
  readonly #heights = new Map<string, number>();
  readonly #estimate: number;

  constructor(estimate: number) {
    this.#estimate = estimate;
  }

  /** With the gap to the next item. Returns whether this is news. */
  measured(id: string, height: number): boolean {
    if (this.#heights.get(id) === height) return false;
    this.#heights.set(id, height);
    return true;
  }

  heightOf(id: string): number {
    return this.#heights.get(id) ?? this.#estimate;
  }

  /** The distance of an item from the beginning of the list. */
  offsetOf(ids: readonly string[], index: number): number {
    let offset = 0;
    for (let at = 0; at < index && at < ids.length; at += 1) offset += this.heightOf(ids[at] ?? '');
    return offset;
  }

  /** The index of the first item that ends beyond that distance. */
  indexBeyond(ids: readonly string[], distance: number): number {
    let end = 0;
    return ids.findIndex((id) => (end += this.heightOf(id)) > distance);
  }

  range(ids: readonly string[], top: number, height: number): Range {
    const from = top - MARGIN;
    const to = top + height + MARGIN;
    let offset = 0;
    let start = -1;
    let end = ids.length;
    let before = 0;
    let covered = 0;
    for (let at = 0; at < ids.length; at += 1) {
      const own = this.heightOf(ids[at] ?? '');
      if (start < 0 && offset + own >= from) {
        start = at;
        before = offset;
      }
      if (offset > to && end === ids.length) {
        end = at;
        covered = offset;
      }
      offset += own;
    }
    if (start < 0) return { start: ids.length, end: ids.length, before: offset, after: 0 };
    return { start, end, before, after: end === ids.length ? 0 : offset - covered };
  }
}

export function isSameRange(a: Range, b: Range): boolean {
  return a.start === b.start && a.end === b.end && a.before === b.before && a.after === b.after;
}
