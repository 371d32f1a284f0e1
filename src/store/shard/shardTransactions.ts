/**
 * The transactions of a shard's file. Without a log each is committed and flushed by itself. With a log each is a
 * savepoint in a longer transaction: it counts when the log has it, and the longer one is committed later, unflushed.
 * If SQLite gives up the longer transaction, what the log has beyond the file is applied again. While no other shard
 * shares its flushes, the file is flushed itself and the log stays out of it.
 */
import type { Database } from 'better-sqlite3';
import type { ShardCommit, ShardWrite } from '../../domain/ports/shardCommit.js';
import type { ThreadLog } from '../log/threadLog.js';
import { NotStored } from '../../domain/errors.js';
import { keepInMemory, setCheckpoints, setDurability, type Checkpoints, type Durability } from '../sqlite/database.js';
import { notStored } from '../sqlite/failures.js';
import { requireLock } from '../sqlite/lock.js';
import { begin, commit, prepareProbe, prepareWrite, rollback } from '../sqlite/transaction.js';
import { rewriteWal } from '../sqlite/walRewriting.js';
import { historyOf } from './history.js';
import type { ShardTransactionsOptions, Transactions } from './transactions.js';

/** Content of this many bytes makes a commit large. */
const LARGE_BYTES = 128 * 1024;
/** After a failed commit of the longer transaction. */
const RETRY_SETTLE_MS = 1_000;

/** The log that the file follows, and the number of the shard in it. */
export interface LogPlace {
  readonly log: ThreadLog;
  readonly shard: number;
}

/** `batch`: between `begin` and its end, also after a refused append. `appending`: the answer of the log is awaited. */
type State = 'idle' | 'batch' | 'appending';

export class ShardTransactions implements Transactions {
  readonly #options: ShardTransactionsOptions;
  readonly #db: Database;
  readonly #setCommits;
  readonly #touch;
  #followed: LogPlace | null = null;
  #history = '';
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

  constructor(options: ShardTransactionsOptions) {
    const { db } = options;
    this.#options = options;
    this.#db = db;
    this.#setCommits = prepareWrite<[number]>(db, 'UPDATE place SET commits = ?');
    this.#touch = prepareProbe(db);
    this.#number = this.#storedNumber();
  }

  get number(): number {
    return this.#number;
  }

