/** The directory's file: users and their memberships. */
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import type { DirectoryCommand } from '../../domain/commands/directoryCommands.js';
import { AuditRetention } from '../../domain/directory/auditRetention.js';
import { decideDirectory, DIRECTORY_EFFECTS } from '../../domain/directory/decide.js';
import type { DirectoryAnswer } from '../../domain/directory/handler.js';
import { outboxHandlers } from '../../domain/directory/outbox.js';
import type { DirectoryCommit, DirectoryWrite } from '../../domain/directory/tables.js';
import { AppError, Deposed, INTERNAL_ERROR, InUse } from '../../domain/errors.js';
import { oneByOne } from '../../flow/oneByOne.js';
import type { Result } from '../../domain/result.js';
import { AcknowledgedCommits } from '../folder/record/acknowledgedCommits.js';
import { DIRECTORY_FILE, lockOf } from '../folder/dataFolder.js';
import { openDatabase, type Durability } from '../sqlite/database.js';
import { isStorageTrouble, nameTrouble, notStored } from '../sqlite/failures.js';
import { requireMark } from '../folder/record/folderMark.js';
import { acquireLock, requireLock, type Lock } from '../sqlite/lock.js';
import { requireNoLog } from '../sqlite/logPosition.js';
import { Journal } from '../sqlite/journal.js';
import { begin, commit } from '../sqlite/transaction.js';
import { FileTransactions } from '../transactions/fileTransactions.js';
import type { Transactions, TransactionsOptions } from '../transactions/transactions.js';
import { DirectoryTables } from './directoryTables.js';

export interface DirectoryOptions {
  readonly dataDir: string;
  readonly durability: Durability;
  /** The id of the folder, which the file must carry. Without it, a missing file is created. */
  readonly folder?: string;
  /** Called with the cause of every outcome that is `internal` or `unavailable`, for the log. */
  readonly onError: (error: unknown) => void;
  /** Gets every commit after it is on disk, in order. It must not throw. */
  readonly onCommit?: (commit: DirectoryCommit) => void;
}

export type DirectoryOutcome = Result<DirectoryAnswer<unknown>>;

/** What is known of a command without an outcome, because the directory has another owner: whether it has written. */
export type Unsettled = 'read' | 'written';

/** One for each command. With `deposed`, those that were not settled before have no outcome. */
type Ran = (outcomes: ReadonlyArray<DirectoryOutcome | Unsettled>, deposed: Deposed | null) => void;

interface Performed {
  readonly outcomes: readonly DirectoryOutcome[];
  readonly effects: readonly Unsettled[];
}

export function openDirectory({ dataDir, durability, folder, onError, onCommit }: DirectoryOptions): Directory {
  const file = join(dataDir, DIRECTORY_FILE);
  const lock = acquireLock(lockOf(file));
  let acknowledged: AcknowledgedCommits | undefined;
  if (lock === 'held') throw new InUse(`the data folder ${dataDir} is in use by another process`);
  try {
    const db = openDatabase(file, { durability, migrations: 'directory', mustExist: folder !== undefined });
    try {
      // Waits for a former owner that is still writing, see `requireLock`.
      begin(db);
      if (folder !== undefined) requireMark(db, 'directory', folder);
      requireNoLog(db);
      commit(db);
      if (folder !== undefined) {
        acknowledged = new AcknowledgedCommits({ dataDir, folder, name: DIRECTORY_FILE, durability, onError });
      }
      const directory = new Directory(db, lock, { onError, onCommit, acknowledged });
      acknowledged?.require(directory.number);
      return directory;
    } catch (error) {
      acknowledged?.close();
      db.close();
      throw error;
    }
  } catch (error) {
    lock.release();
    throw error;
  }
}

const NOTHING: Performed = { outcomes: [], effects: [] };

export interface DirectoryHooks {
  readonly onError: (error: unknown) => void;
  readonly onCommit?: ((commit: DirectoryCommit) => void) | undefined;
  /** Notes every commit when it is on disk. Closed with the directory. */
  readonly acknowledged?: AcknowledgedCommits | undefined;
  /** Without it each transaction is committed and flushed by itself. */
  readonly transactions?: (parts: TransactionsOptions<DirectoryWrite>) => Transactions<DirectoryWrite>;
  /** The file belongs to a copy that outlives its use by an owner. */
  readonly isLent?: boolean;
}

export class Directory {
  readonly #db: Database;
  readonly #lock: Lock;
  readonly #hooks: DirectoryHooks;
  readonly #journal = new Journal<DirectoryWrite>();
  readonly #tables: DirectoryTables;
  readonly #audit = new AuditRetention();
  readonly #transactions: Transactions<DirectoryWrite>;

  constructor(db: Database, lock: Lock, hooks: DirectoryHooks) {
    this.#db = db;
    this.#lock = lock;
    this.#hooks = hooks;
    this.#tables = new DirectoryTables(db, this.#journal);
    const parts: TransactionsOptions<DirectoryWrite> = {
      db,
      kind: 'directory',
      lock,
      journal: this.#journal,
      execute: (write) => this.#tables.execute(write),
      sweep: () => undefined,
      onCommit: (commit) => {
        hooks.acknowledged?.note(commit.number);
        hooks.onCommit?.(commit);
      },
      onError: hooks.onError,
    };
    this.#transactions = hooks.transactions?.(parts) ?? new FileTransactions(parts);
  }

