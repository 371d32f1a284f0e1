/** The long turns of a service's I/O thread, as `turnProbe.ts` in its process writes them down. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packagePath } from '../../../src/paths.js';
import type { Settings } from '../service/serviceProcess.js';

/** The variable that names the file. */
export const TURNS_FILE = 'TURNS_FILE';
/** Shorter ones are not written down. */
export const LEAST_TURN_MS = 4;

const PROBE = packagePath('dist', 'test', 'support', 'hostile', 'turnProbe.js');

export class Turns {
  readonly #file: string;

  constructor(folder: string) {
    this.#file = join(folder, 'turns');
  }

  /** For the service that is to be watched. */
  get settings(): Settings {
    return { NODE_OPTIONS: `--import ${pathToFileURL(PROBE).href}`, [TURNS_FILE]: this.#file };
  }

  /** The CPU time of the longest turn since a time of `Date.now`. */
  longestSince(time: number): number {
    if (!existsSync(this.#file)) return 0;
    const turns = readFileSync(this.#file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' ').map(Number));
    return Math.max(LEAST_TURN_MS, ...turns.map(([endedAt = 0, cpuMs = 0]) => (endedAt >= time ? cpuMs : 0)));
  }
}
