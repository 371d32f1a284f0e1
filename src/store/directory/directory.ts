/** The directory's file: users and their memberships. */
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import type { DirectoryCommand, DirectoryCommands, DirectoryOperation } from '../../domain/commands/directoryCommands.js';
import { AppError, Deposed, INTERNAL_ERROR, InUse } from '../../domain/errors.js';
import { oneByOne } from '../../flow/oneByOne.js';
import type { Result } from '../../domain/result.js';
import { AcknowledgedCommits } from '../folder/record/acknowledgedCommits.js';
import { DIRECTORY_FILE, lockOf } from '../folder/dataFolder.js';
import { unknownOperation } from '../../domain/refusals.js';
import { openDatabase, type Durability } from '../sqlite/database.js';
import type { DirectoryCommit, DirectoryWrite } from '../../domain/ports/directoryCommit.js';
import type { DirectoryAnswer, DirectoryHandlers } from './handlers/directoryAnswer.js';
import { createHandlers } from './handlers/handlers.js';
import { isStorageTrouble, nameTrouble, notStored } from '../sqlite/failures.js';
import { requireMark } from '../folder/record/folderMark.js';
import { acquireLock, requireLock, type Lock } from '../sqlite/lock.js';
import { requireNoLog } from '../sqlite/logPosition.js';
import { Journal } from '../sqlite/journal.js';
import { begin, commit, prepareProbe, prepareWrite, rollback } from '../sqlite/transaction.js';
import { DirectoryTables } from './tables/tables.js';

export interface DirectoryOptions {
  readonly dataDir: string;
  readonly durability: Durability;
  /** The id of the folder, which the file must carry. Without it, a missing file is created. */
  readonly folder?: string;
  /** Called with the cause of every outcome that is `internal` or `unavailable`, for the log. */
  readonly onError: (error: unknown) => void;
  /** Gets every commit after it is on disk, in order. It must not throw. */
  readonly onCommit?: (commit: DirectoryCommit) => void;
  /** Commits go there first, and the file follows. Without it the file alone has them. */
  readonly log?: DirectoryLog;
}

/** Both call `settled` once, now or later, and never throw. After any error but `Deposed` the log has nothing. */
export interface DirectoryLog {
  append(commit: DirectoryCommit, settled: (error: unknown) => void): void;
  /** For a batch that only read: settled with null when what it read is known to be current. */
  confirm(settled: (error: unknown) => void): void;
}

export type DirectoryOutcome = Result<DirectoryAnswer<DirectoryCommands[DirectoryOperation]['output']>>;

/** What is known of a command without an outcome, because the directory has another owner: whether it has written. */
export type Unsettled = 'read' | 'written';

/** One for each command. With `deposed`, those that were not settled before have no outcome. */
type Ran = (outcomes: ReadonlyArray<DirectoryOutcome | Unsettled>, deposed: Deposed | null) => void;

interface Prepared {
  readonly outcomes: readonly DirectoryOutcome[];
  readonly effects: readonly Unsettled[];
  /** Null when nothing was written. */
  readonly made: DirectoryCommit | null;
}

