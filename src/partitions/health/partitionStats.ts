/** Statistics of a store thread, as plain data that can be sent and added up. */
import type { Delay } from '../../metrics/loopDelay.js';
import { addHistograms, DURATION_BOUNDS, Histogram, SIZE_BOUNDS, type HistogramData } from '../../metrics/histogram.js';

export interface PartitionStats {
  /** Duration of commits in seconds, including the flush to disk. */
  readonly commits: HistogramData;
  /** Commands per commit. */
  readonly batches: HistogramData;
  readonly activeBoards: number;
  readonly boardBytes: number;
  /** Of boards. */
  readonly pausedWebhooks: number;
}

/** What a partition holds, besides its commits. */
export type HeldStats = Pick<PartitionStats, 'activeBoards' | 'boardBytes' | 'pausedWebhooks'>;

/** What an append to a replicated log came to, when it did not just succeed, and the partitions that were taken. */
export const LOG_EVENTS = ['claimed', 'fenced', 'resolved by reading', 'unknown'] as const;
export type LogEvent = (typeof LOG_EVENTS)[number];

export interface ReplicationStats {
  /** Duration of appends in seconds, until the log has the record. */
  readonly appends: HistogramData;
  readonly events: Readonly<Record<LogEvent, number>>;
}

export interface ThreadStats extends PartitionStats {
  /** Bytes in the thread's log of commits that the shards' files may not have on disk. */
  readonly logBytes: number;
  /** Since the last request for statistics. */
  readonly delay: Delay;
  /** Null if nothing is replicated. */
  readonly replication: ReplicationStats | null;
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

export class LogStats {
  readonly #appends = new Histogram(DURATION_BOUNDS);
  readonly #events = zeroEvents();

  count(event: LogEvent): void {
    this.#events[event] += 1;
  }

  appended(seconds: number): void {
    this.#appends.observe(seconds);
  }

  get data(): ReplicationStats {
    return { appends: this.#appends.data, events: { ...this.#events } };
  }
}

export function addReplicationStats(all: readonly ReplicationStats[]): ReplicationStats {
  const events = zeroEvents();
  for (const each of all) for (const event of LOG_EVENTS) events[event] += each.events[event];
  return {
    appends: addHistograms(
      all.map(({ appends }) => appends),
      DURATION_BOUNDS,
    ),
    events,
  };
}

function zeroEvents(): Record<LogEvent, number> {
  return { claimed: 0, fenced: 0, 'resolved by reading': 0, unknown: 0 };
}

export function addStats(all: readonly PartitionStats[]): PartitionStats {
  return {
    commits: addHistograms(
      all.map(({ commits }) => commits),
      DURATION_BOUNDS,
    ),
    batches: addHistograms(
      all.map(({ batches }) => batches),
      SIZE_BOUNDS,
    ),
    activeBoards: all.reduce((sum, { activeBoards }) => sum + activeBoards, 0),
    boardBytes: all.reduce((sum, { boardBytes }) => sum + boardBytes, 0),
    pausedWebhooks: all.reduce((sum, { pausedWebhooks }) => sum + pausedWebhooks, 0),
  };
}
