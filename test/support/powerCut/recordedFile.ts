/** The content of one file: what is flushed, and what was written since. */
import type { FileFate } from './fate.js';

/** What a disk writes at once. A write of several sectors can be torn between them. */
export const SECTOR_BYTES = 512;

type Change = { readonly step: number } & (
  | { readonly kind: 'write'; readonly at: number; readonly content: Buffer }
  | { readonly kind: 'resize'; readonly size: number }
);

/** How many unflushed changes of content a cut left. */
export interface Losses {
  kept: number;
  torn: number;
  dropped: number;
}

export class RecordedFile {
  readonly #flushed = new GrowingBytes();
  #unflushed: Change[] = [];

  write(step: number, at: number, content: Buffer): void {
    this.#unflushed.push({ step, kind: 'write', at, content });
  }

  resize(step: number, size: number): void {
    this.#unflushed.push({ step, kind: 'resize', size });
  }

  /** The changes before this step are on disk. */
  flush(step: number): void {
    for (const change of this.#unflushed) {
      if (change.step < step) apply(this.#flushed, change);
    }
    this.#unflushed = this.#unflushed.filter((change) => change.step >= step);
  }

  /**
   * A sector is written as it is in memory at that moment, with all earlier changes to it. So it is there in one of
   * the versions that it had since the last flush, each sector in another one. The losses are added to `losses`.
   */
  afterCut(fate: FileFate, losses: Losses): Buffer {
    // Most files of a folder, and the largest: a copy more of each was a tenth of the time.
    if (this.#unflushed.length === 0) return Buffer.from(this.#flushed.slice(0, this.#flushed.length));
    const memory = this.#flushed.copy();
    const disk = this.#flushed.copy();
    for (const change of this.#unflushed) {
      const sizeBefore = memory.length;
      apply(memory, change);
      if (change.kind === 'resize') {
        const isKept = fate.keepsSize();
        if (isKept) disk.resize(change.size);
        losses[isKept ? 'kept' : 'dropped'] += 1;
        continue;
      }
      const { at, content } = change;
      const first = Math.floor(at / SECTOR_BYTES);
      const sectors = Math.ceil((at + content.length) / SECTOR_BYTES) - first;
      const kept = fate.sectorsKept(sectors);
      losses[kept === sectors ? 'kept' : kept === 0 ? 'dropped' : 'torn'] += 1;
      if (kept > 0) disk.write(first * SECTOR_BYTES, memory.slice(first * SECTOR_BYTES, (first + kept) * SECTOR_BYTES));
      // The new size without the content: the bytes in between are zeros.
      const hasGrown = memory.length > sizeBefore && memory.length > disk.length;
      if (kept < sectors && hasGrown && fate.keepsSize()) disk.resize(memory.length);
    }
    return disk.slice(0, disk.length);
  }
}

function apply(bytes: GrowingBytes, change: Change): void {
  if (change.kind === 'write') bytes.write(change.at, change.content);
  else bytes.resize(change.size);
}

/** Bytes after the end, once written behind, are zeros. */
class GrowingBytes {
  #room: Buffer;
  #length: number;

  constructor(content: Buffer = Buffer.alloc(0)) {
    this.#room = content;
    this.#length = content.length;
  }

  get length(): number {
    return this.#length;
  }

  write(at: number, content: Buffer): void {
    this.#reach(at + content.length);
    content.copy(this.#room, at);
  }

  resize(size: number): void {
    this.#reach(size);
    this.#room.fill(0, size, this.#length);
    this.#length = size;
  }

  /** A view, valid until the next change. */
  slice(from: number, to: number): Buffer {
    return this.#room.subarray(from, Math.min(to, this.#length));
  }

  copy(): GrowingBytes {
    return new GrowingBytes(Buffer.from(this.slice(0, this.#length)));
  }

  #reach(length: number): void {
    if (length > this.#room.length) {
      const larger = Buffer.alloc(Math.max(length, 2 * this.#room.length));
      this.#room.copy(larger);
      this.#room = larger;
    }
    this.#length = Math.max(this.#length, length);
  }
}
