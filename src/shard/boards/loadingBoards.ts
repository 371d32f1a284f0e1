/** Loads boards into memory. A large one is read in slices, with other boards' commands in between. */
import { BoardState, type LoadedBoard } from '../../domain/board/board.js';
import type { BoardOnDisk } from '../../domain/board/board.js';
import type { BoardCommand } from '../../domain/commands/commands.js';
import type { BoardKey, Uuid } from '../../domain/ids.js';
import type { ShardStore } from '../shardStore.js';

/** What of a board a command needs: all of it, there or in the trash, what a list of boards shows, or the cards of a user. */
export type Part = 'all' | 'trashed' | 'summary' | { readonly assignedTo: Uuid };

type Reading = Generator<undefined, LoadedBoard | null>;
/** Slices of reading, then of building the board. */
type Slices = Generator<undefined, BoardState | null>;

export interface LoadingBoardsOptions {
  readonly store: Pick<ShardStore, 'readBoard' | 'readTrashed' | 'readSummary' | 'readAssigned' | 'onDiskOf' | 'trashedBoards'>;
  readonly onError: (error: unknown) => void;
  /** Runs a step after other partitions had their turn. */
  readonly later: (step: () => void) => void;
}

interface Load {
  readonly slices: Slices;
  readonly loaded: (board: BoardState | null) => void;
}

export class LoadingBoards {
  readonly #options: LoadingBoardsOptions;
  /** The first is being read. One after another, because each takes memory until it is done. */
  readonly #large: Load[] = [];
  #abandoned = false;

  constructor(options: LoadingBoardsOptions) {
    this.#options = options;
  }

  /**
   * True if the board was loaded at once or is known to be missing: `loaded` has been called. False if it takes longer;
   * the board must not be written before `loaded` is called. Null stands for a missing board or one that could not be
   * read: the ask reads it again at once and reports the result.
   */
  load(key: BoardKey, part: Part, loaded: (board: BoardState | null) => void): boolean {
    const { store } = this.#options;
    const slices = loadInSlices(readPart(store, key, part), store.onDiskOf(key));
    const small = this.#step(slices);
    if (small !== 'more') {
      loaded(small);
      return true;
    }
    this.#large.push({ slices, loaded });
    if (this.#large.length === 1) this.#continue();
    return false;
  }

  /** An uncommitted deletion counts: whether it holds is asked again when the command is carried out. */
  isTrashed(key: BoardKey): boolean {
    return this.#options.store.trashedBoards.deletedAt(key) !== null;
  }

  /** The file is about to be closed. */
  abandon(): void {
    this.#abandoned = true;
  }

  #continue(): void {
    this.#options.later(() => {
      const [first] = this.#large;
      if (this.#abandoned || first === undefined) return;
      const board = this.#step(first.slices);
      if (board !== 'more') this.#large.shift();
      if (this.#large.length > 0) this.#continue();
      if (board !== 'more') first.loaded(board);
    });
  }

  /** Never throws: a board that cannot be read must not fail asks for other boards. */
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

export function readPart(store: Pick<ShardStore, 'readBoard' | 'readTrashed' | 'readSummary' | 'readAssigned'>, key: BoardKey, part: Part): Reading {
  if (part === 'all') return store.readBoard(key);
  if (part === 'trashed') return store.readTrashed(key);
  return part === 'summary' ? store.readSummary(key) : store.readAssigned(key, part.assignedTo);
}

export function partFor({ op, caller }: BoardCommand): Part {
  // The watches of a user are on disk, and only the membership is compared.
  if (op === 'board.summary' || op === 'watch.list') return 'summary';
  return op === 'card.assigned' && caller !== 'system' ? { assignedTo: caller.user_id } : 'all';
}

function* loadInSlices(reading: Reading, onDisk: BoardOnDisk): Slices {
  const loaded = yield* reading;
  return loaded && (yield* BoardState.loadInSlices(loaded, onDisk));
}