  /** The owner's commits must be readable for programs that know this schema. */
  writeFor(schema: number): void {
    this.#tables.writeFor(schema);
  }

  /** The number of the latest commit. */
  get number(): number {
    return this.#transactions.number;
  }

  /** Applies a commit of another copy of the directory. It must be the next one. */
  apply(commit: DirectoryCommit): void {
    this.#transactions.applyAll([commit]);
  }

  /**
   * Runs all commands in one transaction, so that they share one commit. Each sees the writes of those before it, and a
   * failing one affects no other. Calls `settled` when every outcome is stored, or known to be current if nothing was
   * written, now or later; until then nothing else may be run. Never throws.
   */
  run(commands: readonly DirectoryCommand[], settled: Ran): void {
    this.#runTogether(commands, (error, { outcomes, effects }) => {
      if (error === null) return settled(outcomes, null);
      if (error instanceof Deposed) return settled(effects, error);
      this.#hooks.onError(nameTrouble(error));
      this.#runApart(commands, settled);
    });
  }

  /** The same for a directory without a log, whose commits are settled at once. */
  runNow(commands: readonly DirectoryCommand[]): DirectoryOutcome[] {
    const settled: DirectoryOutcome[] = [];
    this.run(commands, (outcomes) => {
      for (const outcome of outcomes) if (typeof outcome !== 'string') settled.push(outcome);
    });
    if (settled.length !== commands.length) throw new Error(`${this.#db.name}: not all commands were settled at once`);
    return settled;
  }

  /** Entries of the outbox after the id `after`. */
  undelivered(after: number): NonNullable<DirectoryAnswer<unknown>['undelivered']> {
    const { undelivered } = outboxHandlers['outbox.push'].run(this.#tables, { after }, this.#audit);
    if (undelivered === undefined) throw new Error('the outbox gave no page');
    return undelivered;
  }

  /** Writes a page without changing data. Throws if nothing can be stored. */
  probe(): void {
    this.#transactions.probe();
  }

  close(): void {
    if (this.#hooks.isLent === true) return;
    this.#hooks.acknowledged?.close();
    this.#db.close();
    this.#lock.release();
  }

  /** Reads alone need no transaction: while it has its lock, the file has no other writer. */
  #runTogether(commands: readonly DirectoryCommand[], settled: (error: unknown, performed: Performed) => void): void {
    const isWriting = commands.some(mayWrite);
    let performed: Performed;
    try {
      if (isWriting) this.#transactions.begin();
      else requireLock(this.#lock, this.#db.name);
      performed = this.#performAll(commands);
    } catch (error) {
      this.#transactions.rollback();
      return settled(error, NOTHING);
    }
    if (!isWriting) return this.#transactions.confirm((error) => settled(error, performed));
    this.#transactions.commitTogether((error) => {
      if (error !== null) this.#transactions.rollback();
      settled(error, performed);
    });
  }

  #performAll(commands: readonly DirectoryCommand[]): Performed {
    const effects: Unsettled[] = [];
    const outcomes = commands.map((command) => {
      const noted = this.#journal.length;
      const outcome = this.#runIsolated(command);
      effects.push(this.#journal.length > noted ? 'written' : 'read');
      return outcome;
    });
    return { outcomes, effects };
  }

  /** One of the commands, or the disk, is at fault. */
  #runApart(commands: readonly DirectoryCommand[], settled: Ran): void {
    const outcomes: Array<DirectoryOutcome | Unsettled> = [];
    oneByOne(
      commands,
      (command, next) => {
        this.#runTogether([command], (error, { outcomes: [outcome], effects: [effect = 'read'] }) => {
          if (error instanceof Deposed) {
            outcomes.push(effect);
            while (outcomes.length < commands.length) outcomes.push('read');
            return settled(outcomes, error);
          }
          if (error !== null) this.#hooks.onError(nameTrouble(error));
          outcomes.push(error === null && outcome !== undefined ? outcome : { ok: false, error: notStored(error).toData() });
          next();
        });
      },
      () => settled(outcomes, null),
    );
  }

  #runIsolated(command: DirectoryCommand): DirectoryOutcome {
    const noted = this.#journal.length;
    const isWriting = this.#db.inTransaction;
    if (isWriting) this.#db.exec('SAVEPOINT command');
    try {
      const answer = decideDirectory(this.#tables, command, this.#audit);
      if (isWriting) this.#db.exec('RELEASE command');
      return { ok: true, ...answer };
    } catch (error) {
      // The transaction is gone or will fail for all commands: the batch is retried one by one.
      if (this.#db.inTransaction !== isWriting || isStorageTrouble(error)) throw error;
      if (isWriting) this.#db.exec('ROLLBACK TO command; RELEASE command');
      this.#journal.cut(noted);
      if (error instanceof AppError) return { ok: false, error: error.toData() };
      this.#hooks.onError(error);
      return { ok: false, error: INTERNAL_ERROR };
    }
  }
}

function mayWrite({ op, audit }: DirectoryCommand): boolean {
  return audit !== undefined || DIRECTORY_EFFECTS[op] !== 'read';
}
