/** Measures the delay of a thread's event loop. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Milliseconds between two samples. Node measures from sample to sample, so an idle loop shows this value. Each wakes its thread: every 20 ms
 * they were most wake-ups of an idle service, and a quarter of its CPU time. In the 15 seconds between two scrapes there are still 150.
 */
const RESOLUTION_MS = 100;

/** In seconds. */
export interface Delay {
  readonly p50: number;
  readonly p99: number;
}

export interface LoopDelay {
  /** Since the last call. */
  read(): Delay;
  stop(): void;
}

export function watchLoopDelay(): LoopDelay {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  const lateness = (percent: number): number => Math.max(0, delays.percentile(percent) / 1e9 - RESOLUTION_MS / 1e3);
  return {
    read() {
      const delay = { p50: lateness(50), p99: lateness(99) };
      delays.reset();
      return delay;
    },
    stop: () => delays.disable(),
  };
}
