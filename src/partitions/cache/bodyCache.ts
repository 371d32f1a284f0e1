/** Full boards as encoded bytes, the least recently used first to go. */
import type { Uuid } from '../../domain/ids.js';

/**
 * A board that was not requested for this long is dropped when another is cached: its clients have probably closed it.
 */
const IDLE_MS = 60_000;
/** Cached boards inspected at that time, the oldest first. */
const INSPECTED = 4;

export interface CachedBody {
  /** The place in the board's history that the body shows. */
  readonly position: string;
  readonly bytes: Uint8Array;
}

interface Kept extends CachedBody {
  usedAt: number;
  /** When it was last moved to the end of the map. */
  placedAt: number;
}

export class BodyCache {
  readonly #budgetBytes: number;
  readonly #now: () => number;
  /** In insertion order. A board that is used is inserted again once the budget is half full. */
  readonly #kept = new Map<Uuid, Kept>();
  #bytes = 0;

  /** `now` in milliseconds, from a clock that is never set. */
  constructor(budgetBytes: number, now: () => number = () => performance.now()) {
    this.#budgetBytes = budgetBytes;
    this.#now = now;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(id: Uuid): CachedBody | undefined {
    return this.#kept.get(id);
  }

  /** The board was requested, and this is its current body. */
  keep(id: Uuid, { position, bytes }: CachedBody): void {
    const usedAt = this.#now();
    this.#drop(id);
    this.#place(id, { position, bytes, usedAt, placedAt: usedAt });
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#budgetBytes) break;
      this.#drop(oldest);
    }
    this.#dropIdle();
  }

  /** The board was requested, and the body is still current. With half of the budget free, the order does not matter yet. */
  noteUse(id: Uuid, body: CachedBody): void {
    const kept = this.#kept.get(id);
    if (kept !== undefined) kept.usedAt = this.#now();
    if (this.#bytes > this.#budgetBytes / 2) this.keep(id, body);
  }

  /** Inspects the first few. A board that was used since its last move goes to the end. */
  #dropIdle(): void {
    const idleSince = this.#now() - IDLE_MS;
    for (const [id, kept] of [...take(this.#kept, INSPECTED)]) {
      const isIdle = kept.usedAt <= idleSince;
      if (!isIdle && kept.usedAt <= kept.placedAt) return;
      this.#drop(id);
      if (!isIdle) this.#place(id, kept);
    }
  }

  #place(id: Uuid, kept: Kept): void {
    kept.placedAt = kept.usedAt;
    this.#kept.set(id, kept);
    this.#bytes += kept.bytes.length;
  }

  #drop(id: Uuid): void {
    this.#bytes -= this.#kept.get(id)?.bytes.length ?? 0;
    this.#kept.delete(id);
  }
}

function* take<T>(items: Iterable<T>, count: number): Generator<T> {
  let taken = 0;
  for (const item of items) {
    if (taken === count) return;
    taken += 1;
    yield item;
  }
}
