/** The memory of a process as the kernel counts it, including its peak. Only Linux reports it. */
import { readFileSync, writeFileSync } from 'node:fs';

const KIB = 1024;

/** For `t.test(…, { skip })`. */
export const WITHOUT_PEAK = process.platform === 'linux' ? false : 'the peak memory of a process is read from /proc';

export function residentBytes(pid: number): number {
  return readField(pid, 'VmRSS');
}

/** The maximum resident memory since `forgetPeak`. */
export function peakBytes(pid: number): number {
  return readField(pid, 'VmHWM');
}

export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function readField(pid: number, name: string): number {
  const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (kilobytes === undefined) throw new Error(`/proc/${pid}/status has no ${name}`);
  return Number(kilobytes) * KIB;
}
