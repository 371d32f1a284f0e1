/** The directory's file: users, and nothing that belongs to one board. */
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import type { DirectoryCommand, DirectoryCommands, DirectoryOperation } from '../domain/directoryCommands.js';
import { AppError, INTERNAL_ERROR, type ErrorData } from '../domain/errors.js';
import { toPublicUser, type PublicUser } from '../domain/user.js';
import { openDatabase, type Durability } from './database.js';
import { isStorageTrouble, notStored } from './failures.js';
import { acquireLock, type Lock } from './lock.js';
import { UserTable } from './users.js';

export interface DirectoryOptions {
  readonly dataDir: string;
  readonly durability: Durability;
  /** For the log: the cause of every outcome that is `internal` or `unavailable`. */
  readonly onError: (error: unknown) => void;
}

interface Answer<Value> {
  readonly value: Value;
  /** The user as it now is, when an existing one changed: whoever keeps a copy drops it. */
  readonly changed?: PublicUser;
}

export type DirectoryOutcome =
  | ({ readonly ok: true } & Answer<DirectoryCommands[DirectoryOperation]['output']>)
  | { readonly ok: false; readonly error: ErrorData };

type Handlers = {
  [Op in DirectoryOperation]: (
    input: DirectoryCommands[Op]['input'],
  ) => Answer<DirectoryCommands[Op]['output']>;
};

export function openDirectory({ dataDir, durability, onError }: DirectoryOptions): Directory {
  const lock = acquireLock(join(dataDir, 'directory.lock'));
  if (lock === 'held') throw new AppError('unavailable', `the data folder ${dataDir} is in use by another process`);
  try {
    const db = openDatabase(join(dataDir, 'directory.sqlite'), { durability, migrations: 'directory' });
    return new Directory(db, lock, onError);
  } catch (error) {
    lock.release();
    throw error;
  }
}

export class Directory {
  readonly #db: Database;
  readonly #lock: Lock;
  readonly #onError: (error: unknown) => void;
  readonly #handlers: Handlers;

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
    // Immediate: a transaction that first reads can be refused the write lock for good when a backup tool wrote since.
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const outcomes = commands.map((command) => this.#runIsolated(command));
      this.#db.exec('COMMIT');
      return outcomes;
    } finally {
      // Only after a failure; and SQLite has itself rolled back after some of them.
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
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
  handlers: Handlers,
  command: { readonly op: Op; readonly input: DirectoryCommands[Op]['input'] },
): Answer<DirectoryCommands[Op]['output']> {
  return handlers[command.op](command.input);
}

function createHandlers(db: Database): Handlers {
  const users = new UserTable(db);
  const anyUser = db.prepare('SELECT 1 FROM user LIMIT 1');
  return {
    'user.create': (input) => ({ value: users.create(input) }),
    'user.get': ({ id }) => {
      const user = users.get(id);
      return { value: user && toPublicUser(user) };
    },
    'user.getWithHash': ({ id }) => ({ value: users.get(id) }),
    'user.findForLogin': ({ login }) => ({ value: users.findForLogin(login) }),
    'user.search': (input) => ({ value: users.search(input) }),
    'user.update': ({ id, changes, now }) => {
      const { user, changed } = users.update(id, changes, now);
      const value = toPublicUser(user);
      return changed ? { value, changed: value } : { value };
    },
    'health.check': () => {
      anyUser.get();
      return { value: true };
    },
  };
}
