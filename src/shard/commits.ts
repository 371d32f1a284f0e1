/** The commits of a shard, one at a time. Until one is settled, memory is ahead of the store and nothing may be decided. */
import { CommitStats, type PartitionStats } from '../partitions/health/partitionStats.js';
import type { ActiveBoards } from './boards/activeBoards.js';
import type { Batch } from './batch.js';
import type { ShardStore } from './shardStore.js';

export interface CommitsOptions {
  readonly store: ShardStore;
  readonly boards: ActiveBoards;
  /** Called when memory equals the store again. */
  readonly committed: () => void;
}

export class Commits {
  readonly #options: CommitsOptions;
  readonly #stats = new CommitStats();
  #isUnderWay = false;

  constructor(options: CommitsOptions) {
    this.#options = options;
  }

  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  get stats(): Pick<PartitionStats, 'commits' | 'batches'> {
    return this.#stats.data;
  }

  /**
   * Calls `settled` with null when the batch is stored, or only read and what it read is current. Otherwise with the
   * error, after the batch was undone. `commands` is 0 for a job.
   */
  commit(batch: Batch, commands: number, settled: (error: unknown) => void): void {
    const { store, committed } = this.#options;
    const startedAt = performance.now();
    this.#isUnderWay = true;
    const end = (error: unknown): void => {
      this.#isUnderWay = false;
      if (error !== null) {
        this.undo(batch);
      } else {
        if (batch.isWriting && commands > 0) this.#stats.count((performance.now() - startedAt) / 1000, commands);
        committed();
      }
      settled(error);
    };
    if (batch.isWriting) store.commitTogether(end);
    else store.confirm(end);
  }

  /** Memory is ahead of the store: the touched boards are dropped and loaded again when needed. */
  undo(batch: Batch): void {
    const { store, boards } = this.#options;
    for (const key of batch.touched) boards.drop(key);
    if (batch.isWriting) store.rollback();
  }
}
