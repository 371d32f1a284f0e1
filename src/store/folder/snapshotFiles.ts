/** Files beside a data file: itself before it is whole, a copy of it for a snapshot, one that was fetched, and one whose log was replaced. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { kindOf } from './dataFolder.js';

const UNFINISHED = /^(.*\.sqlite)\.(taken|fetched)(-\w+)?$/;
const BESIDE = /\.(new|taken|fetched|generation-\d+)$/;

/** A data file that is being created. The next start creates it anew. */
export function unfinishedFile(file: string): string {
  return `${file}.new`;
}

export function takenFile(file: string): string {
  return `${file}.taken`;
}

export function fetchedFile(file: string): string {
  return `${file}.fetched`;
}

/** The last state of a file whose log was replaced. Nothing reads it; an operator may delete it. */
export function supersededFile(file: string, generation: number): string {
  return `${file}.generation-${generation}`;
}

/** The data file that the name belongs to. */
export function withoutSnapshot(name: string): string {
  return name.replace(BESIDE, '');
}

/** At a start: a snapshot that was taken or fetched when the process ended is of no use. */
export function removeUnfinishedSnapshots(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    const file = UNFINISHED.exec(name)?.[1];
    if (file !== undefined && kindOf(file) !== null) rmSync(join(dataDir, name), { force: true });
  }
}
