/**
 * The file of a shard follows a log that the shards of a thread share. A commit is a part of a longer transaction: it
 * counts when the log has it, and the longer one is committed later, unflushed. If a commit fails, or SQLite gives up the longer
 * transaction, what the log has beyond the file is applied again. So no savepoint is needed, for which SQLite would copy every page
 * that a commit changes. While no other shard shares its flushes, the file is flushed itself and the log stays out of it.
 */
import type { Database } from 'better-sqlite3';
import type { ShardCommit, ShardWrite } from '../../domain/ports/shardCommit.js';
import type { ThreadLog } from '../log/threadLog.js';
import { NotStored } from '../../domain/errors.js';
import { keepInMemory, setCheckpoints, setDurability, type Checkpoints, type Durability } from '../sqlite/database.js';
import { notStored } from '../sqlite/failures.js';
import { requireLock } from '../sqlite/lock.js';
import { begin, commit, prepareProbe, rollback } from '../sqlite/transaction.js';
import { rewriteWal } from '../sqlite/walRewriting.js';
import { historyOf } from '../shard/history.js';
import {
  commitNow,
  executeAll,
  storedNumber,
  type StoredNumber,
  type Transactions,
  type TransactionState,
  type TransactionsOptions,
} from './transactions.js';

/** Content of this many bytes makes a commit large. */
const LARGE_BYTES = 128 * 1024;
/** After a failed commit of the longer transaction. */
const RETRY_SETTLE_MS = 1_000;

/** The log that the file follows, and the number of the shard in it. */
export interface LogPlace {
  readonly log: ThreadLog;
  readonly shard: number;
}

/** It is a `batch` also after a refused append. `appending`: the answer of the log is awaited. */
type State = TransactionState | 'appending';

export class LoggedTransactions implements Transactions<ShardWrite> {
  readonly #options: TransactionsOptions<ShardWrite>;
  readonly #place: LogPlace;
  readonly #db: Database;
  readonly #stored: StoredNumber;
  readonly #touch;
  readonly #history: string;
  #state: State = 'idle';
  /** Of the latest commit, in the file or in the log. */
  #number: number;
  /** Whether the latest commit was large: then the next one probably is. */
  #isLarge = false;
  /** Commits in the open transaction that the log has. */
  #uncommitted = 0;
  /** Whether the file lacks commits that are in the log. */
  #isBehind = false;
  /**
   * A flush of the file failed. Its disk may have a commit that was refused, under a number that the log would give to
   * another; and it may lack commits that the next flush would take for written. Until the file is written and flushed
   * once more, nothing may be written to the log, and no record may leave it.
   */
  #isSuspect = false;
  /** When a commit of the open transaction is tried again after a failure. Until then it stays open. */
  #settleAt = 0;
  /** Of the open or the next transaction of the file. */
  #durability: Durability = 'full';
  #checkpoints: Checkpoints = 'usual';

