import type { Metric } from '../metrics/prometheus.js';
import type { Hub } from './hub.js';

/** The sockets of this instance, for Prometheus. */
export function socketMetrics(hub: Pick<Hub, 'size' | 'followed' | 'closedAsTooSlow' | 'backlogBytes'>): Metric[] {
  return [
    {
      kind: 'gauge',
      name: 'switchboard_sockets',
      help: 'Open WebSockets.',
      samples: [{ value: hub.size }],
    },
    {
      kind: 'gauge',
      name: 'switchboard_followed_boards',
      help: 'Boards that WebSockets for several boards follow; a board counts once for each socket.',
      samples: [{ value: hub.followed }],
    },
    {
      kind: 'gauge',
      name: 'switchboard_socket_backlog_bytes',
      help: 'Memory taken by messages that clients have not read, at the last check.',
      samples: [{ value: hub.backlogBytes }],
    },
    {
      kind: 'counter',
      name: 'switchboard_slow_sockets_closed_total',
      help: 'WebSockets closed because they read too slowly.',
      samples: [{ value: hub.closedAsTooSlow }],
    },
  ];
}
