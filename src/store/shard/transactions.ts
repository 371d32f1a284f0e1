/** How the transactions of a shard's file become durable. */
import type { Database } from 'better-sqlite3';
import type { ShardCommit, ShardWrite } from '../../domain/ports/shardCommit.js';
import type { Lock } from '../sqlite/lock.js';
import type { ShardJournal } from './shardJournal.js';

export interface ShardTransactionsOptions {
  readonly db: Database;
  readonly lock: Lock;
  readonly journal: ShardJournal;
  /** Executes a write of a commit in the open transaction. */
  readonly execute: (write: ShardWrite) => void;
  /** Adds the cleanup of a commit to it. */
  readonly sweep: () => void;
  /** Gets every commit after it is stored, in order. It must not throw. */
  readonly onCommit: (commit: ShardCommit) => void;
  readonly onError: (error: unknown) => void;
}

export interface Transactions {
  /** The number of the latest commit. */
  readonly number: number;
  /** Before a read: throws `unavailable` if the file lacks commits and they cannot be applied. */
  requireCurrent(): void;
  /** Throws `unavailable` if the file cannot be written. */
  begin(): void;
  /** Stored when this returns; null if nothing was written. If it throws, nothing is, and `rollback` must follow. */
  commit(): ShardCommit | null;
  /**
   * The same, settled now or later: calls `settled` with null when it is stored, otherwise with the error, after which
   * `rollback` must follow. Until then nothing can be written.
   */
  commitTogether(settled: (error: unknown) => void): void;
  /** Calls `settled` with null when what was read is known to be current. */
  confirm(settled: (error: unknown) => void): void;
  /** Makes commits of another copy of this shard its own, in one transaction. Each must be the next one. */
  applyAll(commits: Iterable<ShardCommit>): void;
  /** The same without storing them: the transaction stays open. */
  preview(commits: Iterable<ShardCommit>): void;
  /** Ends the transaction without a trace of it. Harmless when it is over already. */
  rollback(): void;
  /** A transaction about the place of the file, which is no commit. */
  writePlace(write?: () => void): void;
  /** Writes a page without changing data. Throws if nothing can be stored. */
  probe(): void;
  /** The file is closed next. It has everything on disk, or its log has. */
  leave(isFlushed: boolean): void;
}
