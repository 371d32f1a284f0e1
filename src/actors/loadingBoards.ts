/** Boards on their way into memory. A large one is read in slices, with other boards' commands in between. */
import { BoardState, type LoadedBoard } from '../domain/board.js';
import type { BoardKey } from '../domain/ids.js';
import type { ShardStore } from './shardStore.js';

type Reading = Generator<undefined, LoadedBoard | null>;
/** Of the reading first, then of what is made of it. */
type Slices = Generator<undefined, BoardState | null>;

export interface LoadingBoardsOptions {
  readonly store: Pick<ShardStore, 'readBoard'>;
  readonly onError: (error: unknown) => void;
  /** Runs a step when others had their turn. */
  readonly later: (step: () => void) => void;
}

export class LoadingBoards {
  readonly #options: LoadingBoardsOptions;
  #abandoned = false;

  constructor(options: LoadingBoardsOptions) {
    this.#options = options;
  }

  /**
   * True when the board is there at once, or is known not to be: `loaded` has been called. False when it takes longer;
   * nobody may write to the board before `loaded` is called. Null stands for no board, or one that could not be read:
   * whoever asked reads it again in one go, and answers for what comes of that.
   */
  load(key: BoardKey, loaded: (board: BoardState | null) => void): boolean {
    const slices = loadInSlices(this.#options.store.readBoard(key));
    const small = this.#step(slices);
    if (small === 'more') this.#continue(slices, loaded);
    else loaded(small);
    return small !== 'more';
  }

  /** The file is about to be closed. */
  abandon(): void {
    this.#abandoned = true;
  }

  #continue(slices: Slices, loaded: (board: BoardState | null) => void): void {
    this.#options.later(() => {
      if (this.#abandoned) return;
      const board = this.#step(slices);
      if (board === 'more') this.#continue(slices, loaded);
      else loaded(board);
    });
  }

  /** Never throws: a board that cannot be read must not take down the asks for others beside it. */
  #step(slices: Slices): BoardState | null | 'more' {
    try {
      const step = slices.next();
      return step.done ? step.value : 'more';
    } catch (error) {
      this.#options.onError(error);
      return null;
    }
  }
}

function* loadInSlices(reading: Reading): Slices {
  const loaded = yield* reading;
  return loaded && (yield* BoardState.loadInSlices(loaded));
}
