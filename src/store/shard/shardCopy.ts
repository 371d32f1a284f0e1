/** A shard's file that follows a replicated log: one of several equal copies, which its owner writes. */
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import type { CopyFile, LogIdentity, LogPosition, OwnedLog } from '../../domain/ports/partitionLog.js';
import { InUse } from '../../domain/errors.js';
import { lockOf, shardFile } from '../folder/dataFolder.js';
import { requireMark } from '../folder/record/folderMark.js';
import { openDatabase } from '../sqlite/database.js';
import { acquireLock, type Lock } from '../sqlite/lock.js';
import { requireFollowed } from '../sqlite/logPosition.js';
import { claimPlace } from './openShard.js';
import { ReplicatedTransactions } from './replicatedTransactions.js';
import { Shard } from './shard.js';

export interface ShardCopyOptions {
  readonly dataDir: string;
  readonly shard: number;
  readonly shards: number;
  /** The id of the folder, which the file must carry. */
  readonly folder: string;
  readonly identity: LogIdentity;
  readonly onError: (error: unknown) => void;
}

export class ShardCopy implements CopyFile {
  /** For the owner. Closing it leaves the copy open. */
  readonly store: Shard;
  readonly #db: Database;
  readonly #lock: Lock;
  readonly #identity: LogIdentity;
  readonly #transactions: ReplicatedTransactions;

  /** Throws if the file belongs to another cluster, or has data of its own. */
  static open(options: ShardCopyOptions): ShardCopy {
    const { dataDir, shard, shards, folder } = options;
    const file = join(dataDir, shardFile(shard));
    const lock = acquireLock(lockOf(file));
    if (lock === 'held') throw new InUse(`shard ${shard} of the data folder ${dataDir} is in use by another process`);
    try {
      // Not flushed: after a power cut the file is older, and the log brings it forward.
      const db = openDatabase(file, { durability: 'normal', migrations: 'shard', mustExist: true });
      try {
        claimPlace(db, shard, shards);
        requireMark(db, 'shard', folder);
        return new ShardCopy(db, lock, options);
      } catch (error) {
        db.close();
        throw error;
      }
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  private constructor(db: Database, lock: Lock, { identity, onError }: ShardCopyOptions) {
    this.#db = db;
    this.#lock = lock;
    let transactions: ReplicatedTransactions | null = null;
    this.store = new Shard(db, lock, {
      onError,
      isLent: true,
      transactions: (parts) => (transactions = new ReplicatedTransactions(parts, identity)),
    });
    if (transactions === null) throw new Error('a shard without transactions');
    this.#transactions = transactions;
    this.#identity = identity;
    requireFollowed(db, identity, 'shard');
  }

  get position(): LogPosition {
    return requireFollowed(this.#db, this.#identity, 'shard');
  }

  apply(contents: readonly Uint8Array[], position: LogPosition): void {
    this.#transactions.applyRecords(contents, position);
  }

  /** The commits of this process go there. */
  follow(log: OwnedLog): void {
    this.#transactions.follow(log);
  }

  close(): void {
    this.#db.close();
    this.#lock.release();
  }
}
