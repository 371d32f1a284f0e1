/** The client's copy of a board and its event number. */
import { applyEvent } from './applyEvent.js';
import type { BoardEvent, BoardPosition } from '../events.js';
import { FIRST_EPOCH } from '../facts.js';
import type { FullBoard } from '../resources.js';

export interface LoadedBoard {
  readonly board: FullBoard;
  /** The number of the latest event in it, and the epoch of that number. */
  readonly seq: number;
  readonly epoch: string;
}

/** `old`: already in the copy. `gap`: an earlier event is missing. `unknown`: the board must be read again. */
export type Taken = 'applied' | 'old' | 'gap' | 'unknown';

export class LocalBoard {
  #board: FullBoard | null = null;
  #seq = 0;
  #epoch = FIRST_EPOCH;
  #isStale = true;

  /** Null until it was first read. */
  get board(): FullBoard | null {
    return this.#board;
  }

  get seq(): number {
    return this.#seq;
  }

  /** As `since` takes it. */
  get position(): string {
    return this.#epoch === FIRST_EPOCH ? String(this.#seq) : `${this.#epoch}-${this.#seq}`;
  }

  /** Whether the message is later than the copy, or of another history of the board. */
  isBehind({ epoch = FIRST_EPOCH, seq }: BoardPosition): boolean {
    return epoch !== this.#epoch || seq > this.#seq;
  }

  /** Whether the service, at that position, has another history of the board, or less of it. */
  contradicts({ epoch = FIRST_EPOCH, seq }: BoardPosition): boolean {
    return epoch !== this.#epoch || seq < this.#seq;
  }

  /** Whether it includes a change that left the board at that position; in another history that cannot be known. */
  includes({ epoch = FIRST_EPOCH, seq }: BoardPosition): boolean {
    return epoch !== this.#epoch || seq <= this.#seq;
  }

  /** Whether events cannot be applied, so that the board must be read. */
  get isStale(): boolean {
    return this.#isStale;
  }

  markStale(): void {
    this.#isStale = true;
  }

  load({ board, seq, epoch }: LoadedBoard): void {
    this.#board = board;
    this.#seq = seq;
    this.#epoch = epoch;
    this.#isStale = false;
  }

  take(event: BoardEvent): Taken {
    if ((event.epoch ?? FIRST_EPOCH) !== this.#epoch) return 'unknown';
    if (event.seq <= this.#seq) return 'old';
    if (this.#board === null || event.seq > this.#seq + 1) return 'gap';
    const next = applyEvent(this.#board, event);
    if (next === null) return 'unknown';
    this.#board = next;
    this.#seq = event.seq;
    return 'applied';
  }
}