export function openDirectory({ dataDir, durability, folder, onError, onCommit, log }: DirectoryOptions): Directory {
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
      if (folder !== undefined && log === undefined) {
        acknowledged = new AcknowledgedCommits({ dataDir, folder, name: DIRECTORY_FILE, durability, onError });
      }
      const directory = new Directory(db, lock, { onError, onCommit, log, acknowledged });
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

const NOTHING: Prepared = { outcomes: [], effects: [], made: null };

export interface DirectoryHooks {
  readonly onError: (error: unknown) => void;
  readonly onCommit: ((commit: DirectoryCommit) => void) | undefined;
  readonly log: DirectoryLog | undefined;
  /** Closed with the directory. */
  readonly acknowledged?: AcknowledgedCommits | undefined;
  /** The file belongs to a copy that outlives its use by an owner. */
  readonly isLent?: boolean;
}

export class Directory {
  readonly #db: Database;
  readonly #lock: Lock;
  readonly #onError: (error: unknown) => void;
  readonly #onCommit: (commit: DirectoryCommit) => void;
  readonly #log: DirectoryLog | null;
  readonly #acknowledged: AcknowledgedCommits | null;
  readonly #isLent: boolean;
  readonly #journal = new Journal<DirectoryWrite>();
  readonly #tables: DirectoryTables;
  readonly #handlers: DirectoryHandlers;
  readonly #number;
  readonly #setNumber;
  readonly #touch;

  constructor(db: Database, lock: Lock, { onError, onCommit, log, acknowledged, isLent }: DirectoryHooks) {
    this.#db = db;
    this.#lock = lock;
    this.#onError = onError;
    this.#onCommit = onCommit ?? (() => undefined);
    this.#log = log ?? null;
    this.#acknowledged = acknowledged ?? null;
    this.#isLent = isLent ?? false;
    this.#tables = new DirectoryTables(db, this.#journal);
    this.#handlers = createHandlers(db, this.#tables);
    this.#touch = prepareProbe(db);
    this.#number = db.prepare<[], number>('SELECT number FROM commit_number').pluck();
    this.#setNumber = prepareWrite<[number]>(db, 'UPDATE commit_number SET number = ?');
  }

  /** The owner's commits must be readable for programs that know this schema. */
  writeFor(schema: number): void {
    this.#tables.written.set(schema);
  }

  /** The number of the latest commit. */
  get number(): number {
    return this.#number.get() ?? 0;
  }

  /** Applies a commit of another copy of the directory. It must be the next one. */
  apply(commit: DirectoryCommit): void {
    this.applyAll([commit]);
  }

  /** In one transaction, with what `finish` writes. */
  applyAll(commits: readonly DirectoryCommit[], finish: () => void = () => undefined): void {
    this.#inTransaction(() => {
      for (const { number, writes } of commits) {
        const latest = this.number;
        if (number !== latest + 1) throw new Error(`commit ${number} does not follow commit ${latest}`);
        for (const write of writes) this.#tables.execute(write);
        this.#setNumber(number);
      }
      finish();
    });
    this.#journal.take();
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
      this.#onError(nameTrouble(error));
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
    const { undelivered } = this.#handlers['outbox.push']({ after });
    if (undelivered === undefined) throw new Error('the outbox gave no page');
    return undelivered;
  }

  /** Writes a page without changing data. Throws if nothing can be stored. */
  probe(): void {
    this.#inTransaction(this.#touch);
  }

  close(): void {
    if (this.#isLent) return;
    this.#acknowledged?.close();
    this.#db.close();
    this.#lock.release();
  }

  #runTogether(commands: readonly DirectoryCommand[], settled: (error: unknown, prepared: Prepared) => void): void {
    let prepared: Prepared;
    try {
      prepared = this.#prepare(commands);
    } catch (error) {
      this.#undo();
      return settled(error, NOTHING);
    }
    this.#append(prepared.made, (error) => {
      const failure = error ?? this.#store(prepared.made);
      if (failure !== null) this.#undo();
      settled(failure, prepared);
    });
  }

  /** Leaves the transaction open if something was written. */
  #prepare(commands: readonly DirectoryCommand[]): Prepared {
    begin(this.#db);
    requireLock(this.#lock, this.#db.name);
    const effects: Unsettled[] = [];
    const outcomes = commands.map((command) => {
      const noted = this.#journal.length;
      const outcome = this.#runIsolated(command);
      effects.push(this.#journal.length > noted ? 'written' : 'read');
      return outcome;
    });
    const made = this.#takeCommit();
    if (made === null) commit(this.#db);
    return { outcomes, effects, made };
  }

  #append(made: DirectoryCommit | null, settled: (error: unknown) => void): void {
    if (this.#log === null) settled(null);
    else if (made === null) this.#log.confirm(settled);
    else this.#log.append(made, settled);
  }

  /** The commit counts, or there is no log. Returns the error if the file does not have it. */
  #store(made: DirectoryCommit | null): unknown {
    if (made === null) return null;
    try {
      commit(this.#db);
    } catch (error) {
      // The file lacks what the log has. Whoever opens it next applies that.
      return this.#log === null ? error : new Deposed('unknown', { cause: error });
    }
    this.#acknowledged?.note(made.number);
    this.#onCommit(made);
    return null;
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
          if (error !== null) this.#onError(nameTrouble(error));
          outcomes.push(error === null && outcome !== undefined ? outcome : { ok: false, error: notStored(error).toData() });
          next();
        });
      },
      () => settled(outcomes, null),
    );
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
      this.#undo();
      throw error;
    }
  }

  #undo(): void {
    this.#journal.take();
    rollback(this.#db);
  }

  #runIsolated(command: DirectoryCommand): DirectoryOutcome {
    const noted = this.#journal.length;
    this.#db.exec('SAVEPOINT command');
    try {
      const { isRefused, ...answer } = dispatch(this.#handlers, command);
      const { audit } = this.#tables;
      if (command.audit !== undefined && isRefused !== true && audit.isKept) audit.add([command.audit]);
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
