/**
 * Asserts that no cut of a recorded service breaks a promise to its clients. If POWER_CUT_KEEP names a folder, a data
 * folder with which something went wrong is left there, as the cut left it.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { Environment } from '../../../src/settings/config.js';
import { cutFolders, writeFolder, type Cut } from './cut.js';
import type { CutFolder } from './disk.js';
import { judge } from './judge.js';
import type { Load } from './load.js';
import type { TraceRecord } from './trace.js';

export interface Recorded {
  readonly records: readonly TraceRecord[];
  readonly load: Load;
  /** For the start after the cut. */
  readonly settings: Environment;
}

/** A failure of the disk breaks many promises at once. */
const MAX_SHOWN = 10;

export async function expectUnharmed(t: Test, recorded: Recorded, cuts: readonly Cut[]): Promise<void> {
  const { records, load, settings } = recorded;
  const start = records[0]?.time ?? 0;
  let lost = 0;
  for (const { cut, folder } of cutFolders(records, cuts)) {
    const findProblems = (url: string): Promise<string[]> => load.findProblems(url, cut.time);
    const problems = await judge({ folder, settings, isComplete: true, findProblems });
    const { kept, torn, dropped } = folder.content;
    const moment = `${((cut.time - start) / 1e6).toFixed(1)} ms, ${cut.mode}, seed ${cut.seed}`;
    const left = `${kept} writes kept, ${torn} torn, ${dropped} dropped; ${folder.droppedNames} names dropped`;
    t.strictSame(problems.slice(0, MAX_SHOWN), [], `cut at ${moment}: ${left}; ${problems.length} problems`);
    if (problems.length > 0) await keep(folder, `cut-${cut.mode}-${cut.seed}`);
    lost += torn + dropped;
  }
  t.ok(lost > 0, 'the cuts took something that was written');
}

async function keep(folder: CutFolder, name: string): Promise<void> {
  const place = process.env['POWER_CUT_KEEP'];
  if (place === undefined) return;
  const path = join(place, name);
  await mkdir(path, { recursive: true });
  await writeFolder(path, folder);
}
