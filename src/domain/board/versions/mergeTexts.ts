/**
 * Merges two edits of one text: by lines, and by words where both edits touch the same lines. A merge never drops what one side
 * wrote: where the edits cannot be told apart it gives up. Own code, because the time of a shard's thread needs a bound: a
 * comparison that takes too many steps takes what it has not compared for one change, which can only cause a conflict.
 */

/** Of each text. More are no text that somebody reads. */
const MAX_LINES = 1_000;
/** Of all lines that both edits touch, in three texts: their words are compared. */
const MAX_COMPARED_CHARACTERS = 10_000;
/** Of one comparison. At these bounds a merge takes about a millisecond. */
const MAX_STEPS = 10_000;

/** Null if both changed the same words, or if the merge would take too long. */
export function mergeTexts(base: string, mine: string, theirs: string): string | null {
  if (mine === theirs || theirs === base) return mine;
  if (mine === base) return theirs;
  const texts = [base, mine, theirs].map((text) => linesOf(text));
  if (texts.some((lines) => lines.length > MAX_LINES)) return null;
  let charactersLeft = MAX_COMPARED_CHARACTERS;
  const merged = merge(texts, changes, (region) => {
    charactersLeft -= region.reduce((sum, text) => sum + text.length, 0);
    return charactersLeft < 0 ? null : merge(region.map(wordsOf), changesOfWords, () => null);
  });
  // The end of the last line, which `linesOf` has added.
  return merged?.slice(0, -1) ?? null;
}

/** `base[from]` to `base[to]` became `own[start]` to `own[end]`; without the ends. */
interface Change {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
}

type Compare = (base: readonly number[], own: readonly number[], parts: readonly string[]) => readonly Change[];

/** The parts of base, mine and theirs. `resolve` merges a region that both have changed. */
function merge(texts: readonly (readonly string[])[], compare: Compare, resolve: (region: readonly string[]) => string | null): string | null {
  const [base = [], mine = [], theirs = []] = texts;
  const numbers = numbered(texts);
  const [ofBase = [], ...own] = numbers;
  const sides = own.map((numbersOfSide, side) => new Side(side === 0 ? mine : theirs, compare(ofBase, numbersOfSide, base)));
  const merged: string[] = [];
  let at = 0;
  for (;;) {
    const from = Math.min(...sides.map((side) => side.nextFrom));
    if (from === Infinity) return merged.join('') + base.slice(at).join('');
    merged.push(...base.slice(at, from));
    let to = from;
    const before = sides.map((side) => side.shift);
    // Also what only touches: of two insertions at one place, none is the first.
    while (sides.some((side) => side.nextFrom <= to)) for (const side of sides) to = side.take(to);
    const [first, second] = sides.map((side, index) => side.text(from + (before[index] ?? 0), to));
    const whole = base.slice(from, to).join('');
    const text = second === whole || second === first ? first : first === whole ? second : resolve([whole, first ?? '', second ?? '']);
    if (text === null || text === undefined) return null;
    merged.push(text);
    at = to;
  }
}

/** One edit, taken from its beginning to its end. */
class Side {
  readonly #parts: readonly string[];
  readonly #changes: readonly Change[];
  #next = 0;
  /** From a place of the base to the same place of this text, behind the changes taken so far. */
  shift = 0;

  constructor(parts: readonly string[], all: readonly Change[]) {
    this.#parts = parts;
    this.#changes = all;
  }

  get nextFrom(): number {
    return this.#changes[this.#next]?.from ?? Infinity;
  }

  /** Takes the changes that begin in a region or at its end, and returns the end of the region with them. */
  take(to: number): number {
    let end = to;
    for (let change = this.#changes[this.#next]; change !== undefined && change.from <= end; change = this.#changes[this.#next]) {
      end = Math.max(end, change.to);
      this.shift = change.end - change.to;
      this.#next += 1;
    }
    return end;
  }

  text(start: number, to: number): string {
    return this.#parts.slice(start, to + this.shift).join('');
  }
}

/** Equal parts get equal numbers, which are compared faster. */
function numbered(texts: readonly (readonly string[])[]): number[][] {
  const known = new Map<string, number>();
  return texts.map((parts) =>
    parts.map((part) => {
      const number = known.get(part) ?? known.size;
      known.set(part, number);
      return number;
    }),
  );
}

