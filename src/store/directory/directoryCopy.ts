/** The directory's file as a copy that follows a replicated log; see `shardCopy.ts`. */
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { Deposed, InUse } from '../../domain/errors.js';
import type { CopyFile, LogIdentity, LogPosition, OwnedLog } from '../../domain/ports/partitionLog.js';
import { DIRECTORY_FILE, lockOf } from '../folder/dataFolder.js';
import { requireMark } from '../folder/record/folderMark.js';
import { openDatabase } from '../sqlite/database.js';
import { acquireLock, type Lock } from '../sqlite/lock.js';
import { prepareLogPosition, requireFollowed } from '../sqlite/logPosition.js';
import { Directory, type DirectoryLog } from './directory.js';
import { decodeDirectoryCommit, encodeDirectoryCommit, type SecretSeal } from './directoryCommitCodec.js';

export interface DirectoryCopyOptions {
  readonly dataDir: string;
  /** The id of the folder, which the file must carry. */
  readonly folder: string;
  readonly identity: LogIdentity;
  readonly seal: SecretSeal;
  readonly onError: (error: unknown) => void;
}

export class DirectoryCopy implements CopyFile {
  /** For the owner. Closing it leaves the copy open. */
  readonly store: Directory;
  readonly #db: Database;
  readonly #lock: Lock;
  readonly #identity: LogIdentity;
  readonly #seal: SecretSeal;
  readonly #setPosition;
  #log: OwnedLog | null = null;

  /** Throws if the file belongs to another cluster, or has data of its own. */
  static open(options: DirectoryCopyOptions): DirectoryCopy {
    const { dataDir, folder } = options;
    const file = join(dataDir, DIRECTORY_FILE);
    const lock = acquireLock(lockOf(file));
    if (lock === 'held') throw new InUse(`the data folder ${dataDir} is in use by another process`);
    try {
      const db = openDatabase(file, { durability: 'normal', migrations: 'directory', mustExist: true });
      try {
        requireMark(db, 'directory', folder);
        return new DirectoryCopy(db, lock, options);
      } catch (error) {
        db.close();
        throw error;
      }
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  private constructor(db: Database, lock: Lock, { identity, seal, onError }: DirectoryCopyOptions) {
    this.#db = db;
    this.#lock = lock;
    this.#seal = seal;
    this.#setPosition = prepareLogPosition(db, identity);
    this.store = new Directory(db, lock, { onError, onCommit: undefined, log: this.#appending(), isLent: true });
    this.#identity = identity;
    requireFollowed(db, identity, 'directory');
  }

  get position(): LogPosition {
    return requireFollowed(this.#db, this.#identity, 'directory');
  }

  apply(contents: readonly Uint8Array[], position: LogPosition): void {
    const commits = contents.map((content) => decodeDirectoryCommit(content, this.#seal));
    this.store.applyAll(commits, () => this.#setPosition(position));
  }

  /** The commits of this process go there. */
  follow(log: OwnedLog): void {
    this.#log = log;
  }

  close(): void {
    this.#db.close();
    this.#lock.release();
  }

  #appending(): DirectoryLog {
    return {
      append: (commit, settled) => {
        const log = this.#owned();
        log.append(encodeDirectoryCommit(commit, this.#seal), (error) => {
          if (error !== null) return settled(error);
          try {
            this.#setPosition(log.position);
          } catch (failure) {
            return settled(new Deposed('unknown', { cause: failure }));
          }
          settled(null);
        });
      },
      confirm: (settled) => this.#owned().confirm(settled),
    };
  }

  #owned(): OwnedLog {
    if (this.#log === null) throw new Error(`${this.#db.name} is written without its log`);
    return this.#log;
  }
}
