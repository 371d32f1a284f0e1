/** A commit is a transaction of the file, which is flushed by itself. */
import { notStored } from '../sqlite/failures.js';
import { requireLock } from '../sqlite/lock.js';
import { begin, commit, prepareProbe, rollback } from '../sqlite/transaction.js';
import { rewriteWal } from '../sqlite/walRewriting.js';
import {
  beginCommit,
  executeAll,
  storedNumber,
  type Commit,
  type StoredNumber,
  type Transactions,
  type TransactionState,
  type TransactionsOptions,
} from './transactions.js';

export class FileTransactions<Write> implements Transactions<Write> {
  readonly #options: TransactionsOptions<Write>;
  readonly #stored: StoredNumber;
  readonly #touch: () => void;
  #number: number;
  #state: TransactionState = 'idle';
  /** A flush outside a commit failed: the file may lack on disk what the next flush would take for written. */
  #isSuspect = false;

  constructor(options: TransactionsOptions<Write>) {
    const { db, kind } = options;
    this.#options = options;
    this.#stored = storedNumber(db, kind);
    this.#touch = prepareProbe(db);
    this.#number = this.#stored.get();
  }

  get number(): number {
    return this.#number;
  }

  requireCurrent(): void {
    // The file has everything that was committed.
  }

  begin(): void {
    if (this.#state !== 'idle') throw new Error(`${this.#options.db.name}: a transaction is under way`);
    if (this.#isSuspect) this.writePlace();
    beginCommit(this.#options, this.#stored, this.#number);
    this.#state = 'batch';
  }

  commitTogether(settled: (error: unknown) => void): void {
    try {
      this.#commit();
    } catch (error) {
      return settled(notStored(error));
    }
    settled(null);
  }

  flush(): void {
    // Every commit is settled at once.
  }

  /** The lock of the file keeps every other writer away, so what was read is current. */
  confirm(settled: (error: unknown) => void): void {
    settled(null);
  }

  /** In one transaction. */
  applyAll(commits: Iterable<Commit<Write>>): void {
    const latest = this.#execute(commits);
    try {
      commit(this.#options.db);
    } catch (error) {
      this.rollback();
      throw notStored(error);
    }
    this.#state = 'idle';
    this.#number = latest;
  }

  /** The same without storing them: the transaction stays open, and closing the file ends it. */
  preview(commits: Iterable<Commit<Write>>): void {
    this.#execute(commits);
  }

  rollback(): void {
    if (this.#state === 'idle') return;
    this.#options.journal.take();
    this.#state = 'idle';
    rollback(this.#options.db);
  }

  writePlace(write: () => void = () => undefined): void {
    const { db, lock } = this.#options;
    if (this.#state !== 'idle') throw new Error(`${db.name}: a transaction is under way`);
    try {
      begin(db);
      requireLock(lock, db.name);
      if (this.#stored.get() !== this.#number) throw new Error(`${db.name} lacks commit ${this.#number}`);
      if (this.#isSuspect) rewriteWal(db.name);
      write();
      this.#touch();
      commit(db);
      this.#isSuspect = false;
    } catch (error) {
      rollback(db);
      this.#isSuspect = true;
      throw notStored(error);
    }
  }

  probe(): void {
    this.writePlace();
  }

  leave(): void {
    // Nothing else has a part of it.
  }

  #commit(): void {
    const { db, journal, sweep, onCommit } = this.#options;
    sweep();
    if (!db.inTransaction) throw new Error('SQLite has ended the transaction');
    if (journal.length === 0) return this.rollback();
    const made = { number: this.#number + 1, writes: journal.take() };
    commit(db);
    this.#state = 'idle';
    this.#number = made.number;
    onCommit(made);
  }

  /** Leaves the transaction open. */
  #execute(commits: Iterable<Commit<Write>>): number {
    this.begin();
    try {
      const latest = executeAll(this.#options, this.#number, commits);
      this.#stored.set(latest);
      return latest;
    } catch (error) {
      this.rollback();
      throw error;
    }
  }
}
