/** Runs inside a service (`--import`): on a signal its I/O thread computes for `BUSY_MS` of its processor time. */
import { isMainThread } from 'node:worker_threads';

export const BUSY_SIGNAL = 'SIGUSR2';
export const BUSY_MS = 400;

if (isMainThread && process.env['BUSY_TURNS'] !== undefined) process.on(BUSY_SIGNAL, compute);

function compute(): void {
  const usedMs = (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  const startedAt = usedMs();
  while (usedMs() - startedAt < BUSY_MS);
}
