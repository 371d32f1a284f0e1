/** Finishes a board's unfinished removals in memory and on disk, one commit a step. */
import type { BoardState } from '../domain/board/board.js';
import type { BoardKey } from '../domain/ids.js';
import { finishRemoval } from '../domain/board/removals.js';
import type { ShardStore } from './shardStore.js';

export interface FinishingOptions {
  readonly store: Pick<ShardStore, 'begin' | 'commit' | 'rollback' | 'writeRows' | 'removals'>;
  readonly onError: (error: unknown) => void;
  /** The time that is written. */
  readonly timestamp: () => string;
}

/**
 * Memory is always completed. Rows that cannot be written stay in the file with their mark, and are removed after the
 * board's next load.
 */
export function* finishRemovals(options: FinishingOptions, key: BoardKey, board: BoardState): Generator<undefined, void> {
  const { store, timestamp } = options;
  let isStored = true;
  for (const removal of board.unfinished.splice(0)) {
    for (const changes of finishRemoval(board, removal)) {
      isStored &&= commit(options, () => store.writeRows(key, changes, timestamp()));
      board.apply(changes, board.seq);
      yield undefined;
    }
    isStored &&= commit(options, () => store.removals.finish(key, removal));
  }
}

function commit({ store, onError }: FinishingOptions, write: () => void): boolean {
  try {
    store.begin();
    write();
    store.commit();
    return true;
  } catch (error) {
    store.rollback();
    onError(error);
    return false;
  }
}
