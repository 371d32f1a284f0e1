/** The logs of a folder for a reader that must not change it. */
import type { Database } from 'better-sqlite3';
import { AppError } from '../../domain/errors.js';
import { historyOf } from '../shard/history.js';
import { Shard } from '../shard/shard.js';
import { NO_LOCK } from '../sqlite/lock.js';
import { FileTransactions } from '../transactions/fileTransactions.js';
import type { ShardWrite } from '../../domain/ports/shardCommit.js';
import { listLogs } from './logFiles.js';
import { commitIn } from './logRecords.js';
import { missingRecords } from './recovery.js';

export class FolderLogs {
  readonly #folder: string;
  readonly #id: string | null;
  readonly #names: readonly string[];

  /** `id`: of the folder, which a log must carry; null to take any. */
  constructor(folder: string, id: string | null) {
    this.#folder = folder;
    this.#id = id;
    this.#names = listLogs(folder);
  }

  /**
   * Shows the shard's file as its next owner will find it, in a transaction that ends when the file is closed. Returns
   * what is wrong with the logs.
   */
  preview(db: Database, shard: number): string[] {
    let file: FileTransactions<ShardWrite> | null = null;
    const { number } = new Shard(db, NO_LOCK, { transactions: (parts) => (file = new FileTransactions(parts)) });
    try {
      const records = missingRecords(this.#folder, this.#names, this.#id, shard, { number, history: historyOf(db) });
      if (records.length > 0) (file as FileTransactions<ShardWrite> | null)?.preview(records.map(commitIn));
      return [];
    } catch (error) {
      if (error instanceof AppError) return [error.detail];
      throw error;
    }
  }
}
