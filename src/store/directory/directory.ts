/** The directory's file: users and their memberships. */
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import type { DirectoryCommand, DirectoryCommands, DirectoryOperation } from '../../domain/commands/directoryCommands.js';
import { AppError, INTERNAL_ERROR, InUse } from '../../domain/errors.js';
import type { Result } from '../../domain/result.js';
import { DIRECTORY_FILE, lockOf } from '../folder/dataFolder.js';
import { unknownOperation } from '../../domain/refusals.js';
import { openDatabase, type Durability } from '../sqlite/database.js';
import type { DirectoryCommit, DirectoryWrite } from '../../domain/ports/directoryCommit.js';
import { createHandlers, type DirectoryAnswer, type DirectoryHandlers } from './handlers.js';
import { isStorageTrouble, nameTrouble, notStored } from '../sqlite/failures.js';
import { requireMark } from '../folder/folderMark.js';
import { acquireLock, requireLock, type Lock } from '../sqlite/lock.js';
import { Journal } from '../sqlite/journal.js';
import { begin, commit, prepareProbe, prepareWrite, rollback } from '../sqlite/transaction.js';
import { DirectoryTables } from './tables.js';

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

export type DirectoryOutcome = Result<DirectoryAnswer<DirectoryCommands[DirectoryOperation]['output']>>;

export function openDirectory({ dataDir, durability, folder, onError, onCommit }: DirectoryOptions): Directory {
  const file = join(dataDir, DIRECTORY_FILE);
  const lock = acquireLock(lockOf(file));
  if (lock === 'held') throw new InUse(`the data folder ${dataDir} is in use by another process`);
  try {
    const db = openDatabase(file, { durability, migrations: 'directory', mustExist: folder !== undefined });
    try {
      // Waits for a former owner that is still writing, see `requireLock`.
      begin(db);
      if (folder !== undefined) requireMark(db, 'directory', folder);
      commit(db);
      return new Directory(db, lock, onError, onCommit);
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    lock.release();
    throw error;
  }
}

export class Directory {
  readonly #db: Database;
  readonly #lock: Lock;
  readonly #onError: (error: unknown) => void;
  readonly #onCommit: (commit: DirectoryCommit) => void;
  readonly #journal = new Journal<DirectoryWrite>();
  readonly #tables: DirectoryTables;
  readonly #handlers: DirectoryHandlers;
  readonly #number;
  readonly #setNumber;
  readonly #touch;

  constructor(
    db: Database,
    lock: Lock,
    onError: (error: unknown) => void,
    onCommit: (commit: DirectoryCommit) => void = () => undefined,
  ) {
    this.#db = db;
    this.#lock = lock;
    this.#onError = onError;
    this.#onCommit = onCommit;
    this.#tables = new DirectoryTables(db, this.#journal);
    this.#handlers = createHandlers(db, this.#tables);
    this.#touch = prepareProbe(db);
    this.#number = db.prepare<[], number>('SELECT number FROM commit_number').pluck();
    this.#setNumber = prepareWrite<[number]>(db, 'UPDATE commit_number SET number = ?');
  }

  /** The number of the latest commit. */
  get number(): number {
    return this.#number.get() ?? 0;
  }

  /** Applies a commit of another copy of the directory. It must be the next one. */
  apply({ number, writes }: DirectoryCommit): void {
    if (number !== this.number + 1) throw new Error(`commit ${number} does not follow commit ${this.number}`);
    this.#inTransaction(() => {
      for (const write of writes) this.#tables.execute(write);
      this.#setNumber(number);
    });
    this.#journal.take();
  }

  /**
   * Runs all commands in one transaction, so that they share one flush to disk. Each sees the writes of those before
   * it, and a failing one affects no other. Every outcome is on disk when this returns.
   */
  run(commands: readonly DirectoryCommand[]): DirectoryOutcome[] {
    try {
      return this.#commitTogether(commands);
    } catch (error) {
      this.#onError(nameTrouble(error));
      return commands.map((command) => this.#commitAlone(command));
    }
  }

  /** Writes a page without changing data. Throws if nothing can be stored. */
  probe(): void {
    this.#inTransaction(this.#touch);
  }

  close(): void {
    this.#db.close();
    this.#lock.release();
  }

  #commitTogether(commands: readonly DirectoryCommand[]): DirectoryOutcome[] {
    let made: DirectoryCommit | null = null;
    const outcomes = this.#inTransaction(() => {
      const answered = commands.map((command) => this.#runIsolated(command));
      made = this.#takeCommit();
      return answered;
    });
    if (made !== null) this.#onCommit(made);
    return outcomes;
  }

  /** What the open transaction has written, under the next number; null when that is nothing. */
  #takeCommit(): DirectoryCommit | null {
    if (this.#journal.length === 0) return null;
    const number = this.number + 1;
    this.#setNumber(number);
    return { number, writes: this.#journal.take() };
  }

  #inTransaction<T>(work: () => T): T {
    begin(this.#db);
    try {
      requireLock(this.#lock, this.#db.name);
      const result = work();
      commit(this.#db);
      return result;
    } catch (error) {
      this.#journal.take();
      rollback(this.#db);
      throw error;
    }
  }

  #commitAlone(command: DirectoryCommand): DirectoryOutcome {
    try {
      const [outcome] = this.#commitTogether([command]);
      if (outcome) return outcome;
      throw new Error(`${command.op} has no outcome`);
    } catch (error) {
      this.#onError(nameTrouble(error));
      return { ok: false, error: notStored(error).toData() };
    }
  }

  #runIsolated(command: DirectoryCommand): DirectoryOutcome {
    const noted = this.#journal.length;
    this.#db.exec('SAVEPOINT command');
    try {
      const answer = dispatch(this.#handlers, command);
      this.#db.exec('RELEASE command');
      return { ok: true, ...answer };
    } catch (error) {
      // The transaction is gone or will fail for all commands: the batch is retried one by one.
      if (!this.#db.inTransaction || isStorageTrouble(error)) throw error;
      this.#db.exec('ROLLBACK TO command; RELEASE command');
      this.#journal.cut(noted);
      if (error instanceof AppError) return { ok: false, error: error.toData() };
      this.#onError(error);
      return { ok: false, error: INTERNAL_ERROR };
    }
  }
}

function dispatch<Op extends DirectoryOperation>(
  handlers: DirectoryHandlers,
  command: { readonly op: Op; readonly input: DirectoryCommands[Op]['input'] },
): DirectoryAnswer<DirectoryCommands[Op]['output']> {
  // Also refuses names such as "toString", which every object has.
  if (!Object.hasOwn(handlers, command.op)) throw unknownOperation(command.op);
  return handlers[command.op](command.input);
}
