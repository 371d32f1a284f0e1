/** Which test files share a process. */
import { join } from 'node:path';

/** A file that fails in it is looked for among that many; more would save little. */
const MAX_TOGETHER = 20;
/** The last processes run few files, so that no lane is busy long after the others. */
const MIN_TOGETHER = 4;
/** A process gets this part of the files that are left. */
const PART = 1 / 6;
/** Counts as several. */
const LONG_WEIGHT = 4;
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

function weightOf(file: string): number {
  return file.includes('.long.') ? LONG_WEIGHT : 1;
}
