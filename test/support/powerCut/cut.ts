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
  /** From this time on flushes do nothing, on a disk that lies. */
  readonly flushesEnd?: number;
}

export function cutFolder(records: readonly TraceRecord[], { time, mode, seed, flushesEnd = Infinity }: Cut): CutFolder {
  const disk = new RecordedDisk();
  for (const record of records) {
    if (record.time > time) break;
    if (record.kind !== 'flush ended' || record.time < flushesEnd) disk.apply(record);
  }
  return disk.afterCut(fateOf(mode, seededRandom(seed)));
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
