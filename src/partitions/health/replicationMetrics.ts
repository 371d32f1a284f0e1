import type { Metric } from '../../metrics/prometheus.js';
import { addReplicationStats, LOG_EVENTS, type ReplicationStats } from './partitionStats.js';
import { missingReserve, type ReplicationView } from './replicationProblems.js';

/** Replicated partitions for Prometheus. `instance`: the id of this one. */
export function replicationMetrics(
  threads: readonly ReplicationStats[],
  { partitions, replicas }: Pick<ReplicationView, 'partitions' | 'replicas'>,
  instance: string,
): Metric[] {
  const missing = missingReserve({ partitions, replicas });
  const { appends, events } = addReplicationStats(threads);
  const copies = partitions.flatMap(({ partition, copies }) =>
    copies.filter((copy) => copy.instance === instance).map((copy) => ({ labels: { partition }, copy })),
  );
  return [
    {
      kind: 'histogram',
      name: 'switchboard_replication_append_duration_seconds',
      help: 'Appends to the replicated logs, until NATS has stored the record.',
      series: [{ data: appends }],
    },
    {
      kind: 'counter',
      name: 'switchboard_replication_events_total',
      help: 'Partitions that this instance claimed, and appends that were fenced, unknown, or resolved by reading the log.',
      samples: LOG_EVENTS.map((event) => ({ labels: { event: event.replaceAll(' ', '_') }, value: events[event] })),
    },
    {
      kind: 'gauge',
      name: 'switchboard_replication_lag_records',
      help: 'Records that another instance has and the copy of this one has not.',
      samples: copies.map(({ labels, copy }) => ({ labels, value: copy.lag })),
    },
    {
      kind: 'gauge',
      name: 'switchboard_replication_term',
      help: 'How often the partition was claimed, as the copy of this instance knows.',
      samples: copies.map(({ labels, copy }) => ({ labels, value: copy.term })),
    },
    {
      kind: 'gauge',
      name: 'switchboard_replication_halted_copies',
      help: 'Copies of this instance that have halted.',
      samples: [{ value: copies.filter(({ copy }) => copy.state === 'halted').length }],
    },
    {
      kind: 'gauge',
      name: 'switchboard_replication_logs_without_quorum',
      help: 'Logs that cannot be written through the NATS servers that this instance reaches.',
      samples: [{ value: partitions.filter(({ log }) => !log.hasQuorum).length }],
    },
    {
      kind: 'gauge',
      name: 'switchboard_replication_missing_copies',
      help: 'Copies that are missing or halted on any machine, of as many for each partition as LOG_REPLICAS.',
      samples: [{ value: missing.copies }],
    },
    {
      kind: 'gauge',
      name: 'switchboard_replication_missing_log_servers',
      help: 'NATS servers that are away or lack records, added up over all logs.',
      samples: [{ value: missing.servers }],
    },
  ];
}
