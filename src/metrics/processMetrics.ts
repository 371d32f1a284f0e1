/** Metrics of the process: event loop, memory, age. */
import { watchLoopDelay } from './loopDelay.js';
import type { Metric } from './prometheus.js';

export interface ProcessMetrics {
  collect(): Metric[];
  stop(): void;
}

export function startProcessMetrics(): ProcessMetrics {
  const delay = watchLoopDelay();
  return {
    collect() {
      const { rss, heapUsed, external } = process.memoryUsage();
      const { user, system } = process.cpuUsage();
      const { p50, p99 } = delay.read();
      return [
        {
          kind: 'gauge',
          name: 'switchboard_event_loop_delay_seconds',
          help: 'Delay of the event loop of the I/O thread since the last scrape.',
          samples: [
            { labels: { quantile: '0.5' }, value: p50 },
            { labels: { quantile: '0.99' }, value: p99 },
          ],
        },
        {
          kind: 'gauge',
          name: 'switchboard_memory_bytes',
          help: 'Memory of the process.',
          samples: Object.entries({ resident: rss, heap: heapUsed, external }).map(([kind, value]) => ({
            labels: { kind },
            value,
          })),
        },
        {
          kind: 'counter',
          name: 'switchboard_cpu_seconds_total',
          help: 'CPU time of all threads.',
          samples: [
            { labels: { mode: 'user' }, value: user / 1e6 },
            { labels: { mode: 'system' }, value: system / 1e6 },
          ],
        },
        {
          kind: 'gauge',
          name: 'switchboard_uptime_seconds',
          help: 'Since the process started.',
          samples: [{ value: process.uptime() }],
        },
      ];
    },
    stop: () => delay.stop(),
  };
}
