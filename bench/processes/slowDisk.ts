/** A disk whose flushes take a given time, for contestants that are started with its settings. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packagePath } from '../../src/paths.js';
import { compilePreload } from '../../test/support/service/preload.js';

export interface SlowDisk {
  /** Environment variables of the contestant. */
  readonly settings: Readonly<Record<string, string>>;
  /** When all contestants with these settings have been started. */
  remove(): Promise<void>;
}

/** With the reason when there is none to be had. */
export async function slowDisk(flushMs: number): Promise<SlowDisk | { readonly missing: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-disk-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const library = await compilePreload(packagePath('bench', 'processes', 'slowFlush.c'), folder);
  if ('missing' in library) {
    await remove();
    return library;
  }
  return { settings: { LD_PRELOAD: library.path, SLOW_FLUSH_MICROS: String(flushMs * 1000) }, remove };
}