  /** The file has everything up to now on disk. */
  constructor(options: TransactionsOptions<ShardWrite>, place: LogPlace) {
    const { db, kind } = options;
    this.#options = options;
    this.#place = place;
    this.#db = db;
    this.#stored = storedNumber(db, kind);
    this.#touch = prepareProbe(db);
    this.#number = this.#stored.get();
    this.#history = historyOf(db);
    keepInMemory(db);
    place.log.attach(place.shard, this.#number, { settle: () => this.#settle(), flush: () => this.#tryFlush() });
  }

  get number(): number {
    return this.#number;
  }

  requireCurrent(): void {
    this.#noticeLoss();
    if (!this.#isBehind) return;
    if (this.#state !== 'idle') throw notStored(new Error('SQLite has ended the transaction'));
    this.#beginCurrent();
  }

  begin(): void {
    if (this.#state !== 'idle') throw new Error(`${this.#db.name}: a transaction is under way`);
    this.#place.log.requireRoom(this.#place.shard);
    this.#noticeLoss();
    if (this.#isSuspect) this.writePlace();
    this.#beginCurrent();
    try {
      this.#beginBatch();
    } catch {
      // After a read of a damaged page SQLite refuses to write in the same transaction. In a new one it does not.
      this.#giveUp();
      this.#beginCurrent();
      this.#beginBatch();
    }
    this.#state = 'batch';
  }

  /** Its first write shows whether the transaction can be written at all. */
  #beginBatch(): void {
    try {
      this.#stored.set(this.#number + 1);
    } catch (error) {
      this.#giveUp();
      throw error;
    }
  }

  /** Together with other shards of the thread. */
  commitTogether(settled: (error: unknown) => void): void {
    let made: ShardCommit | null;
    try {
      made = this.#prepare();
    } catch (error) {
      return settled(error);
    }
    if (made === null) settled(null);
    else this.#append(made, settled);
  }

  flush(): void {
    this.#place.log.flush();
  }

  /** The lock of the file keeps every other writer away, so what was read is current. */
  confirm(settled: (error: unknown) => void): void {
    settled(null);
  }

  /** Each is a commit in the log too. */
  applyAll(commits: Iterable<ShardCommit>): void {
    for (const each of commits) {
      if (each.number !== this.#number + 1) throw new Error(`commit ${each.number} does not follow commit ${this.#number}`);
      this.begin();
      try {
        for (const write of each.writes) this.#options.execute(write);
        commitNow(this);
      } catch (error) {
        this.rollback();
        throw error;
      }
    }
  }

  /**
   * Ends the transaction without a trace of it. Harmless when it is over already. The longer transaction goes too: after
   * some failures SQLite would refuse every further write in it. The log has its commits.
   */
  rollback(): void {
    if (this.#state !== 'batch') return;
    this.#options.journal.take();
    this.#state = 'idle';
    this.#giveUp();
  }

  /** A transaction about the place of the file, which is no commit. Flushed. */
  writePlace(write: () => void = () => undefined): void {
    if (this.#state !== 'idle') throw new Error(`${this.#db.name}: a transaction is under way`);
    this.requireCurrent();
    this.#commitOpen();
    this.#setDurability('full');
    try {
      begin(this.#db);
      requireLock(this.#options.lock, this.#db.name);
      if (this.#stored.get() !== this.#number) throw new Error(`${this.#db.name} lacks commit ${this.#number}`);
      if (this.#isSuspect) rewriteWal(this.#db.name);
      write();
      this.#touch();
      commit(this.#db);
      this.#isSuspect = false;
    } catch (error) {
      rollback(this.#db);
      this.#isSuspect = true;
      throw notStored(error);
    }
  }

  probe(): void {
    this.#place.log.probe();
    this.writePlace();
  }

  leave(isFlushed: boolean): void {
    const { log, shard } = this.#place;
    if (isFlushed) log.detach(shard, this.#number);
    else log.abandon(shard);
  }

  /** Gives the writes of the batch their number; null when there are none. */
  #prepare(): ShardCommit | null {
    const { journal, sweep } = this.#options;
    try {
      sweep();
      if (!this.#db.inTransaction) throw new Error('SQLite has ended the transaction');
      if (journal.length === 0) {
        // What changes the file is in the journal: besides the number nothing has.
        if (this.#uncommitted === 0) rollback(this.#db);
        else this.#stored.set(this.#number);
        // Last: if that fails, the transaction with the number that no commit has is given up.
        this.#state = 'idle';
        return null;
      }
      return { number: this.#number + 1, writes: journal.take() };
    } catch (error) {
      throw notStored(error);
    }
  }

  #append(made: ShardCommit, settled: (error: unknown) => void): void {
    const { log, shard } = this.#place;
    this.#state = 'appending';
    const isLarge = contentBytes(made) >= LARGE_BYTES;
    log.append({
      shard,
      history: this.#history,
      commit: made,
      isLarge,
      commitFile: this.#durability === 'full' ? () => this.#commitDirectly() : null,
      settled: (error) => {
        if (error !== null) {
          this.#state = 'batch';
          return settled(error);
        }
        // It is on disk: a later failure of the file cannot undo the commit.
        this.#number = made.number;
        if (this.#state === 'appending') this.#uncommitted += 1;
        this.#isLarge = isLarge;
        this.#made(made);
        settled(null);
        if (isLarge || !log.isGathering) this.#settle();
      },
    });
  }

  /** Commits the batch, and with it the whole transaction, with a flush. */
  #commitDirectly(): void {
    try {
      commit(this.#db);
      this.#uncommitted = 0;
      this.#state = 'idle';
    } catch (error) {
      this.#isSuspect = true;
      throw notStored(error);
    }
  }

  /** Opens a transaction in which the file has everything that was committed. */
  #beginCurrent(): void {
    try {
      if (!this.#db.inTransaction) this.#beginFile();
      requireLock(this.#options.lock, this.#db.name);
      if (this.#isBehind) this.#catchUp();
    } catch (error) {
      // With everything in it, it can be committed: the next owner waits for it.
      if (error instanceof NotStored && !this.#isBehind) this.#settle();
      else this.#giveUp();
      throw error instanceof NotStored ? error : notStored(error);
    }
  }

  /** The file itself makes flushes that no other shard shares, and flushes of large commits. */
  #beginFile(): void {
    this.#setDurability(this.#place.log.isShared && !this.#isLarge ? 'normal' : 'full');
    begin(this.#db);
  }

  /** Outside a transaction. */
  #setDurability(durability: Durability): void {
    if (durability !== this.#durability) setDurability(this.#db, durability);
    this.#durability = durability;
    // A checkpoint flushes first. Within a commit without a flush of its own, SQLite would not report its failure.
    const checkpoints = durability === 'normal' ? 'never' : this.#isLarge ? 'often' : 'usual';
    if (checkpoints !== this.#checkpoints) setCheckpoints(this.#db, checkpoints);
    this.#checkpoints = checkpoints;
  }

  #made(made: ShardCommit): void {
    this.#state = 'idle';
    this.#number = made.number;
    this.#options.onCommit(made);
  }

  #tryFlush(): number | 'busy' | 'failed' {
    if (this.#state !== 'idle') return 'busy';
    try {
      this.writePlace();
      return this.#number;
    } catch (error) {
      this.#options.onError(error);
      return 'failed';
    }
  }

  /** Commits what the log has already. The disk may fail: the log still has it. */
  #settle(): void {
    this.#noticeLoss();
    const { now } = this.#place.log;
    if (this.#state !== 'idle' || !this.#db.inTransaction || now < this.#settleAt) return;
    try {
      this.#commitOpen();
    } catch (error) {
      // Applying everything again after each attempt would take the thread's time.
      this.#settleAt = now + RETRY_SETTLE_MS;
      this.#options.onError(error);
    }
  }

  #commitOpen(): void {
    if (!this.#db.inTransaction) return;
    try {
      commit(this.#db);
      this.#uncommitted = 0;
    } catch (error) {
      if (this.#durability === 'full') this.#isSuspect = true;
      this.#giveUp();
      throw notStored(error);
    }
  }

  /** After some failures, also of a read, SQLite ends the transaction by itself. */
  #noticeLoss(): void {
    if (this.#uncommitted > 0 && !this.#db.inTransaction) this.#giveUp();
  }

  /** Ends the open transaction. What the log has of it is applied again before the next use of the file. */
  #giveUp(): void {
    rollback(this.#db);
    if (this.#uncommitted > 0) this.#isBehind = true;
    this.#uncommitted = 0;
  }

  /** Inside a transaction. */
  #catchUp(): void {
    const { log, shard } = this.#place;
    const number = this.#stored.get();
    // Counted first: if it fails half way, the file is still behind.
    this.#uncommitted = this.#number - number;
    const latest = executeAll(this.#options, number, log.commitsAfter(shard, number));
    if (latest !== this.#number) throw new Error(`${log.name} lacks commit ${this.#number} of shard ${shard}`);
    this.#stored.set(latest);
    this.#isBehind = false;
  }
}

function contentBytes({ writes }: ShardCommit): number {
  let sum = 0;
  for (const write of writes) if (write.op === 'upload.append') sum += write.bytes.length;
  return sum;
}