/** The fewest changes that make one of the other, as Myers finds them (1986); one change for all if that takes too many steps. */
function changes(base: readonly number[], own: readonly number[]): Change[] {
  let begin = 0;
  const least = Math.min(base.length, own.length);
  while (begin < least && base[begin] === own[begin]) begin += 1;
  let end = 0;
  while (end < least - begin && base[base.length - 1 - end] === own[own.length - 1 - end]) end += 1;
  const [to, ownEnd] = [base.length - end, own.length - end];
  if (begin === to && begin === ownEnd) return [];
  const whole = [{ from: begin, to, start: begin, end: ownEnd }];
  return begin === to || begin === ownEnd ? whole : (leastChanges(base.slice(begin, to), own.slice(begin, ownEnd), begin) ?? whole);
}

function leastChanges(base: readonly number[], own: readonly number[], offset: number): Change[] | null {
  const most = base.length + own.length;
  /** By the number of changes: how far each diagonal reaches. */
  const reached: Int32Array[] = [];
  let before = new Int32Array(3);
  let steps = 0;
  for (let count = 0; count <= most; count += 1) {
    const now = new Int32Array(2 * count + 5);
    for (let diagonal = -count; diagonal <= count; diagonal += 2) {
      const start = count === 0 ? 0 : startOf(before, count, diagonal);
      let x = start;
      while (x < base.length && x - diagonal < own.length && base[x] === own[x - diagonal]) x += 1;
      steps += 1 + x - start;
      now[diagonal + count + 2] = x;
      if (x >= base.length && x - diagonal >= own.length) return trace(reached, base.length, own.length, offset);
    }
    if (steps > MAX_STEPS) return null;
    reached.push(now);
    before = now;
  }
  return null;
}

/** Where the diagonal begins: after an insertion or after a deletion, whichever reaches further. `before`: with one change less. */
function startOf(before: Int32Array, count: number, diagonal: number): number {
  const at = diagonal + count + 1;
  const [left = 0, right = 0] = [before[at - 1], before[at + 1]];
  return diagonal === -count || (diagonal !== count && left < right) ? right : left + 1;
}

function trace(reached: readonly Int32Array[], length: number, ownLength: number, offset: number): Change[] {
  const found: Change[] = [];
  let [x, y] = [length, ownLength];
  for (let count = reached.length; count > 0; count -= 1) {
    const before = reached[count - 1] ?? new Int32Array(0);
    const at = x - y + count + 1;
    const inserted = startOf(before, count, x - y) === before[at + 1];
    const from = before[inserted ? at + 1 : at - 1] ?? 0;
    const start = from - (x - y) + (inserted ? -1 : 1);
    const change = { from: offset + from, to: offset + from + (inserted ? 0 : 1), start: offset + start, end: offset + start + (inserted ? 1 : 0) };
    const next = found.at(-1);
    if (next?.from === change.to && next.start === change.end) found[found.length - 1] = { ...next, from: change.from, start: change.start };
    else found.push(change);
    [x, y] = [from, start];
  }
  return found.reverse();
}

/** Between two changes of one edit that only spaces separate, nothing stayed. */
function changesOfWords(base: readonly number[], own: readonly number[], words: readonly string[]): Change[] {
  const joined: Change[] = [];
  for (const change of changes(base, own)) {
    const last = joined.at(-1);
    if (last !== undefined && words.slice(last.to, change.from).join('').trim() === '') {
      joined[joined.length - 1] = { ...change, from: last.from, start: last.start };
    } else joined.push(change);
  }
  return joined;
}

/** Each with its end. The last one has none, and gets it: so it is the same line when another follows it. */
function linesOf(text: string): string[] {
  const lines: string[] = [];
  for (let at = 0; at <= text.length && lines.length <= MAX_LINES;) {
    const end = text.indexOf('\n', at);
    lines.push(end < 0 ? `${text.slice(at)}\n` : text.slice(at, end + 1));
    if (end < 0) break;
    at = end + 1;
  }
  return lines;
}

/** Words, spaces between them, and single signs. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  let start = 0;
  let last: Sort = 'sign';
  for (let at = 0; at < text.length; at += 1) {
    const sort = sortOf(text.charCodeAt(at));
    if (at > start && (sort === 'sign' || sort !== last)) {
      words.push(text.slice(start, at));
      start = at;
    }
    last = sort;
  }
  if (start < text.length) words.push(text.slice(start));
  return words;
}

type Sort = 'word' | 'space' | 'sign';

const ASCII: readonly Sort[] = Array.from({ length: 0x80 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /\w/.test(character) ? 'word' : /\s/.test(character) ? 'space' : 'sign';
});

/** Beyond ASCII nearly all are letters; halves of a pair stay together. */
function sortOf(code: number): Sort {
  return ASCII[code] ?? 'word';
}
