/** What the process itself has to tell: its event loop, its memory, its age. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Metric } from './prometheus.js';

const NANOSECONDS = 1e9;

export interface ProcessMetrics {
  collect(): Metric[];
  stop(): void;
}

export function startProcessMetrics(): ProcessMetrics {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  return {
    collect() {
      const { rss, heapUsed, external } = process.memoryUsage();
      const { user, system } = process.cpuUsage();
      const quantiles = [50, 99].map((percent) => ({
        labels: { quantile: String(percent / 100) },
        value: delay.percentile(percent) / NANOSECONDS,
      }));
      delay.reset();
      return [
        {
          kind: 'gauge',
          name: 'switchboard_event_loop_delay_seconds',
          help: 'How late the I/O thread was, since the last scrape.',
          samples: quantiles,
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
    stop: () => delay.disable(),
  };
}
