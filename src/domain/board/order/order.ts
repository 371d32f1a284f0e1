/**
 * An immutable list of ids in the order of their ranks. It is kept in chunks: a write copies one chunk and the small
 * index above it and shares everything else, so a draft can reorder a column of ten thousand cards cheaply, and
 * dropping the draft costs nothing.
 */
import type { Uuid } from '../../ids.js';

export interface Entry {
  readonly id: Uuid;
  readonly rank: number;
}

type Chunk = readonly Entry[];

/** Entries. Near the square root of the longest list that must stay fast, so that chunk and index cost the same. */
const LARGEST_CHUNK = 128;
/** Entries. New chunks are half full, so that the next insertion does not split them again. */
const NEW_CHUNK = LARGEST_CHUNK / 2;

export class Order implements Iterable<Entry> {
  static readonly empty = new Order([]);

  readonly size: number;
  readonly #chunks: readonly Chunk[];
  /** The number of entries before each chunk. */
  readonly #starts: readonly number[];

  private constructor(chunks: readonly Chunk[], starts = startsOf(chunks)) {
    this.#chunks = chunks;
    this.#starts = starts;
    this.size = (starts.at(-1) ?? 0) + (chunks.at(-1)?.length ?? 0);
  }

  static from(entries: Iterable<Entry>): Order {
    const sorted = [...entries].sort((a, b) => (precedes(a, b) ? -1 : 1));
    const chunks: Chunk[] = [];
    for (let start = 0; start < sorted.length; start += NEW_CHUNK) chunks.push(sorted.slice(start, start + NEW_CHUNK));
    return chunks.length === 0 ? Order.empty : new Order(chunks);
  }

  /** The entry at a position, undefined outside the list. */
  at(position: number): Entry | undefined {
    if (position < 0 || position >= this.size) return undefined;
    const index = countWhile(this.#starts, (start) => start <= position) - 1;
    return this.#chunks[index]?.[position - (this.#starts[index] ?? 0)];
  }

  /** The position of an entry, -1 if the list has no such id at that rank. */
  positionOf(entry: Entry): number {
    const { index, chunk, offset } = this.#locate(entry);
    return chunk[offset]?.id === entry.id ? (this.#starts[index] ?? 0) + offset : -1;
  }

  insert(entry: Entry): Order {
    const { index, chunk, offset } = this.#locate(entry);
    const grown = chunk.toSpliced(offset, 0, entry);
    const pieces = grown.length > LARGEST_CHUNK ? [grown.slice(0, NEW_CHUNK), grown.slice(NEW_CHUNK)] : [grown];
    const chunks = this.#chunks.toSpliced(index, 1, ...pieces);
    // An entry at the end moves no other: the usual case, and thousands in a row during an import.
    return chunks.length === this.#chunks.length && index === chunks.length - 1 ? new Order(chunks, this.#starts) : new Order(chunks);
  }

  remove(entry: Entry): Order {
    const { index, chunk, offset } = this.#locate(entry);
    if (chunk[offset]?.id !== entry.id) throw new Error(`${entry.id} is not at rank ${entry.rank} of this order`);
    if (this.size === 1) return Order.empty;
    const pieces = chunk.length === 1 ? [] : [chunk.toSpliced(offset, 1)];
    return new Order(this.#chunks.toSpliced(index, 1, ...pieces));
  }

  *[Symbol.iterator](): Generator<Entry> {
    for (const chunk of this.#chunks) yield* chunk;
  }

  /** Where the entry is or would be inserted. */
  #locate(entry: Entry): { index: number; chunk: Chunk; offset: number } {
    const chunksFromHere = countWhile(this.#chunks, (chunk) => chunk[0] === undefined || !precedes(entry, chunk[0]));
    const index = Math.max(0, chunksFromHere - 1);
    const chunk = this.#chunks[index] ?? [];
    return { index, chunk, offset: countWhile(chunk, (other) => precedes(other, entry)) };
  }
}

function startsOf(chunks: readonly Chunk[]): readonly number[] {
  let next = 0;
  return chunks.map((chunk) => {
    const start = next;
    next += chunk.length;
    return start;
  });
}

/** Equal ranks do not arise from our own arithmetic, but the order must be total and the same after every load. */
function precedes(a: Entry, b: Entry): boolean {
  return a.rank < b.rank || (a.rank === b.rank && a.id < b.id);
}

/** The number of items at the head of the list that satisfy a monotonic condition. */
function countWhile<T>(items: readonly T[], holds: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(items[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}
