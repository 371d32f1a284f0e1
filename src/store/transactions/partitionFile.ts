/** The file of a partition: its lock, its journal, and the commits that change it. A shard and the directory add their tables. */
import type { Database } from 'better-sqlite3';
import type { FileKind } from '../folder/dataFolder.js';
import type { AcknowledgedCommits } from '../folder/record/acknowledgedCommits.js';
import type { Lock } from '../sqlite/lock.js';
import { FileTransactions } from './fileTransactions.js';
import { Journal, type Commit, type Transactions, type TransactionsOptions } from './transactions.js';

type MakeTransactions<Write> = (parts: TransactionsOptions<Write>) => Transactions<Write>;

export interface PartitionFileHooks<Write> {
  /** Gets every commit after it is on disk, in order. It must not throw. */
  readonly onCommit?: ((commit: Commit<Write>) => void) | undefined;
  /** Notes every commit when it is on disk. Closed with the file. */
  readonly acknowledged?: AcknowledgedCommits | null | undefined;
  /** Gets failures of the file that no caller waits for. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Without it each transaction is committed and flushed by itself. */
  readonly transactions?: MakeTransactions<Write> | undefined;
  /** The file belongs to a copy that outlives its use by an owner. */
  readonly isLent?: boolean;
}

export abstract class PartitionFile<Write> {
  protected readonly db: Database;
  protected readonly lock: Lock;
  protected readonly journal = new Journal<Write>();
  protected readonly onError: (error: unknown) => void;
  protected transactions: Transactions<Write>;
  readonly #hooks: PartitionFileHooks<Write>;
  readonly #parts: TransactionsOptions<Write>;

  constructor(kind: FileKind, db: Database, lock: Lock, hooks: PartitionFileHooks<Write>) {
    const { acknowledged, onCommit, onError = () => undefined, transactions } = hooks;
    this.db = db;
    this.lock = lock;
    this.onError = onError;
    this.#hooks = hooks;
    this.#parts = {
      db,
      kind,
      lock,
      journal: this.journal,
      execute: (write) => this.execute(write),
      sweep: () => this.sweep(),
      onCommit: (commit) => {
        acknowledged?.note(commit.number);
        onCommit?.(commit);
      },
      onError,
    };
    this.transactions = transactions?.(this.#parts) ?? new FileTransactions(this.#parts);
  }

  /** The number of the latest commit. */
  get number(): number {
    return this.transactions.number;
  }

  /** Commits are made in this way from now on. Outside a transaction. */
  follow(transactions: MakeTransactions<Write>): void {
    this.transactions = transactions(this.#parts);
  }

  /** Makes a commit of another copy of this file its own. It must be the next one. */
  apply(commit: Commit<Write>): void {
    this.applyAll([commit]);
  }

  applyAll(commits: Iterable<Commit<Write>>): void {
    this.transactions.applyAll(commits);
  }

  // The rest of the way to a commit is described by `Transactions`.
  begin(): void {
    this.transactions.begin();
  }

  commitTogether(settled: (error: unknown) => void): void {
    this.transactions.commitTogether(settled);
  }

  confirm(settled: (error: unknown) => void): void {
    this.transactions.confirm(settled);
  }

  rollback(): void {
    this.transactions.rollback();
  }

  probe(): void {
    this.transactions.probe();
  }

  close(): void {
    if (this.#hooks.isLent === true) return;
    this.endRun();
    this.#hooks.acknowledged?.close();
    this.db.close();
    this.lock.release();
  }

  /** Executes a write of a commit in the open transaction. */
  protected abstract execute(write: Write): void;

  /** Adds the cleanup of a commit to it. */
  protected sweep(): void {}

  /** The file is closed next. */
  protected endRun(): void {}
}