  /** From now on commits go to the log first. The file has everything up to now on disk. */
  follow(place: LogPlace): void {
    this.#followed = place;
    this.#history = historyOf(this.#db);
    keepInMemory(this.#db);
    place.log.attach(place.shard, this.#number, { settle: () => this.#settle(), flush: () => this.#tryFlush() });
  }

  requireCurrent(): void {
    this.#noticeLoss();
    if (!this.#isBehind) return;
    if (this.#state !== 'idle') throw notStored(new Error('SQLite has ended the transaction'));
    this.#beginCurrent();
  }

  begin(): void {
    if (this.#state !== 'idle') throw new Error(`${this.#db.name}: a transaction is under way`);
    this.#followed?.log.requireRoom(this.#followed.shard);
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
      if (this.#followed !== null) this.#db.exec('SAVEPOINT batch');
      this.#setCommits(this.#number + 1);
    } catch (error) {
      this.#giveUp();
      throw error;
    }
  }

  commit(): ShardCommit | null {
    const made = this.#prepare();
    if (made === null) return null;
    if (this.#followed === null) {
      this.#commitFile();
    } else {
      let failure: unknown = null;
      this.#append(this.#followed, made, (error) => (failure = error));
      this.#followed.log.flush();
      if (failure !== null) throw failure;
      return made;
    }
    this.#made(made);
    return made;
  }

  /** Together with other shards of the thread. */
  commitTogether(settled: (error: unknown) => void): void {
    let made: ShardCommit | null;
    try {
      made = this.#prepare();
      if (made !== null && this.#followed !== null) return this.#append(this.#followed, made, settled);
      if (made !== null) {
        this.#commitFile();
        this.#made(made);
      }
    } catch (error) {
      return settled(error);
    }
    settled(null);
  }

  /** The lock of the file keeps every other writer away, so what was read is current. */
  confirm(settled: (error: unknown) => void): void {
    settled(null);
  }

  applyAll(commits: Iterable<ShardCommit>): void {
    this.preview(commits);
    try {
      this.#commitFile();
    } catch (error) {
      this.rollback();
      throw error;
    }
    this.#state = 'idle';
    this.#number = this.#storedNumber();
  }

  preview(commits: Iterable<ShardCommit>): void {
    this.begin();
    try {
      let latest = this.#number;
      for (const { number, writes } of commits) {
        if (number !== latest + 1) throw new Error(`commit ${number} does not follow commit ${latest}`);
        this.#execute(number, writes);
        latest = number;
      }
    } catch (error) {
      this.rollback();
      throw error;
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
    if (this.#followed !== null) {
      this.requireCurrent();
      this.#commitOpen();
      this.#setDurability('full');
    }
    try {
      begin(this.#db);
      requireLock(this.#options.lock, this.#db.name);
      if (this.#storedNumber() !== this.#number) throw new Error(`${this.#db.name} lacks commit ${this.#number}`);
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
    this.#followed?.log.probe();
    this.writePlace();
  }

  leave(isFlushed: boolean): void {
    if (this.#followed === null) return;
    const { log, shard } = this.#followed;
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
        this.#state = 'idle';
        if (this.#uncommitted === 0) rollback(this.#db);
        else this.#db.exec('ROLLBACK TO batch; RELEASE batch');
        return null;
      }
      return { number: this.#number + 1, writes: journal.take() };
    } catch (error) {
      throw notStored(error);
    }
  }

  #commitFile(): void {
    try {
      commit(this.#db);
    } catch (error) {
      throw notStored(error);
    }
  }

  #append({ log, shard }: LogPlace, made: ShardCommit, settled: (error: unknown) => void): void {
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
        if (this.#state === 'appending') this.#release();
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

  #release(): void {
    this.#uncommitted += 1;
    try {
      this.#db.exec('RELEASE batch');
    } catch (error) {
      this.#giveUp();
      this.#options.onError(notStored(error));
    }
  }

  /** Opens a transaction in which the file has everything that was committed. */
  #beginCurrent(): void {
    try {
      this.#beginFile();
      requireLock(this.#options.lock, this.#db.name);
      if (this.#isBehind) this.#catchUp();
    } catch (error) {
      // With everything in it, it can be committed: the next owner waits for it.
      if (error instanceof NotStored && !this.#isBehind) this.#settle();
      else this.#giveUp();
      throw error instanceof NotStored ? error : notStored(error);
    }
  }

  /** Flushes that no other shard shares, and those of large commits, are made by the file itself. */
  #beginFile(): void {
    if (this.#db.inTransaction) return;
    if (this.#followed !== null) this.#setDurability(this.#followed.log.isShared && !this.#isLarge ? 'normal' : 'full');
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
    const now = this.#followed?.log.now ?? 0;
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
    if (this.#followed === null) return;
    const { log, shard } = this.#followed;
    let number = this.#storedNumber();
    // Counted first: if it fails half way, the file is still behind.
    this.#uncommitted = this.#number - number;
    for (const { number: next, writes } of log.commitsAfter(shard, number)) {
      if (next !== number + 1) throw new Error(`${log.name} lacks commit ${number + 1} of shard ${shard}`);
      this.#execute(next, writes);
      number = next;
    }
    if (number !== this.#number) throw new Error(`${log.name} lacks commit ${this.#number} of shard ${shard}`);
    this.#isBehind = false;
  }

  #execute(number: number, writes: readonly ShardWrite[]): void {
    for (const write of writes) this.#options.execute(write);
    this.#setCommits(number);
    this.#options.journal.take();
  }

  #storedNumber(): number {
    return this.#db.prepare<[], number>('SELECT commits FROM place').pluck().get() ?? 0;
  }
}

function contentBytes({ writes }: ShardCommit): number {
  let sum = 0;
  for (const write of writes) if (write.op === 'upload.append') sum += write.bytes.length;
  return sum;
}
