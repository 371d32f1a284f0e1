import type { Metric } from '../../metrics/prometheus.js';
import { addStats, type ThreadStats } from './partitionStats.js';

/** The statistics of the store threads for Prometheus. */
export function storeMetrics(threads: readonly ThreadStats[]): Metric[] {
  const { commits, batches, activeBoards, boardBytes } = addStats(threads);
  const delays = threads.flatMap(({ delay }, thread) => [
    { labels: { thread: String(thread), quantile: '0.5' }, value: delay.p50 },
    { labels: { thread: String(thread), quantile: '0.99' }, value: delay.p99 },
  ]);
  return [
    {
      kind: 'histogram',
      name: 'switchboard_commit_duration_seconds',
      help: 'Commits to SQLite, including their flush to disk.',
      series: [{ data: commits }],
    },
    {
      kind: 'histogram',
      name: 'switchboard_commit_commands',
      help: 'Commands per commit.',
      series: [{ data: batches }],
    },
    {
      kind: 'gauge',
      name: 'switchboard_active_boards',
      help: 'Boards held in memory.',
      samples: [{ value: activeBoards }],
    },
    {
      kind: 'gauge',
      name: 'switchboard_active_board_bytes',
      help: 'Estimated memory of the boards in memory.',
      samples: [{ value: boardBytes }],
    },
    {
      kind: 'gauge',
      name: 'switchboard_log_bytes',
      help: 'Commits in the logs of the store threads that the files of their shards may not have on disk yet.',
      samples: [{ value: threads.reduce((sum, { logBytes }) => sum + logBytes, 0) }],
    },
    {
      kind: 'gauge',
      name: 'switchboard_thread_delay_seconds',
      help: 'Delay of the event loop of each store thread since the last scrape. Thread 0 is that of the directory.',
      samples: delays,
    },
  ];
}
