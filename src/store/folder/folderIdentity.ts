import { statSync } from 'node:fs';

/**
 * The folder exists. The same for all processes that share it, by whatever path, and for no others on this machine. A copy of the
 * folder is another folder.
 */
export function folderIdentity(dataDir: string): string {
  const { dev, ino } = statSync(dataDir, { bigint: true });
  return `${dev.toString(36)}-${ino.toString(36)}`;
}
