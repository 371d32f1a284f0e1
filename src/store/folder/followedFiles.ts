/** Which logs the files of a data folder follow, read beside their owner. */
import { join } from 'node:path';
import { hasData, readLogPosition } from '../sqlite/logPosition.js';
import { currentSchema, listDataFiles, openBesideOwner, schemaOf } from './dataFolder.js';

export interface FollowedFile {
  readonly name: string;
  /** Null for a file with data of its own. */
  readonly cluster: string | null;
  /** When the stream of its log was made. */
  readonly created: string | null;
  /** The last record that it has; 0 for a file that follows no log. */
  readonly applied: number;
}

/** Files without data are left out: they have not begun yet. So are files of an older program. */
export async function followedFiles(dataDir: string): Promise<FollowedFile[]> {
  const found: FollowedFile[] = [];
  for (const { name, kind } of await listDataFiles(dataDir)) {
    const db = openBesideOwner(join(dataDir, name));
    try {
      if (schemaOf(db) !== currentSchema(kind)) continue;
      const followed = readLogPosition(db);
      if (followed === null && !hasData(db, kind)) continue;
      const { cluster, created } = followed?.identity ?? { cluster: null, created: null };
      found.push({ name, cluster, created, applied: followed?.position.applied ?? 0 });
    } finally {
      db.close();
    }
  }
  return found;
}
