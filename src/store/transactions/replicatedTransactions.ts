/**
 * The file is a copy of a replicated log. An owner's transaction stays open until the log has its commit. Copies apply the
 * commits of others. The file is not flushed: the log has everything.
 */
import { Deposed } from '../../domain/errors.js';
import type { LogIdentity, LogPosition, OwnedLog } from '../../domain/ports/partitionLog.js';
import { notStored } from '../sqlite/failures.js';
import { prepareLogPosition } from '../sqlite/logPosition.js';
import { commit, prepareProbe, rollback } from '../sqlite/transaction.js';
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

/** Commits as the contents of records. */
export interface CommitCodec<Write> {
  encode(commit: Commit<Write>): Uint8Array;
  decode(content: Uint8Array): Commit<Write>;
}

/** `appending`: the answer of the log is awaited. `broken`: the file lacks a commit that the log has. */
type State = TransactionState | 'appending' | 'broken';

export class ReplicatedTransactions<Write> implements Transactions<Write> {
  readonly #options: TransactionsOptions<Write>;
  readonly #codec: CommitCodec<Write>;
  readonly #stored: StoredNumber;
  readonly #setPosition;
  readonly #touch;
  #log: OwnedLog | null = null;
  #state: State = 'idle';
  #number: number;

  constructor(options: TransactionsOptions<Write>, identity: LogIdentity, codec: CommitCodec<Write>) {
    const { db, kind } = options;
    this.#options = options;
    this.#codec = codec;
    this.#stored = storedNumber(db, kind);
    this.#setPosition = prepareLogPosition(db, identity);
    this.#touch = prepareProbe(db);
    this.#number = this.#stored.get();
  }

  get number(): number {
    return this.#number;
  }

  /** The commits of this process go there. */
  follow(log: OwnedLog): void {
    this.#log = log;
  }

  /** The open transaction has everything that was committed. */
  requireCurrent(): void {
    // Nothing to do: unlike a file behind a log of the thread, it is never behind.
  }

  begin(): void {
    if (this.#state === 'broken') throw notStored(new Error(`${this.#options.db.name} lacks a commit of its log`));
    if (this.#state !== 'idle') throw new Error(`${this.#options.db.name}: a transaction is under way`);
    beginCommit(this.#options, this.#stored, this.#number);
    this.#state = 'batch';
  }

  commitTogether(settled: (error: unknown) => void): void {
    let made: Commit<Write> | null;
    let content: Uint8Array;
    try {
      made = this.#prepare();
      if (made === null) return this.confirm(settled);
      content = this.#codec.encode(made);
    } catch (error) {
      return settled(error);
    }
    this.#state = 'appending';
    this.#owned().append(content, (error) => {
      if (error !== null) {
        this.#state = 'batch';
        return settled(error);
      }
      const failure = this.#store(made);
      settled(null);
      if (failure !== null) this.#owned().halt(failure);
    });
  }

  flush(): void {
    // A commit waits for other machines.
  }

  /** What was read of a file that lacks a commit is not current, whatever the log says. */
  confirm(settled: (error: unknown) => void): void {
    if (this.#state === 'broken') settled(new Deposed('no'));
    else this.#owned().confirm(settled);
  }

  /** Commits of another instance, as they are in the log. Each must be the next one. */
  applyRecords(contents: readonly Uint8Array[], position: LogPosition): void {
    this.#apply(
      contents.map((content) => this.#codec.decode(content)),
      () => this.#setPosition(position),
    );
  }

  applyAll(commits: Iterable<Commit<Write>>): void {
    this.#apply(commits, () => undefined);
  }

  rollback(): void {
    if (this.#state !== 'batch') return;
    this.#options.journal.take();
    this.#state = 'idle';
    rollback(this.#options.db);
  }

  writePlace(write: () => void = () => undefined): void {
    if (this.#state !== 'idle') throw new Error(`${this.#options.db.name}: a transaction is under way`);
    beginCommit(this.#options, this.#stored, this.#number);
    try {
      this.#stored.set(this.#number);
      write();
      this.#touch();
      commit(this.#options.db);
    } catch (error) {
      rollback(this.#options.db);
      throw notStored(error);
    }
  }

  probe(): void {
    this.writePlace();
  }

  leave(): void {
    this.#log = null;
  }

  #owned(): OwnedLog {
    if (this.#log === null) throw new Error(`${this.#options.db.name} is written without its log`);
    return this.#log;
  }

  /** Gives the writes of the batch their number; null when there are none. */
  #prepare(): Commit<Write> | null {
    const { db, journal, sweep } = this.#options;
    try {
      sweep();
      if (!db.inTransaction) throw new Error('SQLite has ended the transaction');
      if (journal.length === 0) {
        this.#state = 'idle';
        rollback(db);
        return null;
      }
      return { number: this.#number + 1, writes: journal.take() };
    } catch (error) {
      throw notStored(error);
    }
  }

  /** The log has the commit, so it counts. Returns the error if the file does not have it: then it is used no more. */
  #store(made: Commit<Write>): Error | null {
    const { db, onCommit } = this.#options;
    this.#number = made.number;
    try {
      this.#setPosition(this.#owned().position);
      commit(db);
      this.#state = 'idle';
      onCommit(made);
      return null;
    } catch (error) {
      rollback(db);
      this.#state = 'broken';
      return notStored(error);
    }
  }

  #apply(commits: Iterable<Commit<Write>>, finish: () => void): void {
    const { db } = this.#options;
    this.begin();
    try {
      const latest = executeAll(this.#options, this.#number, commits);
      this.#stored.set(latest);
      finish();
      commit(db);
      this.#number = latest;
      this.#state = 'idle';
    } catch (error) {
      this.rollback();
      throw error;
    }
  }
}
