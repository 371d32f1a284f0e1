/**
 * Boards on their way into memory. A large one is read in slices with other boards' commands in between; everyone who
 * asks for it meanwhile waits for the one reading.
 */
import { BoardState, type LoadedBoard } from '../domain/board.js';
import type { BoardKey } from '../domain/ids.js';
import type { Ask } from './messages.js';
import type { ShardStore } from './shardStore.js';

/** Called once, when the board is there (or is found not to exist), with everyone who waited. */
type Loaded = (board: BoardState | null, asks: readonly Ask[]) => void;

type Reading = Generator<undefined, LoadedBoard | null>;

export class LoadingBoards {
  readonly #store: ShardStore;
  readonly #onError: (error: unknown) => void;
  readonly #waiting = new Map<BoardKey, Ask[]>();
  #abandoned = false;

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
      waiting.push(ask);
      return true;
    }
    const reading = this.#store.readBoard(key);
    const small = this.#readOn(reading);
    if (small !== 'more') {
      loaded(small, []);
      return false;
    }
    this.#waiting.set(key, [ask]);
    this.#continue(key, reading, loaded);
    return true;
  }

  abandon(): void {
    this.#abandoned = true;
  }

  #continue(key: BoardKey, reading: Reading, loaded: Loaded): void {
    setImmediate(() => {
      if (this.#abandoned) return;
      const board = this.#readOn(reading);
      if (board === 'more') {
        this.#continue(key, reading, loaded);
        return;
      }
      const asks = this.#waiting.get(key) ?? [];
      this.#waiting.delete(key);
      loaded(board, asks);
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
