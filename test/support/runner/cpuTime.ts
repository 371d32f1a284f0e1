/** The processor time of a test process with all that it started: services, browsers, servers. */
import { readdirSync, readFileSync } from 'node:fs';

/** What Linux shows processor time in, whatever the kernel counts in. */
const TICK_MS = 10;
/** In /proc/<pid>/stat, after the name: the parent, then the user and system time of the process and of its children that ended. */
const FIELDS = { parent: 1, times: [11, 12, 13, 14] } as const;

const COMMENT = /(\d+) ms of CPU$/m;

interface ProcessTime {
  readonly pid: number;
  readonly parent: number;
  readonly milliseconds: number;
}

/** Of this process, its children that run, and all that ended. Where there is no /proc, of this process alone. */
export function cpuMilliseconds(): number {
  const processes = process.platform === 'linux' ? readProcesses() : [];
  const own = processes.find(({ pid }) => pid === process.pid);
  if (own === undefined) return Math.round((process.cpuUsage().user + process.cpuUsage().system) / 1000);
  const family = [own];
  for (const { pid } of family) family.push(...processes.filter(({ parent }) => parent === pid));
  return family.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
}

function readProcesses(): ProcessTime[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = readStat(name);
      if (stat === null) return [];
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const ticks = FIELDS.times.reduce((sum, index) => sum + Number(fields[index]), 0);
      return [{ pid: Number(name), parent: Number(fields[FIELDS.parent]), milliseconds: ticks * TICK_MS }];
    });
}

/** As a process says it in its output. */
export function cpuComment(milliseconds: number): string {
  return `${milliseconds} ms of CPU`;
}

/** 0 if the process ended before it could say. */
export function readCpuComment(output: string): number {
  return Number(COMMENT.exec(output)?.[1] ?? 0);
}

/** Null if the process has ended since the folder was read. */
function readStat(pid: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
}
