/**
 * Boards on their way into memory. A large one is read in slices with other boards' commands in between; everyone who
 * asks for it meanwhile waits for the one reading.
 */
import { BoardState, type LoadedBoard } from '../domain/board.js';
import type { BoardKey } from '../domain/ids.js';
import type { Ask } from './messages.js';
import type { ShardStore } from './shardStore.js';

/** Called once with everyone who waited: the board is there, or does not exist, or will not be read any more. */
type Loaded = (board: BoardState | null | 'abandoned', asks: readonly Ask[]) => void;

interface Waiting {
  readonly asks: Ask[];
  readonly loaded: Loaded;
}

type Reading = Generator<undefined, LoadedBoard | null>;

export class LoadingBoards {
  readonly #store: ShardStore;
  readonly #onError: (error: unknown) => void;
  readonly #waiting = new Map<BoardKey, Waiting>();

  constructor(store: ShardStore, onError: (error: unknown) => void) {
    this.#store = store;
    this.#onError = onError;
  }

  /**
   * True when the ask now waits for its board. False when the board needed no waiting: then `loaded` was called, with
   * nobody waiting.
   */
  wait(key: BoardKey, ask: Ask, loaded: Loaded): boolean {
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined) {
      waiting.asks.push(ask);
      return true;
    }
    const reading = this.#store.readBoard(key);
    const small = this.#readOn(reading);
    if (small !== 'more') {
      loaded(small, []);
      return false;
    }
    this.#waiting.set(key, { asks: [ask], loaded });
    this.#continue(key, reading);
    return true;
  }

  /** The file is about to be closed. */
  abandon(): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { asks, loaded } of waiting) loaded('abandoned', asks);
  }

  #continue(key: BoardKey, reading: Reading): void {
    setImmediate(() => {
      const waiting = this.#waiting.get(key);
      if (waiting === undefined) return;
      const board = this.#readOn(reading);
      if (board === 'more') {
        this.#continue(key, reading);
        return;
      }
      this.#waiting.delete(key);
      waiting.loaded(board, waiting.asks);
    });
  }

  /** Never throws: a board that cannot be read must not take down the asks for others beside it. */
  #readOn(reading: Reading): BoardState | null | 'more' {
    try {
      const step = reading.next();
      return step.done ? step.value && BoardState.load(step.value) : 'more';
    } catch (error) {
      // Whoever asked for it reads it again in one go, and answers for what comes of that.
      this.#onError(error);
      return null;
    }
  }
}
