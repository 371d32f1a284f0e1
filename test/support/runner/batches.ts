/** Which test files share a process. */
import { join } from 'node:path';

/** A file that fails in it is looked for among that many; more would save little. */
const MAX_TOGETHER = 20;
/** The last processes run few files, so that no lane is busy long after the others. */
const MIN_TOGETHER = 4;
/** A process gets this part of the files that are left. */
const PART = 1 / 6;
/** Counts as several. */
const HEAVY_WEIGHT = 4;
/** Their files start services or programs by the dozen, and take up to a minute each. */
const HEAVY = ['bench/', 'cluster/', 'crash/', 'machines/', 'tools/'].map((name) => join('test', name));
/** They look at their process: its modules, its coverage, its memory. */
const ALONE = ['trips.test.ts', 'soak', 'crash/'].map((name) => join('test', name));

/** Files that follow each other. */
export function toBatches(files: readonly string[]): string[][] {
  const batches: string[][] = [];
  let rest = files.reduce((sum, file) => sum + weightOf(file), 0);
  let room = 0;
  for (const file of files) {
    const isAlone = ALONE.some((name) => file.startsWith(name));
    if (isAlone || room < weightOf(file)) {
      batches.push([]);
      room = isAlone ? 0 : Math.min(MAX_TOGETHER, Math.max(MIN_TOGETHER, Math.ceil(rest * PART)));
    }
    batches.at(-1)?.push(file);
    room -= weightOf(file);
    rest -= weightOf(file);
  }
  return batches;
}

export function alone(files: readonly string[]): string[][] {
  return files.map((file) => [file]);
}

/** They begin first: one that began last would keep one lane busy beside empty ones. */
export function isHeavy(file: string): boolean {
  return file.includes('.long.') || HEAVY.some((name) => file.startsWith(name));
}

function weightOf(file: string): number {
  return isHeavy(file) ? HEAVY_WEIGHT : 1;
}
