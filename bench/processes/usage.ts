/** The resource usage of a process. Only Linux reports it; elsewhere the figures are omitted. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';

export interface Usage {
  /** User and system time since the start, by thread. */
  readonly threads: ReadonlyMap<string, number>;
  readonly residentBytes: number;
  /** The maximum since `resetPeak`. */
  readonly peakBytes: number;
}

/** Linux counts in hundredths of a second here, on every architecture that Node runs on. */
const TICK_MICROS = 10_000;

export function readUsage(pid: number): Usage | null {
  if (process.platform !== 'linux') return null;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return {
    threads: threadMicros(pid),
    residentBytes: kilobytes(status, 'VmRSS') * 1024,
    peakBytes: kilobytes(status, 'VmHWM') * 1024,
  };
}

export interface CpuTime {
  /** Of all threads together. */
  readonly totalMicros: number;
  readonly busiestMicros: number;
}

export function cpuBetween(before: Usage, after: Usage): CpuTime {
  const spent = [...after.threads].map(([thread, micros]) => micros - (before.threads.get(thread) ?? 0));
  return { totalMicros: spent.reduce((sum, micros) => sum + micros, 0), busiestMicros: Math.max(...spent) };
}

/** The CPU time of all processes since the start of the machine, and the time that the host took from a virtual machine. */
export function machineMicros(): number | null {
  if (process.platform !== 'linux') return null;
  const [all = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = all.split(/\s+/).map(Number);
  return (user + nice + system + irq + softirq + stolen) * TICK_MICROS;
}

/** Resets the peak to the current memory of the process. */
export function resetPeak(pid: number): void {
  if (process.platform === 'linux') writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** The soft limit of this process, which Node raises to the hard limit when it starts. */
export function openFilesLimit(): number | null {
  if (process.platform !== 'linux') return null;
  const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return soft === undefined ? null : Number(soft);
}

/** The scheduler's own clock: `stat` counts in steps of 10 ms, too coarse for rounds of half a second. */
function threadMicros(pid: number): Map<string, number> {
  const threads = readdirSync(`/proc/${pid}/task`);
  return new Map(threads.map((thread) => [thread, Number(readThread(pid, thread).split(' ', 1)[0]) / 1000]));
}

function readThread(pid: number, thread: string): string {
  try {
    return readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8');
  } catch (error) {
    // The thread ended after the folder was read.
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return '0';
    throw error;
  }
}

function kilobytes(status: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? Number.NaN);
}
