import type { BoardKey, Uuid } from '../ids.js';

/** A removal that takes no step for this long was given up. Its caller takes the next one within milliseconds. */
export const GIVEN_UP_AFTER_MS = 60_000;

/**
 * The members whose removal is under way, of all boards with one owner. In memory only: when a board moves to another
 * owner, the next step of the removal adds the member there.
 */
export class LeavingMembers {
  /** The time of the latest step by board and user, oldest first. */
  readonly #steps = new Map<string, number>();

  get size(): number {
    return this.#steps.size;
  }

  /** Drops the removals that were given up, so that only removals of the last minute count. */
  noteStep(board: BoardKey, user: Uuid, nowMs: number): void {
    this.#steps.delete(keyOf(board, user));
    for (const [key, steppedAt] of this.#steps) {
      if (!isGivenUp(steppedAt, nowMs)) break;
      this.#steps.delete(key);
    }
    this.#steps.set(keyOf(board, user), nowMs);
  }

  has(board: BoardKey, user: Uuid, nowMs: number): boolean {
    if (this.#steps.size === 0) return false;
    const steppedAt = this.#steps.get(keyOf(board, user));
    return steppedAt !== undefined && !isGivenUp(steppedAt, nowMs);
  }

  /** After the removal: the user may be invited again. */
  delete(board: BoardKey, user: Uuid): void {
    this.#steps.delete(keyOf(board, user));
  }
}

/** In either direction: the clock may have been set back since. */
function isGivenUp(steppedAt: number, nowMs: number): boolean {
  return Math.abs(nowMs - steppedAt) >= GIVEN_UP_AFTER_MS;
}

function keyOf(board: BoardKey, user: Uuid): string {
  return `${board} ${user}`;
}
