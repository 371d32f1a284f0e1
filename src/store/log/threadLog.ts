/**
 * The log of one store thread. The commits of all its shards that are settled together are written to it and flushed
 * once; the shards' own files follow without a flush. A record stays until its shard's file is flushed.
 */
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { AppError } from '../../domain/errors.js';
import type { ShardCommit } from '../../domain/ports/shardCommit.js';
import { lockOf } from '../folder/dataFolder.js';
import { writeMark } from '../folder/record/folderMark.js';
import { commitChecksum } from '../shard/checksum.js';
import { encodeCommit } from '../shard/commitCodec.js';
import { openDatabase } from '../sqlite/database.js';
import { notStored } from '../sqlite/failures.js';
import { acquireLock, requireLock, type Lock } from '../sqlite/lock.js';
import { prepareRead } from '../sqlite/read.js';
import { begin, commit, prepareProbe, prepareWrite, rollback } from '../sqlite/transaction.js';
import { FlushSchedule, type LoggedFile } from './flushSchedule.js';
import { flushNames, newLogName, removeLog } from './logFiles.js';
import { commitIn, recordsAfter } from './logRecords.js';

export interface ThreadLogOptions {
  readonly dataDir: string;
  /** The id of the data folder, if it has one. */
  readonly folder?: string | undefined;
  /** Distinguishes the logs of one process. */
  readonly thread: number;
  readonly onError: (error: unknown) => void;
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
}

/** A commit of a shard that is to be put on disk. */
export interface LogEntry {
  readonly shard: number;
  readonly history: string;
  readonly commit: ShardCommit;
  /** Written to the shard's own file alone if that is possible: a flush less does not pay for writing it twice. */
  readonly isLarge: boolean;
  /** Commits the shard's own file with a flush instead; null if that is not possible now. */
  readonly commitFile: (() => void) | null;
  /** Called once: with null when the commit is on disk, otherwise nothing of it is. */
  readonly settled: (error: unknown) => void;
}

interface Encoded {
  readonly entry: LogEntry;
  readonly body: Uint8Array;
}

/** A file flushes its own commits after this many in a row that no other shard shared. */
const ALONE_BEFORE_DIRECT = 8;
const RETRY_PRUNE_MS = 3_000;

export function openThreadLog(options: ThreadLogOptions): ThreadLog {
  const name = newLogName(options.thread);
  const file = join(options.dataDir, name);
  // Before the file exists: a log without a holder of its lock may be removed by another process.
  const lock = acquireLock(lockOf(file));
  if (lock === 'held') throw new AppError('unavailable', `${file} is in use by another process`);
  try {
    const db = openDatabase(file, { durability: 'full', migrations: 'log' });
    if (options.folder !== undefined) writeMark(db, 'log', options.folder);
    // A file whose name is lost in a power cut is lost with all its flushed content.
    flushNames(options.dataDir);
    return new ThreadLog(db, lock, name, options);
  } catch (error) {
    removeLog(options.dataDir, name);
    lock.release();
    throw error;
  }
}

export class ThreadLog {
  readonly name: string;
  readonly #db: Database;
  readonly #lock: Lock;
  readonly #options: ThreadLogOptions;
  readonly #now: () => number;
  readonly #schedule: FlushSchedule;
  readonly #insert;
  readonly #remove;
  readonly #isEmpty;
  readonly #touch;
  /** After a failure; 0 if the last attempt worked. */
  #pruneAfter = 0;
  #waiting: LogEntry[] = [];
  /** Each is flushed in a turn of its own. */
  #large: LogEntry[] = [];
  #isLargeDue = false;
  /** Commits in a row that were alone in their flush. */
  #alone = ALONE_BEFORE_DIRECT;
  /** By shard: the number up to which its records are no longer needed. */
  readonly #prunable = new Map<number, number>();

