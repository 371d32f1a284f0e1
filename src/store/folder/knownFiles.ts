/** The names in a data folder or a backup that belong to this program. */
import { ACKNOWLEDGED_FILE } from './record/acknowledgedCommits.js';
import { MANIFEST_FILE } from '../backup/backupManifest.js';
import { isLogFile } from '../log/logFiles.js';
import { kindOf } from './dataFolder.js';
import { RECORD_FILE } from './record/folderRecord.js';
import { SETUP_TOKEN_FILE } from './setupToken.js';
import { withoutSnapshot } from './snapshotFiles.js';

/** The key with which instances seal secrets in messages. */
const CLUSTER_KEY = 'cluster.key';

const OURS = [RECORD_FILE, MANIFEST_FILE, 'folder.lock', CLUSTER_KEY, ACKNOWLEDGED_FILE, SETUP_TOKEN_FILE];
/** Sockets of the command line, audit files, and a folder that file systems keep at their root. */
const FOLDERS = ['control', 'audit', 'lost+found'];
/** SQLite's companion files, our own locks, and a record or key that is being written. */
const COMPANION = /(-wal|-shm|-journal)$/;

export function isKnownFile(name: string): boolean {
  if (OURS.includes(name) || OURS.includes(name.replace(/\.new$/, ''))) return true;
  const base = name.replace(COMPANION, '');
  const file = withoutSnapshot(base).replace(/\.lock$/, '.sqlite');
  return kindOf(file) !== null || isLogFile(file) || OURS.includes(base);
}

export function isKnownFolder(name: string): boolean {
  return FOLDERS.includes(name);
}
