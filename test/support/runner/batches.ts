/** Which test files share a process. */
import { dirname, join } from 'node:path';

/** A file that fails in it is looked for among that many; more would save little. */
const MOST_TOGETHER = 10;
/** A long file counts as several, so that no lane is busy long after the others. */
const LONG_WEIGHT = 4;
/** They look at their process: its modules, its coverage, its memory. */
const ALONE = ['trips.test.ts', 'soak', 'crash/'].map((name) => join('test', name));

/** Files of one folder that follow each other. */
export function toBatches(files: readonly string[]): string[][] {
  const batches: string[][] = [];
  let [folder, weight] = ['', Infinity];
  for (const file of files) {
    const own = ALONE.some((name) => file.startsWith(name)) ? Infinity : file.includes('.long.') ? LONG_WEIGHT : 1;
    if (folder !== dirname(file) || weight + own > MOST_TOGETHER) {
      batches.push([]);
      [folder, weight] = [dirname(file), 0];
    }
    batches.at(-1)?.push(file);
    weight += own;
  }
  return batches;
}

export function alone(files: readonly string[]): string[][] {
  return files.map((file) => [file]);
}
