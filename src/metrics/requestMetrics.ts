/** Metrics of the HTTP edge: requests by operation and status, and their duration. */
import { DURATION_BOUNDS, Histogram } from './histogram.js';
import type { Metric } from './prometheus.js';

export class RequestMetrics {
  readonly #durations = new Map<string, Histogram>();
  readonly #statuses = new Map<string, Map<number, number>>();

  /**
   * `operation` is a name of the table, or a fixed word for requests without one: never a path, which a client can
   * invent.
   */
  count(operation: string, status: number, seconds: number): void {
    let durations = this.#durations.get(operation);
    if (durations === undefined) this.#durations.set(operation, (durations = new Histogram(DURATION_BOUNDS)));
    durations.observe(seconds);
    let statuses = this.#statuses.get(operation);
    if (statuses === undefined) this.#statuses.set(operation, (statuses = new Map()));
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }

  collect(): Metric[] {
    return [
      {
        kind: 'counter',
        name: 'switchboard_requests_total',
        help: 'HTTP requests by operation and status.',
        samples: [...this.#statuses].flatMap(([operation, statuses]) =>
          [...statuses].map(([status, value]) => ({ labels: { operation, status: String(status) }, value })),
        ),
      },
      {
        kind: 'histogram',
        name: 'switchboard_request_duration_seconds',
        help: 'From the first byte of a request to its answer.',
        series: [...this.#durations].map(([operation, { data }]) => ({ labels: { operation }, data })),
      },
    ];
  }
}
