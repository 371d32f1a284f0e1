/** Nanoseconds of CLOCK_MONOTONIC: the same clock in every process of the machine. */
export function monotonicTime(): number {
  return Number(process.hrtime.bigint());
}
