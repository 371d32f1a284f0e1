import { statSync } from 'node:fs';

/**
 * An id of an existing folder: the same for all processes that share it, by any path, and for no others on this
 * machine. A copy of the folder has another id.
 */
export function folderIdentity(dataDir: string): string {
  const { dev, ino } = statSync(dataDir, { bigint: true });
  return `${dev.toString(36)}-${ino.toString(36)}`;
}
