/** Statistics of a store thread, as plain data that can be sent and added up. */
import type { Delay } from '../metrics/loopDelay.js';
import { addHistograms, DURATION_BOUNDS, Histogram, SIZE_BOUNDS, type HistogramData } from '../metrics/histogram.js';

export interface PartitionStats {
  /** Duration of commits in seconds, including the flush to disk. */
  readonly commits: HistogramData;
  /** Commands per commit. */
  readonly batches: HistogramData;
  readonly activeBoards: number;
  readonly boardBytes: number;
}

export interface ThreadStats extends PartitionStats {
  /** Bytes in the thread's log of commits that the shards' files may not have on disk. */
  readonly logBytes: number;
  /** Since the last request for statistics. */
  readonly delay: Delay;
}

export class CommitStats {
  readonly #commits = new Histogram(DURATION_BOUNDS);
  readonly #batches = new Histogram(SIZE_BOUNDS);

  count(seconds: number, commands: number): void {
    this.#commits.observe(seconds);
    this.#batches.observe(commands);
  }

  get data(): Pick<PartitionStats, 'commits' | 'batches'> {
    return { commits: this.#commits.data, batches: this.#batches.data };
  }
}

export function addStats(all: readonly PartitionStats[]): PartitionStats {
  return {
    commits: addHistograms(all.map(({ commits }) => commits), DURATION_BOUNDS),
    batches: addHistograms(all.map(({ batches }) => batches), SIZE_BOUNDS),
    activeBoards: all.reduce((sum, { activeBoards }) => sum + activeBoards, 0),
    boardBytes: all.reduce((sum, { boardBytes }) => sum + boardBytes, 0),
  };
}
