/** The file of a partition that follows a replicated log: one of several equal copies, which its owner writes. */
import type { Database } from 'better-sqlite3';
import { InUse } from '../../domain/errors.js';
import type { CopyFile, LogIdentity, LogPosition, OwnedLog } from '../../domain/ports/partitionLog.js';
import { lockOf, type FileKind } from '../folder/dataFolder.js';
import { requireMark } from '../folder/record/folderMark.js';
import { openDatabase } from '../sqlite/database.js';
import { acquireLock, type Lock } from '../sqlite/lock.js';
import { requireFollowed } from '../sqlite/logPosition.js';
import { ReplicatedTransactions, type CommitCodec } from './replicatedTransactions.js';
import type { Transactions, TransactionsOptions } from './transactions.js';

export interface PartitionCopyOptions<Write, Store> {
  /** Its path. */
  readonly file: string;
  readonly kind: FileKind;
  /** For an error message. */
  readonly name: string;
  /** The id of the folder, which the file must carry. */
  readonly folder: string;
  readonly identity: LogIdentity;
  readonly codec: CommitCodec<Write>;
  /** Throws if the file is not the one of this partition. */
  readonly claim?: (db: Database) => void;
  /** Its file stays open when the store is closed. */
  readonly openStore: (db: Database, lock: Lock, transactions: (parts: TransactionsOptions<Write>) => Transactions<Write>) => Store;
}

export class PartitionCopy<Write, Store> implements CopyFile {
  /** For the owner. Closing it leaves the copy open. */
  readonly store: Store;
  readonly #db: Database;
  readonly #lock: Lock;
  readonly #options: PartitionCopyOptions<Write, Store>;
  readonly #transactions: ReplicatedTransactions<Write>;

  /** Throws if the file belongs to another cluster, or has data of its own. */
  static open<Write, Store>(options: PartitionCopyOptions<Write, Store>): PartitionCopy<Write, Store> {
    const { file, kind, name, folder, claim } = options;
    const lock = acquireLock(lockOf(file));
    if (lock === 'held') throw new InUse(`${name} is in use by another process`);
    try {
      // Not flushed: after a power cut the file is older, and the log brings it forward.
      const db = openDatabase(file, { durability: 'normal', migrations: kind, mustExist: true });
      try {
        claim?.(db);
        requireMark(db, kind, folder);
        return new PartitionCopy(db, lock, options);
      } catch (error) {
        db.close();
        throw error;
      }
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  private constructor(db: Database, lock: Lock, options: PartitionCopyOptions<Write, Store>) {
    const { identity, codec } = options;
    this.#db = db;
    this.#lock = lock;
    this.#options = options;
    let transactions: ReplicatedTransactions<Write> | null = null;
    this.store = options.openStore(db, lock, (parts) => (transactions = new ReplicatedTransactions(parts, identity, codec)));
    if (transactions === null) throw new Error('a store without transactions');
    this.#transactions = transactions;
    requireFollowed(db, identity, options.kind);
  }

  get position(): LogPosition {
    const { identity, kind } = this.#options;
    return requireFollowed(this.#db, identity, kind);
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
