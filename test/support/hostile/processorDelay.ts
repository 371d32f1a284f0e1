/**
 * How much of a wait was for a processor that other processes had, as the Linux kernel counts it: the threads that serve a
 * bystander were ready to run, and did not run. A service that computes, sleeps or waits for a disk is not excused by it.
 */
import { openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** In milliseconds, except for `slices`: how often it has got a processor. */
interface ThreadTime {
  readonly ran: number;
  readonly delayed: number;
  readonly slices: number;
}

/** At one moment. */
export interface ProcessorTimes {
  readonly at: number;
  /** Of the threads on the way of a request, the caller's own last. */
  readonly threads: readonly ThreadTime[];
  /** What all threads of the service have used. */
  readonly service: number;
  /** What the machine's owner took away, by processor. */
  readonly stolen: readonly number[];
}

const NANOSECONDS = 1e6;
/** Of `/proc/stat` and `/proc/<pid>/stat`. */
const TICK_MS = 10;
/** In a line of `/proc/stat`, after the name. */
const STEAL = 7;
const MAX_FILE_BYTES = 16 * 1024;
/** A thread that was ready or ran for this part of a wait never slept: it was what the bystander waited for. */
const WHOLE = 0.9;
const NOTHING: ThreadTime = { ran: 0, delayed: 0, slices: 0 };

export class ProcessorDelay {
  readonly #pid: number;
  readonly #slicesBefore: ReadonlyMap<string, number>;
  readonly #text = Buffer.alloc(MAX_FILE_BYTES);
  /** Opened once: they are read before each request. Node closes them with the thread. */
  readonly #files: { readonly service: number; readonly machine: number; readonly own: number };
  #threads: readonly number[] = [];

  private constructor(pid: number) {
    this.#pid = pid;
    this.#slicesBefore = slicesOf(pid);
    this.#files = {
      service: openSync(`/proc/${pid}/stat`, 'r'),
      machine: openSync('/proc/stat', 'r'),
      own: openSync('/proc/thread-self/schedstat', 'r'),
    };
  }

  /** Of the requests that the calling thread sends; null where the kernel does not say. The service does nothing else at first. */
  static of(pid: number): ProcessorDelay | null {
    try {
      return new ProcessorDelay(pid);
    } catch {
      return null;
    }
  }

  /** After this many requests: those who serve are the threads that each request has woken, and the main thread. */
  findThreads(requests: number): void {
    const woken = [...slicesOf(this.#pid)].filter(
      ([thread, slices]) => thread === String(this.#pid) || slices - (this.#slicesBefore.get(thread) ?? 0) >= requests,
    );
    this.#threads = woken.flatMap(([thread]) => {
      try {
        return [openSync(`/proc/${this.#pid}/task/${thread}/schedstat`, 'r')];
      } catch {
        return [];
      }
    });
  }

  now(): ProcessorTimes {
    const stat = this.#read(this.#files.service);
    const [, user = 0, system = 0] = /^(?:\S+ ){11}(\d+) (\d+)/.exec(stat.slice(stat.lastIndexOf(')') + 2))?.map(Number) ?? [];
    const processors = this.#read(this.#files.machine).matchAll(/^cpu\d+ (.*)$/gm);
    return {
      at: performance.now(),
      threads: [...this.#threads, this.#files.own].map((file) => parseThread(this.#read(file))),
      service: (user + system) * TICK_MS,
      stolen: [...processors].map(([, times = '']) => Number(times.split(' ')[STEAL] ?? 0) * TICK_MS),
    };
  }

  /** Empty if the process or the thread has ended. */
  #read(file: number): string {
    try {
      return this.#text.toString('latin1', 0, readSync(file, this.#text, 0, MAX_FILE_BYTES, 0));
    } catch {
      return '';
    }
  }
}

/** The part of the wait between two moments that was not for a processor that other processes had. */
export function ownWait(before: ProcessorTimes, after: ProcessorTimes, processors = availableParallelism()): number {
  const wait = after.at - before.at;
  const passed = after.threads.map((thread, index) => difference(before.threads[index] ?? NOTHING, thread));
  const delay = passed.reduce((sum, { delayed }) => sum + delayed, 0);
  // What the service itself has used, it cannot blame on others.
  const used = Math.max(0, after.service - before.service);
  const othersPart = Math.max(0, 1 - used / (processors * wait));
  const stolen = Math.max(0, ...after.stolen.map((time, index) => time - (before.stolen[index] ?? 0)));
  const rest = Math.max(0, wait - delay * othersPart - stolen);
  // Threads that are delayed beside each other add up to more than the wait: one that never slept counts as well.
  const busiest = passed.slice(0, -1).map(({ ran, delayed }) => (ran + delayed >= wait * WHOLE ? ran : 0));
  return Math.min(wait, Math.max(rest, ...busiest));
}

function difference(before: ThreadTime, after: ThreadTime): ThreadTime {
  return {
    ran: Math.max(0, after.ran - before.ran),
    delayed: Math.max(0, after.delayed - before.delayed),
    slices: after.slices - before.slices,
  };
}

function parseThread(text: string): ThreadTime {
  const [ran = 0, delayed = 0, slices = 0] = text.split(' ').map(Number);
  return { ran: ran / NANOSECONDS, delayed: delayed / NANOSECONDS, slices };
}

/** How often each thread of a process has got a processor. */
function slicesOf(pid: number): Map<string, number> {
  const folder = `/proc/${pid}/task`;
  return new Map(
    readdirSync(folder).flatMap((thread) => {
      try {
        return [[thread, parseThread(readFileSync(`${folder}/${thread}/schedstat`, 'utf8')).slices] as const];
      } catch {
        // It has ended since the folder was read.
        return [];
      }
    }),
  );
}
