/** Which names in a data folder or a backup are this program's. */
import { MANIFEST_FILE } from '../backup/backupManifest.js';
import { kindOf } from './dataFolder.js';
import { RECORD_FILE } from './folderRecord.js';

/** The key that instances share to seal what crosses the network between them. */
const CLUSTER_KEY = 'cluster.key';

const OURS = [RECORD_FILE, MANIFEST_FILE, 'folder.lock', CLUSTER_KEY];
/** Sockets of the command line; and what a file system keeps at its root. */
const FOLDERS = ['control', 'lost+found'];
/** What SQLite keeps beside a file, our own locks, and a record or key that is being written. */
const COMPANION = /(-wal|-shm|-journal)$/;

export function isKnownFile(name: string): boolean {
  if (OURS.includes(name) || OURS.includes(name.replace(/\.new$/, ''))) return true;
  const base = name.replace(COMPANION, '');
  return kindOf(base) !== null || kindOf(base.replace(/\.lock$/, '.sqlite')) !== null || OURS.includes(base);
}

export function isKnownFolder(name: string): boolean {
  return FOLDERS.includes(name);
}
