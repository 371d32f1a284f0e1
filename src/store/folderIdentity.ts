import { mkdirSync, statSync } from 'node:fs';

/**
 * The same for all processes that share the folder, by whatever path, and for no others on this machine. A copy of the
 * folder is another folder.
 */
export function folderIdentity(dataDir: string): string {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const { dev, ino } = statSync(dataDir, { bigint: true });
  return `${dev.toString(36)}-${ino.toString(36)}`;
}
