/** Opens the file of a shard: takes its lock, migrates it, and applies what the logs of the folder have for it. */
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { AppError, InUse } from '../../domain/errors.js';
import { AcknowledgedCommits } from '../folder/record/acknowledgedCommits.js';
import { lockOf, shardFile } from '../folder/dataFolder.js';
import { requireMark } from '../folder/record/folderMark.js';
import { listLogs } from '../log/logFiles.js';
import { applyLogs, dropFlushed } from '../log/recovery.js';
import type { ThreadLog } from '../log/threadLog.js';
import { openDatabase, setDurability, type Durability } from '../sqlite/database.js';
import { acquireLock } from '../sqlite/lock.js';
import { requireNoLog } from '../sqlite/logPosition.js';
import { begin, rollback } from '../sqlite/transaction.js';
import { rewriteWal } from '../sqlite/walRewriting.js';
import { Shard, type ShardHooks } from './shard.js';
import { LoggedTransactions } from '../transactions/loggedTransactions.js';

export interface ShardOptions extends ShardHooks {
  readonly dataDir: string;
  /** From 0. */
  readonly shard: number;
  /** The number of shards: fixed when the file is first opened. */
  readonly shards: number;
  readonly durability: Durability;
  /** The id of the folder, which the file must carry. Without it, a missing file is created. */
  readonly folder?: string;
  /**
   * Uploads that began with an earlier owner of the file continue: their senders may be connected to another process.
   */
  readonly keepsUploads?: boolean;
  /** Commits go there first, and the file follows. Without it the file itself is flushed with every commit. */
  readonly log?: ThreadLog | null;
}

export function openShard(options: ShardOptions): Shard {
  const { dataDir, shard, shards, durability, folder, keepsUploads = false } = options;
  const file = join(dataDir, shardFile(shard));
  const lock = acquireLock(lockOf(file));
  if (lock === 'held') {
    throw new InUse(`shard ${shard} of the data folder ${dataDir} is in use by another process`);
  }
  let acknowledged: AcknowledgedCommits | null = null;
  try {
    // Flushed, independent of the settings, until everything that a log has for the file is in it.
    const db = openDatabase(file, { durability: 'full', migrations: 'shard', mustExist: folder !== undefined });
    try {
      claimPlace(db, shard, shards);
      if (folder !== undefined) requireMark(db, 'shard', folder);
      requireNoLog(db);
      if (folder !== undefined) acknowledged = openAcknowledged(options, folder);
      const opened = new Shard(db, lock, { ...options, acknowledged });
      const recovery = { dataDir, folder: folder ?? null, shard };
      // A process that ended without closing the file may have met a failed flush of it.
      if (listLogs(dataDir).length > 0) rewriteUnderLock(db);
      applyLogs(opened, recovery);
      acknowledged?.require(opened.number);
      opened.beginRun(durability);
      dropFlushed(recovery, opened.number);
      setDurability(db, durability);
      const { log } = options;
      if (log) opened.follow((parts) => new LoggedTransactions(parts, { log, shard }));
      if (!keepsUploads) opened.transaction(() => opened.content.dropAllUploads());
      return opened;
    } catch (error) {
      acknowledged?.close();
      db.close();
      throw error;
    }
  } catch (error) {
    lock.release();
    throw error;
  }
}

function openAcknowledged({ dataDir, shard, durability, onError }: ShardOptions, folder: string): AcknowledgedCommits {
  return new AcknowledgedCommits({ dataDir, folder, name: shardFile(shard), durability, onError: onError ?? (() => undefined) });
}

/** Inside a transaction, so that no other process changes the write-ahead log. */
function rewriteUnderLock(db: Database): void {
  begin(db);
  try {
    rewriteWal(db.name);
  } finally {
    rollback(db);
  }
}

/** With another number of shards most boards would be looked for in the wrong file. */
export function claimPlace(db: Database, shard: number, shards: number): void {
  db.prepare('INSERT INTO place (id, shard, shards) VALUES (1, ?, ?) ON CONFLICT DO NOTHING').run(shard, shards);
  const place = db.prepare<[], { shard: number; shards: number }>('SELECT shard, shards FROM place').get();
  if (place?.shards !== shards) {
    throw new AppError(
      'unavailable',
      `${db.name} belongs to a data folder of ${place?.shards} shards. ` +
        `That number cannot change any more: set SHARDS=${place?.shards} instead of ${shards}.`,
    );
  }
  if (place.shard !== shard) {
    throw new AppError('unavailable', `${db.name} is shard ${place.shard}, not shard ${shard}: was it renamed?`);
  }
}
