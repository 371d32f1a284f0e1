/** How long test files took, and how much of the processor: what makes the suite slow is found by these figures. */
import { dirname } from 'node:path';

interface Time {
  readonly milliseconds: number;
  readonly cpuMilliseconds: number;
}

const NONE: Time = { milliseconds: 0, cpuMilliseconds: 0 };

export class FileTimes {
  readonly #files = new Map<string, Time>();

  /** A file that runs several times counts with all of them. Returns the figures of this one. */
  add(file: string, time: Time): string {
    this.#files.set(file, plus(this.#files.get(file) ?? NONE, time));
    return shown(time);
  }

  /** One line each, the most expensive first, and one for all. */
  byFolder(): string[] {
    const folders = new Map<string, Time>();
    for (const [file, time] of this.#files) folders.set(dirname(file), plus(folders.get(dirname(file)) ?? NONE, time));
    const sorted = [...folders].sort(([, a], [, b]) => b.cpuMilliseconds - a.cpuMilliseconds);
    const all = [...folders.values()].reduce(plus, NONE);
    return [...sorted, ['all files', all] as const].map(([name, time]) => `${name}: ${shown(time)}`);
  }
}

function plus(a: Time, b: Time): Time {
  return { milliseconds: a.milliseconds + b.milliseconds, cpuMilliseconds: a.cpuMilliseconds + b.cpuMilliseconds };
}

function shown({ milliseconds, cpuMilliseconds }: Time): string {
  return `${seconds(milliseconds)} s, ${seconds(cpuMilliseconds)} s of CPU`;
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(1);
}
