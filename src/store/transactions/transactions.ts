/**
 * The commits of a partition's file: a port with three implementations. `FileTransactions`: a commit is a transaction of the file.
 * `LoggedTransactions`: a log of the thread has it first. `ReplicatedTransactions`: a log on several machines has it first.
 */
import type { Database } from 'better-sqlite3';
import type { FileKind } from '../folder/dataFolder.js';
import { notStored } from '../sqlite/failures.js';
import { requireLock, type Lock } from '../sqlite/lock.js';
import { begin, prepareWrite, rollback } from '../sqlite/transaction.js';

export interface Commit<Write> {
  /** From 1 and without gaps. */
  readonly number: number;
  /** In the order in which they are to be applied. */
  readonly writes: readonly Write[];
}

/** The writes of the open transaction, in their order. Only writes that changed the file are noted. */
export class Journal<Write> {
  #writes: Write[] = [];

  get length(): number {
    return this.#writes.length;
  }

  note(write: Write): void {
    this.#writes.push(write);
  }

  /** Forgets the writes from this place on: a part of the transaction was rolled back. */
  cut(length: number): void {
    this.#writes.length = length;
  }

  /** The writes from this place on. */
  from(index: number): readonly Write[] {
    return this.#writes.slice(index);
  }

  /** All so far. The next transaction begins without them. */
  take(): readonly Write[] {
    const writes = this.#writes;
    this.#writes = [];
    return writes;
  }
}

/** The types exclude it, but a newer program may have made the commit. Names the operation only: values may be secret. */
export function unknownWrite(write: never): never {
  throw new Error(`a commit has a write of an unknown kind: ${JSON.stringify((write as { op: string }).op)}`);
}

export interface TransactionsOptions<Write> {
  readonly db: Database;
  readonly kind: FileKind;
  readonly lock: Lock;
  readonly journal: Journal<Write>;
  /** Executes a write of a commit in the open transaction. */
  readonly execute: (write: Write) => void;
  /** Adds the cleanup of a commit to it. */
  readonly sweep: () => void;
  /** Gets every commit after it is stored, in order. It must not throw. */
  readonly onCommit: (commit: Commit<Write>) => void;
  readonly onError: (error: unknown) => void;
}

/** `batch`: between `begin` and its end. */
export type TransactionState = 'idle' | 'batch';

export interface Transactions<Write> {
  /** The number of the latest commit. */
  readonly number: number;
  /** Before a read: throws `unavailable` if the file lacks commits and they cannot be applied. */
  requireCurrent(): void;
  /** Throws `unavailable` if the file cannot be written. */
  begin(): void;
  /**
   * Calls `settled` now or later: with null when what was written is stored, or when nothing was and what was read is known
   * to be current; otherwise with the error, after which `rollback` must follow. Until then nothing can be written.
   */
  commitTogether(settled: (error: unknown) => void): void;
  /** Settles what waits for nothing but the disk. */
  flush(): void;
  /** Calls `settled` with null when what was read is known to be current. */
  confirm(settled: (error: unknown) => void): void;
  /** Makes commits of another copy of the file its own. Each must be the next one. */
  applyAll(commits: Iterable<Commit<Write>>): void;
  /** Ends the transaction without a trace of it. Harmless when it is over already. */
  rollback(): void;
  /** A transaction about the place of the file, which is no commit. */
  writePlace(write?: () => void): void;
  /** Writes a page without changing data. Throws if nothing can be stored. */
  probe(): void;
  /** The file is closed next. It has everything on disk, or its log has. */
  leave(isFlushed: boolean): void;
}

/** Where the file keeps the number of its latest commit. */
const NUMBERS: Readonly<Record<FileKind, { readonly table: string; readonly column: string }>> = {
  directory: { table: 'commit_number', column: 'number' },
  shard: { table: 'place', column: 'commits' },
};

export interface StoredNumber {
  get(): number;
  /** Within the open transaction. */
  set(number: number): void;
}

export function storedNumber(db: Database, kind: FileKind): StoredNumber {
  const { table, column } = NUMBERS[kind];
  const read = db.prepare<[], number>(`SELECT ${column} FROM ${table}`).pluck();
  const write = prepareWrite<[number]>(db, `UPDATE ${table} SET ${column} = ?`);
  return { get: () => read.get() ?? 0, set: (number) => void write(number) };
}

/** Begins the transaction of the next commit. Its first write shows whether it can be written at all. */
export function beginCommit<Write>({ db, lock }: TransactionsOptions<Write>, stored: StoredNumber, latest: number): void {
  try {
    begin(db);
    requireLock(lock, db.name);
    stored.set(latest + 1);
  } catch (error) {
    rollback(db);
    throw notStored(error);
  }
}

/** Executes commits that follow commit `latest` in the open transaction. Returns the number of the last. */
export function executeAll<Write>({ execute, journal }: TransactionsOptions<Write>, latest: number, commits: Iterable<Commit<Write>>): number {
  let last = latest;
  for (const { number, writes } of commits) {
    if (number !== last + 1) throw new Error(`commit ${number} does not follow commit ${last}`);
    for (const write of writes) execute(write);
    last = number;
  }
  journal.take();
  return last;
}

/** Calls `commitTogether` and waits for nothing. For a file whose commits wait for no other machine. */
export function commitNow<Write>(transactions: Transactions<Write>): void {
  let outcome: { readonly error: unknown } | null = null;
  transactions.commitTogether((error) => (outcome = { error }));
  if (outcome === null) transactions.flush();
  const { error } = (outcome as { readonly error: unknown } | null) ?? { error: new Error('the commit is not settled at once') };
  if (error !== null) throw error;
}
