/** What last had a large answer. The size of a card or of a list of labels shows only in its answer. */
import type { BoardAnswer } from '../../domain/ports/boardsPort.js';
import { bodyOf } from '../../domain/ports/boardsPort.js';
import type { BoardCommand } from '../../domain/commands/commands.js';
import { HANDLERS } from '../../domain/commands/table.js';

/** A megabyte of keys. The oldest are forgotten: their next answer is noted again. */
const MAX_KEPT = 10_000;

export class LargeTargets {
  readonly #leastBytes: number;
  readonly #keys = new Set<string>();

  /** Answers above this size are large. */
  constructor(leastBytes: number) {
    this.#leastBytes = leastBytes;
  }

  has(key: string): boolean {
    return this.#keys.size > 0 && this.#keys.has(key);
  }

  /** An answer without a body says nothing about the size of others. */
  note(key: string, answer: BoardAnswer): void {
    const size = (answer.ok && bodyOf(answer)?.length) || 0;
    if (size > this.#leastBytes) this.#add(key);
    else if (size > 0 && this.#keys.size > 0) this.#keys.delete(key);
  }

  #add(key: string): void {
    this.#keys.delete(key);
    this.#keys.add(key);
    if (this.#keys.size <= MAX_KEPT) return;
    for (const oldest of this.#keys) {
      this.#keys.delete(oldest);
      return;
    }
  }
}

/**
 * The answers to the commands of one key have about the same size. Null for commands whose answers are small, and for
 * summaries, which are part of a list that has its own place.
 */
export function sizeKeyOf({ op, target }: BoardCommand): string | null {
  const handler = HANDLERS[op];
  // Every answer about a card shows the whole card.
  if (handler.target !== 'board') return target;
  return op === 'board.summary' || handler.lists === null ? null : `${op} ${target}`;
}
