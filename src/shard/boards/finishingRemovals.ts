/** Finishes a board's unfinished removals in memory and in the store, and numbers the cards of older programs, one job a step. */
import type { BoardState } from '../../domain/board/board.js';
import type { BoardKey } from '../../domain/ids.js';
import { numberCards } from '../../domain/board/order/numbering.js';
import { finishRemoval } from '../../domain/board/removals.js';
import type { ShardJobs, ShardStore } from '../shardStore.js';

export interface FinishingOptions {
  readonly jobs: ShardJobs;
  readonly onError: (error: unknown) => void;
  /** Runs a step after other partitions had their turn. */
  readonly later: (step: () => void) => void;
  /** The time that is written. */
  readonly timestamp: () => string;
  /** Whether every running program keeps the numbers of cards. */
  readonly mayNumber: boolean;
}

type Write = (store: ShardStore) => void;
/** Yields what is to be written, or null, and then gets whether it was stored. */
type Steps = Generator<Write | null, void, boolean>;

export class FinishingRemovals {
  readonly #options: FinishingOptions;
  /** Boards whose numbers could not be written: tried again after the next load. */
  readonly #notNumbered = new WeakSet<BoardState>();
  #isStopped = false;

  constructor(options: FinishingOptions) {
    this.#options = options;
  }

  /** Whether there is something to do before the board's next command. */
  isNeeded(board: BoardState): boolean {
    return board.unfinished.length > 0 || this.#mustNumber(board);
  }

  /**
   * Calls `finished` when nothing is left of the removals. Until then nothing else may use the board. Memory is
   * always completed. Rows that cannot be written stay in the file with their mark, and are removed after the board's
   * next load. Numbers that cannot be written are not given.
   */
  finish(key: BoardKey, board: BoardState, finished: () => void): void {
    this.#step(this.#steps(key, board), true, finished);
  }

  /** The shard is about to be closed: its next owner continues. */
  stop(): void {
    this.#isStopped = true;
  }

  #step(steps: Steps, isStored: boolean, finished: () => void): void {
    const { jobs, onError, later } = this.#options;
    if (this.#isStopped) return;
    let step: IteratorResult<Write | null, void>;
    try {
      step = steps.next(isStored);
    } catch (error) {
      onError(error);
      return finished();
    }
    if (step.done === true) return finished();
    const write = step.value;
    const next = (isStored: boolean): void => later(() => this.#step(steps, isStored, finished));
    if (write === null) return next(false);
    jobs.add({
      write: (batch) => write(batch.write()),
      settled: (error) => {
        if (error !== null) onError(error);
        next(error === null);
      },
    });
  }

  #mustNumber(board: BoardState): boolean {
    return this.#options.mayNumber && board.unnumbered > 0 && !this.#notNumbered.has(board);
  }

  *#steps(key: BoardKey, board: BoardState): Steps {
    const { timestamp } = this.#options;
    let isStored = true;
    for (const removal of board.unfinished.splice(0)) {
      for (const changes of finishRemoval(board, removal)) {
        isStored = yield isStored ? (store) => store.writeRows(key, changes, timestamp()) : null;
        board.apply(changes, board.seq);
      }
      isStored = yield isStored ? (store) => store.removals.finish(key, removal) : null;
    }
    if (!this.#mustNumber(board)) return;
    this.#notNumbered.add(board);
    for (const changes of numberCards(board)) {
      if (!(yield (store) => store.writeRows(key, changes, timestamp()))) return;
      board.apply(changes, board.seq);
    }
    this.#notNumbered.delete(board);
  }
}
