/** The boards in memory of this shard, least recently used first, within a memory budget. */
import type { BoardState } from '../domain/board/board.js';
import type { BoardKey } from '../domain/ids.js';

interface Active {
  board: BoardState;
  bytes: number;
  /** Accurate to `SAME_TIME_MS`. */
  usedAt: number;
}

/** Uses within this time count as one: moving an entry to the end of the map costs as much as a look-up. */
const SAME_TIME_MS = 100;

export class ActiveBoards {
  /** In insertion order; a board that is used is inserted again. */
  readonly #boards = new Map<BoardKey, Active>();
  readonly #budgetBytes: number;
  readonly #idleMs: number;
  #bytes = 0;

  constructor(budgetBytes: number, idleMs: number) {
    this.#budgetBytes = budgetBytes;
    this.#idleMs = idleMs;
  }

  get size(): number {
    return this.#boards.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  has(key: BoardKey): boolean {
    return this.#boards.has(key);
  }

  /** Counts as use. */
  get(key: BoardKey, now: number): BoardState | undefined {
    const active = this.#boards.get(key);
    if (active === undefined) return undefined;
    // In either direction: after the clock was set back, a busy board must not stay among the least used.
    if (Math.abs(now - active.usedAt) >= SAME_TIME_MS) {
      this.#boards.delete(key);
      this.#boards.set(key, active);
      active.usedAt = now;
    }
    return active.board;
  }

  /** Also called after a change, because the size of the board changed. */
  set(key: BoardKey, board: BoardState, now: number): void {
    const active = this.#boards.get(key);
    const { bytes } = board;
    this.#bytes += bytes - (active?.bytes ?? 0);
    if (active === undefined) this.#boards.set(key, { board, bytes, usedAt: now });
    else Object.assign(active, { board, bytes });
  }

  drop(key: BoardKey): void {
    const active = this.#boards.get(key);
    if (active === undefined) return;
    this.#boards.delete(key);
    this.#bytes -= active.bytes;
  }

  /**
   * Drops idle boards, then the least recently used until the rest fits the budget. One board may stay, and so may
   * those with waiting asks.
   */
  putToSleep(now: number, isWaitedFor: (key: BoardKey) => boolean = () => false): void {
    for (const [key, { usedAt }] of this.#boards) {
      const fits = this.#bytes <= this.#budgetBytes || this.#boards.size === 1;
      if (fits && now - usedAt < this.#idleMs) return;
      if (!isWaitedFor(key)) this.drop(key);
    }
  }
}
