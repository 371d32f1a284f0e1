/** The directory's file: the users, and which boards each of them is on. */
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import type { DirectoryCommand, DirectoryCommands, DirectoryOperation } from '../domain/directoryCommands.js';
import { AppError, INTERNAL_ERROR, InUse, type ErrorData } from '../domain/errors.js';
import { unknownOperation } from '../domain/refusals.js';
import { openDatabase, type Durability } from './database.js';
import { createHandlers, type DirectoryAnswer, type DirectoryHandlers } from './directoryHandlers.js';
import { isStorageTrouble, notStored } from './failures.js';
import { acquireLock, requireLock, type Lock } from './lock.js';
import { begin, commit, rollback } from './transaction.js';

export interface DirectoryOptions {
  readonly dataDir: string;
  readonly durability: Durability;
  /** For the log: the cause of every outcome that is `internal` or `unavailable`. */
  readonly onError: (error: unknown) => void;
}

export type DirectoryOutcome =
  | ({ readonly ok: true } & DirectoryAnswer<DirectoryCommands[DirectoryOperation]['output']>)
  | { readonly ok: false; readonly error: ErrorData };

export function openDirectory({ dataDir, durability, onError }: DirectoryOptions): Directory {
  const lock = acquireLock(join(dataDir, 'directory.lock'));
  if (lock === 'held') throw new InUse(`the data folder ${dataDir} is in use by another process`);
  try {
    const db = openDatabase(join(dataDir, 'directory.sqlite'), { durability, migrations: 'directory' });
    try {
      // Waits for whoever still writes, see `requireLock`.
      begin(db);
      commit(db);
      return new Directory(db, lock, onError);
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
  readonly #handlers: DirectoryHandlers;

  constructor(db: Database, lock: Lock, onError: (error: unknown) => void) {
    this.#db = db;
    this.#lock = lock;
    this.#onError = onError;
    this.#handlers = createHandlers(db);
  }

  /**
   * All commands in one transaction, so that many share one flush to disk; each sees what those before it wrote, and
   * one that fails takes nothing with it. Every outcome holds on disk when this returns.
   */
  run(commands: readonly DirectoryCommand[]): DirectoryOutcome[] {
    try {
      return this.#commitTogether(commands);
    } catch (error) {
      this.#onError(error);
      return commands.map((command) => this.#commitAlone(command));
    }
  }

  close(): void {
    this.#db.close();
    this.#lock.release();
  }

  #commitTogether(commands: readonly DirectoryCommand[]): DirectoryOutcome[] {
    begin(this.#db);
    try {
      requireLock(this.#lock, this.#db.name);
      const outcomes = commands.map((command) => this.#runIsolated(command));
      commit(this.#db);
      return outcomes;
    } catch (error) {
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
      this.#onError(error);
      return { ok: false, error: notStored(error).toData() };
    }
  }

  #runIsolated(command: DirectoryCommand): DirectoryOutcome {
    this.#db.exec('SAVEPOINT command');
    try {
      const answer = dispatch(this.#handlers, command);
      this.#db.exec('RELEASE command');
      return { ok: true, ...answer };
    } catch (error) {
      // The transaction is gone, or about to fail for everybody: the batch decides what becomes of it.
      if (!this.#db.inTransaction || isStorageTrouble(error)) throw error;
      this.#db.exec('ROLLBACK TO command; RELEASE command');
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
  // Also names such as "toString", which every object answers to.
  if (!Object.hasOwn(handlers, command.op)) throw unknownOperation(command.op);
  return handlers[command.op](command.input);
}
