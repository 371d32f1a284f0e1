/** The directory's file: users and their memberships. */
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import type { DirectoryRows } from '../../domain/directory/rows.js';
import type { DirectoryCommit, DirectoryWrite } from '../../domain/directory/tables.js';
import { InUse, NotStored } from '../../domain/errors.js';
import { AcknowledgedCommits } from '../folder/record/acknowledgedCommits.js';
import { DIRECTORY_FILE, lockOf } from '../folder/dataFolder.js';
import { openDatabase, type Durability } from '../sqlite/database.js';
import { isStorageTrouble, notStored } from '../sqlite/failures.js';
import { requireMark } from '../folder/record/folderMark.js';
import { acquireLock, requireLock, type Lock } from '../sqlite/lock.js';
import { requireNoLog } from '../sqlite/logPosition.js';
import { begin, commit } from '../sqlite/transaction.js';
import { PartitionFile, type PartitionFileHooks } from '../transactions/partitionFile.js';
import { DirectoryTables } from './directoryTables.js';

export interface DirectoryOptions {
  readonly dataDir: string;
  readonly durability: Durability;
  /** The id of the folder, which the file must carry. Without it, a missing file is created. */
  readonly folder?: string;
  /** Gets failures of the file that no caller waits for. */
  readonly onError: (error: unknown) => void;
  /** Gets every commit after it is on disk, in order. It must not throw. */
  readonly onCommit?: (commit: DirectoryCommit) => void;
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

export class Directory extends PartitionFile<DirectoryWrite> {
  readonly #tables: DirectoryTables;

  constructor(db: Database, lock: Lock, hooks: PartitionFileHooks<DirectoryWrite>) {
    super('directory', db, lock, hooks);
    this.#tables = new DirectoryTables(db, this.journal);
  }

  /** The owner's commits must be readable for programs that know this schema. */
  writeFor(schema: number): void {
    this.#tables.writeFor(schema);
  }

  /** The number of writes in the open transaction. */
  get written(): number {
    return this.journal.length;
  }

  /**
   * Runs `decide` over the rows, in the transaction if there is one. If it throws, what it wrote is undone. Throws
   * `NotStored` if the transaction or the file cannot be used any further.
   */
  attempt<Input, Answer>(decide: (rows: DirectoryRows, input: Input) => Answer, input: Input): Answer {
    const noted = this.journal.length;
    const isWriting = this.db.inTransaction;
    if (isWriting) this.#run('SAVEPOINT command');
    try {
      const answer = decide(this.#tables, input);
      if (isWriting) this.#run('RELEASE command');
      return answer;
    } catch (error) {
      if (error instanceof NotStored) throw error;
      if (this.db.inTransaction !== isWriting || isStorageTrouble(error)) throw notStored(error);
      if (isWriting) this.#run('ROLLBACK TO command; RELEASE command');
      this.journal.cut(noted);
      throw error;
    }
  }

  /** Without its lock the file may have another owner, and what was read may be old. */
  override confirm(settled: (error: unknown) => void): void {
    try {
      requireLock(this.lock, this.db.name);
    } catch (error) {
      return settled(error);
    }
    super.confirm(settled);
  }

  protected override execute(write: DirectoryWrite): void {
    this.#tables.execute(write);
  }

  /** A failure of one of these leaves the transaction in a state that is not known. */
  #run(sql: string): void {
    try {
      this.db.exec(sql);
    } catch (error) {
      throw notStored(error);
    }
  }
}
