/** The client's copy of a board and its event number. */
import { applyEvent } from './applyEvent.js';
import type { BoardEvent } from './events.js';
import type { FullBoard } from './resources.js';

export interface LoadedBoard {
  readonly board: FullBoard;
  /** The number of the latest event in it. */
  readonly seq: number;
}

/** `old`: already in the copy. `gap`: an earlier event is missing. `unknown`: the board must be read again. */
export type Taken = 'applied' | 'old' | 'gap' | 'unknown';

export class LocalBoard {
  #board: FullBoard | null = null;
  #seq = 0;
  #isStale = true;

  /** Null until it was first read. */
  get board(): FullBoard | null {
    return this.#board;
  }

  get seq(): number {
    return this.#seq;
  }

  /** Whether events cannot be applied, so that the board must be read. */
  get isStale(): boolean {
    return this.#isStale;
  }

  markStale(): void {
    this.#isStale = true;
  }

  load({ board, seq }: LoadedBoard): void {
    this.#board = board;
    this.#seq = seq;
    this.#isStale = false;
  }

  take(event: BoardEvent): Taken {
    if (event.seq <= this.#seq) return 'old';
    if (this.#board === null || event.seq > this.#seq + 1) return 'gap';
    const next = applyEvent(this.#board, event);
    if (next === null) return 'unknown';
    this.#board = next;
    this.#seq = event.seq;
    return 'applied';
  }
}
