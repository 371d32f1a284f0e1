import type { Metric } from '../metrics/prometheus.js';
import { PUBSUB_STATUSES, type PubsubStatus } from '../domain/ports/pubsub.js';

/** The state of the connection between instances, for Prometheus. */
export function busMetrics(status: PubsubStatus): Metric[] {
  return [
    {
      kind: 'gauge',
      name: 'switchboard_pubsub_status',
      help: '1 for the current status.',
      samples: PUBSUB_STATUSES.map((each) => ({ labels: { status: each }, value: each === status ? 1 : 0 })),
    },
  ];
}
