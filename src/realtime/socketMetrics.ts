import type { Metric } from '../metrics/prometheus.js';
import type { Hub } from './hub.js';

/** The sockets of this instance, for Prometheus. */
export function socketMetrics(hub: Pick<Hub, 'size' | 'closedAsTooSlow'>): Metric[] {
  return [
    {
      kind: 'gauge',
      name: 'switchboard_sockets',
      help: 'Open WebSockets.',
      samples: [{ value: hub.size }],
    },
    {
      kind: 'counter',
      name: 'switchboard_slow_sockets_closed_total',
      help: 'WebSockets closed because they read too slowly.',
      samples: [{ value: hub.closedAsTooSlow }],
    },
  ];
}
