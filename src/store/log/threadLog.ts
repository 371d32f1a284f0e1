/**
 * The log of one store thread. The commits of all its shards that are settled together are written to it and flushed
 * once; the shards' own files follow without a flush. A record stays until its shard's file is flushed.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { AppError } from '../../domain/errors.js';
import type { ShardCommit } from '../../domain/ports/shardCommit.js';
import { lockOf } from '../folder/dataFolder.js';
import { writeMark } from '../folder/folderMark.js';
import { commitChecksum } from '../shard/checksum.js';
import { encodeCommit } from '../shard/commitCodec.js';
import { openDatabase } from '../sqlite/database.js';
import { notStored } from '../sqlite/failures.js';
import { acquireLock, requireLock, type Lock } from '../sqlite/lock.js';
import { begin, commit, prepareWrite, rollback } from '../sqlite/transaction.js';
import { FlushSchedule, type LoggedFile } from './flushSchedule.js';
import { newLogName, removeLog } from './logFiles.js';
import { commitIn, recordsAfter } from './logRecords.js';

export interface ThreadLogOptions {
  readonly dataDir: string;
  /** The id of the data folder, if it has one. */
  readonly folder?: string | undefined;
  /** Tells the logs of one process apart. */
  readonly thread: number;
  readonly onError: (error: unknown) => void;
}

interface Append {
  readonly shard: number;
  readonly number: number;
  readonly history: string;
  readonly body: Uint8Array;
  /** Called once: with null when the commit is on disk, otherwise nothing of it is. */
  readonly settled: (error: unknown) => void;
}

export function openThreadLog(options: ThreadLogOptions): ThreadLog {
  const name = newLogName(options.thread);
  const file = join(options.dataDir, name);
  // Before the file exists: a log without a holder of its lock may be removed by another process.
  const lock = acquireLock(lockOf(file));
  if (lock === 'held') throw new AppError('unavailable', `${file} is in use by another process`);
  try {
    const db = openDatabase(file, { durability: 'full', migrations: 'log' });
    if (options.folder !== undefined) writeMark(db, 'log', options.folder);
    return new ThreadLog(db, lock, name, options);
  } catch (error) {
    if (existsSync(file)) removeLog(options.dataDir, name);
    lock.release();
    throw error;
  }
}

export class ThreadLog {
  readonly name: string;
  readonly #db: Database;
  readonly #lock: Lock;
  readonly #options: ThreadLogOptions;
  readonly #schedule: FlushSchedule;
  readonly #insert;
  readonly #remove;
  readonly #isEmpty;
  #waiting: Append[] = [];
  /** By shard: the number up to which its records are no longer needed. */
  readonly #prunable = new Map<number, number>();

  constructor(db: Database, lock: Lock, name: string, options: ThreadLogOptions) {
    this.name = name;
    this.#db = db;
    this.#lock = lock;
    this.#options = options;
    this.#insert = prepareWrite<[number, number, string, Uint8Array, number]>(
      db,
      'INSERT INTO record (shard, number, history, body, checksum) VALUES (?, ?, ?, ?, ?)',
    );
    this.#remove = prepareWrite<[number, number]>(db, 'DELETE FROM record WHERE shard = ? AND number <= ?');
    this.#isEmpty = db.prepare<[]>('SELECT 1 FROM record LIMIT 1');
    this.#schedule = new FlushSchedule({
      flushed: (shard, number) => this.#prunable.set(shard, number),
      prune: () => this.#prune(),
      onError: options.onError,
    });
  }

  /** From now on the file of this shard follows the log. */
  attach(shard: number, file: LoggedFile): void {
    this.#schedule.add(shard, file);
  }

  /** The file of this shard is flushed up to this number, and follows the log no longer. */
  detach(shard: number, number: number): void {
    this.#schedule.remove(shard);
    this.#prunable.set(shard, number);
  }

  /** The file could not be flushed; the records are for its next owner. */
  abandon(shard: number): void {
    this.#schedule.remove(shard);
  }

  /** Takes a commit for the next flush. One at a time for each shard. */
  append(shard: number, history: string, made: ShardCommit, settled: (error: unknown) => void): void {
    this.#waiting.push({ shard, number: made.number, history, body: encodeCommit(made), settled });
  }

  /** Writes everything that waits in one transaction, until nothing waits. */
  flush(): void {
    while (this.#waiting.length > 0) {
      const appends = this.#waiting;
      this.#waiting = [];
      const failure = this.#store(appends);
      for (const append of appends) this.#settle(append, failure);
      if (failure === null) this.#schedule.noteFlush(appends.map(({ shard, body }) => ({ shard, bytes: body.length })));
    }
  }

  /** The commits of a shard after this number. */
  *commitsAfter(shard: number, number: number): Generator<ShardCommit> {
    for (const record of recordsAfter(this.#db, shard, number)) yield commitIn(record);
  }

  /** Writes without changing data. Throws if nothing can be stored. */
  probe(): void {
    try {
      this.#transaction(() => this.#db.exec('UPDATE folder_mark SET folder = folder; DELETE FROM record WHERE id = -1'));
    } catch (error) {
      throw notStored(error);
    }
  }

  /** All shards are closed. A log without records is removed. */
  close(): void {
    this.#schedule.stop();
    try {
      this.#prune();
    } catch (error) {
      this.#options.onError(error);
    }
    const isEmpty = this.#isEmpty.get() === undefined && this.#lock.isHeld();
    this.#db.close();
    if (isEmpty) removeLog(this.#options.dataDir, this.name);
    this.#lock.release();
  }

  #store(appends: readonly Append[]): unknown {
    try {
      this.#transaction(() => {
        this.#removePrunable();
        for (const { shard, number, history, body } of appends) {
          this.#insert(shard, number, history, body, commitChecksum(shard, number, body));
        }
      });
      this.#prunable.clear();
      return null;
    } catch (error) {
      return notStored(error);
    }
  }

  /** A fault in one shard must not leave the commits of others unsettled. */
  #settle({ settled }: Append, failure: unknown): void {
    try {
      settled(failure);
    } catch (error) {
      this.#options.onError(error);
    }
  }

  #prune(): void {
    if (this.#prunable.size === 0) return;
    this.#transaction(() => this.#removePrunable());
    this.#prunable.clear();
  }

  #removePrunable(): void {
    for (const [shard, number] of this.#prunable) this.#remove(shard, number);
  }

  #transaction(work: () => void): void {
    begin(this.#db);
    try {
      requireLock(this.#lock, this.#db.name);
      work();
      commit(this.#db);
    } catch (error) {
      rollback(this.#db);
      throw error;
    }
  }
}