  constructor(db: Database, lock: Lock, name: string, options: ThreadLogOptions) {
    this.name = name;
    this.#db = db;
    this.#lock = lock;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#insert = prepareWrite<[number, number, string, Uint8Array, number]>(
      db,
      'INSERT INTO record (shard, number, history, body, checksum) VALUES (?, ?, ?, ?, ?)',
    );
    this.#remove = prepareWrite<[number, number]>(db, 'DELETE FROM record WHERE shard = ? AND number <= ?');
    this.#touch = prepareProbe(db);
    this.#isEmpty = prepareRead(() => db.prepare<[]>('SELECT 1 FROM record LIMIT 1'));
    this.#schedule = new FlushSchedule({
      flushed: (shard, number) => this.#prunable.set(shard, number),
      prune: () => this.#tryPrune(),
      now: this.#now,
    });
  }

  /** From now on the file of this shard follows the log. It has everything up to this number on disk. */
  attach(shard: number, number: number, file: LoggedFile): void {
    this.#prunable.set(shard, number);
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

  /**
   * Whether flushes are shared by several shards lately. A commit that is alone costs one flush with or without the log,
   * and without it is written once.
   */
  get isShared(): boolean {
    return this.#alone < ALONE_BEFORE_DIRECT;
  }

  /** Monotonic, in milliseconds. */
  get now(): number {
    return this.#now();
  }

  /** Whether the commits of a file wait in one transaction, see `FlushSchedule`. */
  get isGathering(): boolean {
    return this.#schedule.isGathering;
  }

  /** Bytes of commits that the shards' files may not have on disk. */
  get bytes(): number {
    return this.#schedule.bytes;
  }

  /** Throws if the file of this shard cannot be flushed and has too many commits in the log already. */
  requireRoom(shard: number): void {
    if (this.#schedule.isFull(shard)) throw notStored(new Error(`${this.name} has too many commits that shard ${shard} lacks`));
  }

  /** Takes a commit for the next flush. One at a time for each shard. */
  append(entry: LogEntry): void {
    this.#waiting.push(entry);
  }

  /**
   * Puts everything that waits on disk, except for large commits. Each of those is flushed in a turn of its own, so that
   * answers about small ones need not wait for them.
   */
  endTurn(later: (step: () => void) => void): void {
    this.#flushSmall();
    if (this.#large.length === 0 || this.#isLargeDue) return;
    this.#isLargeDue = true;
    later(() => {
      this.#isLargeDue = false;
      this.#flushLarge();
    });
  }

  /** Puts everything that waits on disk, until nothing waits. */
  flush(): void {
    do {
      this.#flushSmall();
      this.#flushLarge();
    } while (this.#waiting.length + this.#large.length > 0);
  }

  /** The commits of a shard after this number. */
  *commitsAfter(shard: number, number: number): Generator<ShardCommit> {
    for (const record of recordsAfter(this.#db, shard, number)) yield commitIn(record);
  }

  /** Writes without changing data. Throws if nothing can be stored. */
  probe(): void {
    try {
      this.#transaction(this.#touch);
    } catch (error) {
      throw notStored(error);
    }
  }

  /** All shards are closed. A log without records is removed. */
  close(): void {
    this.#schedule.stop();
    this.#pruneAfter = 0;
    this.#tryPrune();
    const isEmpty = this.#isEmpty.get() === undefined && this.#lock.isHeld();
    this.#db.close();
    if (isEmpty) removeLog(this.#options.dataDir, this.name);
    this.#lock.release();
  }

  #flushSmall(): void {
    while (this.#waiting.length > 0) {
      const entries = this.#waiting;
      this.#waiting = [];
      this.#alone = entries.length === 1 ? this.#alone + 1 : 0;
      this.#large.push(...entries.filter(({ isLarge }) => isLarge));
      const small = entries.filter(({ isLarge }) => !isLarge);
      if (entries.length === 1) this.#storeAlone(small);
      else this.#store(small);
    }
  }

  #flushLarge(): void {
    this.#storeAlone(this.#large.splice(0, 1));
  }

  #storeAlone([entry]: readonly LogEntry[]): void {
    if (entry === undefined) return;
    if (entry.commitFile === null) this.#store([entry]);
    else this.#commitFile(entry, entry.commitFile);
  }

  #commitFile(entry: LogEntry, commitFile: () => void): void {
    try {
      commitFile();
    } catch (error) {
      return this.#settle(entry, error);
    }
    // The flush covers every earlier commit of the file.
    if (this.#schedule.noteFlushed(entry.shard)) this.#prunable.set(entry.shard, entry.commit.number);
    this.#settle(entry, null);
  }

  #store(entries: readonly LogEntry[]): void {
    if (entries.length === 0) return;
    const encoded = entries.flatMap((entry) => this.#encode(entry));
    const failure = this.#insertAll(encoded);
    for (const { entry } of encoded) this.#settle(entry, failure);
    if (failure === null) this.#schedule.noteLogged(encoded.map(({ entry, body }) => ({ shard: entry.shard, bytes: body.length })));
  }

  /** A commit that cannot be encoded is a fault of ours, and fails alone. */
  #encode(entry: LogEntry): Encoded[] {
    try {
      return [{ entry, body: encodeCommit(entry.commit) }];
    } catch (error) {
      this.#settle(entry, error);
      return [];
    }
  }

  #insertAll(encoded: readonly Encoded[]): unknown {
    try {
      this.#transaction(() => {
        this.#removePrunable();
        for (const {
          entry: {
            shard,
            history,
            commit: { number },
          },
          body,
        } of encoded) {
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
  #settle({ settled }: LogEntry, failure: unknown): void {
    try {
      settled(failure);
    } catch (error) {
      this.#options.onError(error);
    }
  }

  /** The records stay until it works. The failure is reported once, not with every attempt. */
  #tryPrune(): void {
    if (this.#prunable.size === 0 || this.#now() < this.#pruneAfter) return;
    try {
      this.#transaction(() => this.#removePrunable());
      this.#prunable.clear();
      this.#pruneAfter = 0;
    } catch (error) {
      if (this.#pruneAfter === 0) this.#options.onError(new Error(`${this.name} could not be pruned`, { cause: error }));
      this.#pruneAfter = this.#now() + RETRY_PRUNE_MS;
    }
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
