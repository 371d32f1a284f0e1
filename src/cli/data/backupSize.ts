import type { Manifest } from '../../store/backup/backupManifest.js';

const MEGABYTE = 1e6;

/** The total size in human-readable form. */
export function sizeOf({ files }: Manifest): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return `${files.length} files, ${(bytes / MEGABYTE).toFixed(1)} MB`;
}
