/** The boards that are awake in this shard, least recently used first, within a budget of memory. */
import type { BoardState } from '../domain/board/board.js';
import type { BoardKey } from '../domain/ids.js';

interface Active {
  board: BoardState;
  bytes: number;
  /** To within `SAME_TIME_MS`. */
  usedAt: number;
}

/** Uses so close to each other count as one: a place at the end of the map costs as much as a look-up each. */
const SAME_TIME_MS = 100;

export class ActiveBoards {
  /** A map keeps the order of insertion; whoever is used is inserted anew. */
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
    // In either direction: a clock that was set back must not keep a busy board among the least used.
    if (Math.abs(now - active.usedAt) >= SAME_TIME_MS) {
      this.#boards.delete(key);
      this.#boards.set(key, active);
      active.usedAt = now;
    }
    return active.board;
  }

  /** Also after a change, because a board's size changes with it. */
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
   * Puts to sleep what nobody used for long, and then the least used until the rest fits the budget. One may stay, and
   * so may those that someone waits for.
   */
  putToSleep(now: number, isWaitedFor: (key: BoardKey) => boolean = () => false): void {
    for (const [key, { usedAt }] of this.#boards) {
      const fits = this.#bytes <= this.#budgetBytes || this.#boards.size === 1;
      if (fits && now - usedAt < this.#idleMs) return;
      if (!isWaitedFor(key)) this.drop(key);
    }
  }
}
