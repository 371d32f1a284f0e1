/** The memory of a process and its CPU time as the kernel counts them. Only Linux reports them. */
import { readFileSync, writeFileSync } from 'node:fs';

const KIB = 1024;
/** Of `/proc/<pid>/stat`, on every architecture that Node runs on. */
const TICK_MS = 10;

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

/** User and system time of all threads since the start. */
export function cpuMs(pid: number): number {
  const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(afterName[11]) + Number(afterName[12])) * TICK_MS;
}

function readField(pid: number, name: string): number {
  const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (kilobytes === undefined) throw new Error(`/proc/${pid}/status has no ${name}`);
  return Number(kilobytes) * KIB;
}
