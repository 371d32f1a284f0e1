import type { Metric } from '../metrics/prometheus.js';
import type { BusStatus } from './bus.js';

const STATUSES: readonly BusStatus[] = ['embedded', 'connected', 'disconnected'];

/** The state of the connection between instances, for Prometheus. */
export function busMetrics(status: BusStatus): Metric[] {
  return [
    {
      kind: 'gauge',
      name: 'switchboard_pubsub_status',
      help: '1 for the status that holds.',
      samples: STATUSES.map((each) => ({ labels: { status: each }, value: each === status ? 1 : 0 })),
    },
  ];
}
