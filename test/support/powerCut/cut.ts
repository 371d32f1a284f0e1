/** Builds a data folder as a power cut could leave it. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { seededRandom, type Random } from '../seededRandom.js';
import { RecordedDisk, type CutFolder } from './disk.js';
import { fateOf, type CutMode } from './fate.js';
import type { TraceRecord } from './trace.js';

export interface Cut {
  /** On the clock of the trace. What was recorded until then has happened. */
  readonly time: number;
  readonly mode: CutMode;
  readonly seed: number;
}

/**
 * What each cut leaves, the earliest first: one disk takes the records for all of them, because there are a hundred thousand. From
 * `flushesEnd` on flushes do nothing, on a disk that lies.
 */
export function* cutFolders(
  records: readonly TraceRecord[],
  cuts: readonly Cut[],
  flushesEnd = Infinity,
): Generator<{ readonly cut: Cut; readonly folder: CutFolder }> {
  const disk = new RecordedDisk();
  let taken = 0;
  for (const cut of cuts.toSorted((a, b) => a.time - b.time)) {
    for (let record = records[taken]; record !== undefined && record.time <= cut.time; record = records[taken]) {
      if (record.kind !== 'flush ended' || record.time < flushesEnd) disk.apply(record);
      taken += 1;
    }
    yield { cut, folder: disk.afterCut(fateOf(cut.mode, seededRandom(cut.seed))) };
  }
}

/** Into an existing folder. */
export async function writeFolder(folder: string, { entries }: CutFolder): Promise<void> {
  for (const [path, content] of entries) {
    if (content === null) await mkdir(join(folder, path), { mode: 0o700 });
    else await writeFile(join(folder, path), content, { mode: 0o600 });
  }
}

/** At random ones of these times, between two others; each in the next mode. */
export function chooseCuts(
  times: readonly number[],
  { from, to }: { readonly from: number; readonly to: number },
  modes: readonly CutMode[],
  random: Random,
): Cut[] {
  const possible = times.filter((time) => time >= from && time <= to);
  if (possible.length === 0) throw new Error('nothing happened in this time');
  return modes.map((mode) => ({ time: random.pick(possible), mode, seed: random.below(2 ** 31) }));
}
