/** The boards in memory of one shard, least recently used first. All shards of a thread share a memory budget. */
import type { BoardState } from '../../domain/board/board.js';
import type { BoardKey } from '../../domain/ids.js';
import type { BoardMemory, SharesMemory } from './boardMemory.js';

interface Active {
  board: BoardState;
  bytes: number;
  /** Accurate to `SAME_TIME_MS`. */
  usedAt: number;
}

/** Uses within this time count as one: moving an entry to the end of the map costs as much as a look-up. */
const SAME_TIME_MS = 100;

export interface ActiveBoardsOptions {
  readonly memory: BoardMemory;
  readonly idleMs: number;
  /** Whether the board may leave memory now. */
  readonly mayDrop: (key: BoardKey) => boolean;
}

export class ActiveBoards implements SharesMemory {
  /** In insertion order; a board that is used is inserted again. */
  readonly #boards = new Map<BoardKey, Active>();
  readonly #options: ActiveBoardsOptions;
  #bytes = 0;

  constructor(options: ActiveBoardsOptions) {
    this.#options = options;
    options.memory.join(this);
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
    this.#count(bytes - (active?.bytes ?? 0));
    if (active === undefined) this.#boards.set(key, { board, bytes, usedAt: now });
    else Object.assign(active, { board, bytes });
  }

  drop(key: BoardKey): void {
    const active = this.#boards.get(key);
    if (active === undefined) return;
    this.#boards.delete(key);
    this.#count(-active.bytes);
  }

  /** Drops idle boards, then the least recently used of all shards until the rest fits the budget. */
  putToSleep(now: number): void {
    const { idleMs, mayDrop, memory } = this.#options;
    for (const [key, { usedAt }] of this.#boards) {
      if (now - usedAt < idleMs) break;
      if (mayDrop(key)) this.drop(key);
    }
    memory.keepToBudget();
  }

  /** When the least recently used board that may be dropped was used; null if there is none. */
  oldestUse(): number | null {
    for (const [key, { usedAt }] of this.#boards) if (this.#options.mayDrop(key)) return usedAt;
    return null;
  }

  dropOldest(): void {
    for (const key of this.#boards.keys()) {
      if (!this.#options.mayDrop(key)) continue;
      this.drop(key);
      return;
    }
  }

  /** The shard is closed. */
  close(): void {
    this.#boards.clear();
    this.#count(-this.#bytes);
    this.#options.memory.leave(this);
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#options.memory.count(bytes);
  }
}
