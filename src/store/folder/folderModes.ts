/** Which users besides the owner can read or write a data folder. */
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isKnownFile } from './knownFiles.js';
import { isOpenToOthers, PRIVATE_FILE } from './privateFile.js';

const WRITABLE_BY_OTHERS = 0o022;

export interface FolderModes {
  /** Files whose modes were corrected. */
  readonly tightened: readonly string[];
  /** Files whose modes could not be corrected: they belong to another user. */
  readonly open: readonly string[];
  /** Other users can then replace every file in it. */
  readonly isWritableByOthers: boolean;
}

export function tightenModes(dataDir: string): FolderModes {
  const tightened: string[] = [];
  const open: string[] = [];
  for (const name of readdirSync(dataDir).filter(isKnownFile)) {
    const file = join(dataDir, name);
    if (!isOpenToOthers(file)) continue;
    try {
      chmodSync(file, PRIVATE_FILE);
      tightened.push(name);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : null;
      // Deleted meanwhile, such as the log of another instance.
      if (code === 'ENOENT') continue;
      if (code !== 'EPERM' && code !== 'EROFS') throw error;
      open.push(name);
    }
  }
  return { tightened, open, isWritableByOthers: (statSync(dataDir).mode & WRITABLE_BY_OTHERS) !== 0 };
}
