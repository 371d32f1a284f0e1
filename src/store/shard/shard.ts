/** One shard's file: whole boards, their events and attachments, and outbox rows for the directory. */
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import type { LoadedBoard } from '../../domain/board/board.js';
import { AppError, InUse } from '../../domain/errors.js';
import type { BoardEvent } from '../../domain/events.js';
import type { BoardKey, Uuid } from '../../domain/ids.js';
import type { Change } from '../../domain/model.js';
import type { Position } from '../../domain/position.js';
import type { ShardCommit, ShardWrite } from '../../domain/ports/shardCommit.js';
import { uploadLost } from '../../domain/refusals.js';
import { toEnd } from '../../domain/slices.js';
import { AttachmentContent } from './attachmentContent.js';
import { lockOf, shardFile } from '../folder/dataFolder.js';
import { openDatabase, type Durability } from '../sqlite/database.js';
import { EntityTables, keyTaken } from './entityTables.js';
import { EventLog } from './eventLog.js';
import { Journal, unknownWrite } from '../sqlite/journal.js';
import { LooseBoards } from './looseBoards.js';
import { notStored } from '../sqlite/failures.js';
import { requireMark } from '../folder/folderMark.js';
import { acquireLock, requireLock, type Lock } from '../sqlite/lock.js';
import { Outbox } from './outbox.js';
import { UnfinishedRemovals } from './unfinishedRemovals.js';
import { begin, commit, prepareWrite, rollback } from '../sqlite/transaction.js';
import { beginRun, endRun, mayHaveLostCommits, newEpoch, setEpoch } from './history.js';

export interface ShardOptions {
  readonly dataDir: string;
  /** From 0. */
  readonly shard: number;
  /** The number of shards: fixed when the file is first opened. */
  readonly shards: number;
  readonly durability: Durability;
  /** The id of the folder, which the file must carry. Without it, a missing file is created. */
  readonly folder?: string;
  /**
   * Uploads that began with an earlier owner of the file continue: their senders may be connected to another process.
   */
  readonly keepsUploads?: boolean;
  /** Gets every commit after it is on disk, in order. It must not throw. */
  readonly onCommit?: (commit: ShardCommit) => void;
}

const NO_ENTITIES: LoadedBoard['entities'] = {
  board: [],
  member: [],
  column: [],
  card: [],
  label: [],
  checklist: [],
  item: [],
  attachment: [],
  rule: [],
};

export function openShard(options: ShardOptions): Shard {
  const { dataDir, shard, shards, durability, folder, keepsUploads = false } = options;
  const file = join(dataDir, shardFile(shard));
  const lock = acquireLock(lockOf(file));
  if (lock === 'held') {
    throw new InUse(`shard ${shard} of the data folder ${dataDir} is in use by another process`);
  }
  try {
    const db = openDatabase(file, { durability, migrations: 'shard', mustExist: folder !== undefined });
    try {
      claimPlace(db, shard, shards);
      if (folder !== undefined) requireMark(db, 'shard', folder);
      const opened = new Shard(db, lock, options.onCommit);
      opened.beginRun(durability);
      if (!keepsUploads) opened.transaction(() => opened.content.dropAllUploads());
      return opened;
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** With another number of shards most boards would be looked for in the wrong file. */
export function claimPlace(db: Database, shard: number, shards: number): void {
  db.prepare('INSERT INTO place (id, shard, shards) VALUES (1, ?, ?) ON CONFLICT DO NOTHING').run(shard, shards);
  const place = db.prepare<[], { shard: number; shards: number }>('SELECT shard, shards FROM place').get();
  if (place?.shards !== shards) {
    throw new AppError(
      'unavailable',
      `${db.name} belongs to a data folder of ${place?.shards} shards. ` +
        `That number cannot change any more: set SHARDS=${place?.shards} instead of ${shards}.`,
    );
  }
  if (place.shard !== shard) {
    throw new AppError('unavailable', `${db.name} is shard ${place.shard}, not shard ${shard}: was it renamed?`);
  }
}

/**
 * Writing methods are called between `begin` and `commit`. Reads are allowed at any time; between the two they see
 * uncommitted data.
 */
export class Shard {
  readonly events: EventLog;
  readonly outbox: Outbox;
  readonly content: AttachmentContent;
  readonly loose: LooseBoards;
  readonly removals: UnfinishedRemovals;
  readonly #db: Database;
  readonly #lock: Lock;
  readonly #onCommit: (commit: ShardCommit) => void;
  readonly #tables: EntityTables;
  readonly #journal = new Journal<ShardWrite>();
  readonly #position;
  readonly #id;
  /** Of the latest commit. */
  #number: number;
  readonly #setCommits;
  readonly #touch;

  constructor(db: Database, lock: Lock, onCommit: (commit: ShardCommit) => void = () => undefined) {
    this.#db = db;
    this.#lock = lock;
    this.#onCommit = onCommit;
    this.#tables = new EntityTables(db);
    const journal = this.#journal;
    this.events = new EventLog(db, journal);
    this.outbox = new Outbox(db, journal);
    this.content = new AttachmentContent(db, journal);
    this.loose = new LooseBoards(db, { tables: this.#tables, events: this.events, content: this.content, journal });
    this.removals = new UnfinishedRemovals(db, journal);
    this.#number = db.prepare<[], number>('SELECT commits FROM place').pluck().get() ?? 0;
    this.#setCommits = prepareWrite<[number]>(db, 'UPDATE place SET commits = ?');
    this.#position = db.prepare<[BoardKey], Position>('SELECT epoch, seq FROM board WHERE board_key = ?');
    this.#id = db.prepare<[BoardKey], Uuid>('SELECT id FROM board WHERE board_key = ?').pluck();
    this.#touch = prepareWrite<[]>(db, 'UPDATE place SET shards = shards');
  }

  /** Null if there is no such board. */
  loadBoard(key: BoardKey): LoadedBoard | null {
    return toEnd(this.readBoard(key));
  }

  /**
   * The same in slices, so that other boards need not wait for a large one: pauses after every page of rows. The board
   * must not be written until it is done.
   */
  *readBoard(key: BoardKey): Generator<undefined, LoadedBoard | null> {
    const position = this.#position.get(key);
    if (position === undefined) return null;
    const entities = {
      board: yield* this.#tables.read(key, 'board'),
      member: yield* this.#tables.read(key, 'member'),
      column: yield* this.#tables.read(key, 'column'),
      card: yield* this.#tables.read(key, 'card'),
      label: yield* this.#tables.read(key, 'label'),
      checklist: yield* this.#tables.read(key, 'checklist'),
      item: yield* this.#tables.read(key, 'item'),
      attachment: yield* this.#tables.read(key, 'attachment'),
      rule: yield* this.#tables.read(key, 'rule'),
    };
    const unfinished = this.removals.list(key);
    return unfinished.length === 0 ? { ...position, entities } : { ...position, entities, unfinished };
  }

  /** Without the kinds that make a board large, for listing a user's boards without loading them. In slices as well. */
  *readSummary(key: BoardKey): Generator<undefined, LoadedBoard | null> {
    const position = this.#position.get(key);
    if (position === undefined) return null;
    const entities = {
      ...NO_ENTITIES,
      board: yield* this.#tables.read(key, 'board'),
      member: yield* this.#tables.read(key, 'member'),
      label: yield* this.#tables.read(key, 'label'),
    };
    return { ...position, entities };
  }

  /** Null if there is no such board. */
  idOf(key: BoardKey): Uuid | null {
    return this.#id.get(key) ?? null;
  }

  hasMember(key: BoardKey, user: Uuid): boolean {
    return this.#tables.has(key, 'member', user);
  }

  /** Null if there is no such board. */
  positionOf(key: BoardKey): Position | null {
    return this.#position.get(key) ?? null;
  }

  /** Throws `unavailable` if the file cannot be written. */
  begin(): void {
    try {
      begin(this.#db);
    } catch (error) {
      throw notStored(error);
    }
    try {
      requireLock(this.#lock, this.#db.name);
    } catch (error) {
      rollback(this.#db);
      throw error;
    }
  }

  /**
   * On disk when this returns; null when there was nothing to write. When it throws (`unavailable`) nothing is, and
   * `rollback` must follow.
   */
  commit(): ShardCommit | null {
    const made = this.#commitJournal();
    if (made !== null) this.#onCommit(made);
    return made;
  }

  #commitJournal(): ShardCommit | null {
    try {
      this.content.sweep();
      if (!this.#db.inTransaction) throw new Error('SQLite has ended the transaction');
      if (this.#journal.length === 0) {
        rollback(this.#db);
        return null;
      }
      const number = this.#number + 1;
      this.#setCommits(number);
      commit(this.#db);
      this.#number = number;
      return { number, writes: this.#journal.take() };
    } catch (error) {
      throw notStored(error);
    }
  }

  /** The number of the latest commit. */
  get number(): number {
    return this.#number;
  }

  /** Makes a commit of another copy of this shard its own. It must be the next one. */
  apply({ number, writes }: ShardCommit): void {
    if (number !== this.number + 1) throw new Error(`commit ${number} does not follow commit ${this.number}`);
    this.begin();
    try {
      for (const write of writes) this.#execute(write);
      this.#setCommits(number);
      commit(this.#db);
      this.#number = number;
      this.#journal.take();
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  /** Ends the transaction without a trace of it. Harmless when it is over already. */
  rollback(): void {
    this.#journal.take();
    rollback(this.#db);
  }

  /** `begin`, the work, and `commit`, or `rollback` if any of them throws. */
  transaction(work: () => void): void {
    this.begin();
    try {
      work();
      this.commit();
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  /** Writes the result of one command; `seq` is the board's number after the last of `events`. */
  write(
    key: BoardKey,
    changes: readonly Change[],
    events: readonly BoardEvent[],
    seq: number,
    now: string,
  ): void {
    for (const change of changes) {
      if (change.kind === 'board' && 'remove' in change) return this.removeBoard(key, now);
      if (change.kind === 'board' && seq === 0 && this.loose.has(key)) throw keyTaken();
    }
    this.writeRows(key, changes, now);
    this.events.append(key, events, seq, now);
  }

  /** Rows of a board that may not exist yet. */
  writeRows(key: BoardKey, changes: readonly Change[], at: string): void {
    if (changes.length === 0) return;
    for (const change of changes) {
      if (change.kind === 'attachment') this.#settleContent(key, change, at);
      this.#tables.apply(key, change);
      if ('remove' in change && change.unfinished === true) this.removals.add(key, { kind: change.kind, id: change.remove });
    }
    this.#journal.note({ op: 'rows', key, changes, at });
  }

  /** Removes the board at once. Its other rows are swept later. */
  removeBoard(key: BoardKey, at: string): void {
    this.content.dropUploadsOfBoard(key);
    this.#tables.removeBoard(key);
    this.removals.forgetBoard(key);
    this.loose.mark(key, at);
    this.#journal.note({ op: 'board.remove', key, at });
  }

  /** Once, before anything else. */
  beginRun(durability: Durability): void {
    if (mayHaveLostCommits(this.#db)) this.transaction(() => this.cutHistory(newEpoch()));
    this.#writePlace(() => beginRun(this.#db, durability));
  }

  /** The numbers of all events so far may come again for others. */
  cutHistory(epoch: string): void {
    setEpoch(this.#db, epoch);
    this.#journal.note({ op: 'history.cut', epoch });
  }

  /** Writes a page without changing data. Throws if nothing can be stored. */
  probe(): void {
    this.#writePlace(() => this.#touch());
  }

  close(): void {
    try {
      this.#writePlace(() => endRun(this.#db));
    } catch {
      // The disk is full or gone, which every write before has reported. The next start takes this for no clean close.
    }
    this.#db.close();
    this.#lock.release();
  }

  /** A transaction about the place of the file, which is no commit. */
  #writePlace(write: () => void): void {
    this.begin();
    try {
      write();
      commit(this.#db);
    } catch (error) {
      this.rollback();
      throw notStored(error);
    }
  }

  #execute(write: ShardWrite): void {
    switch (write.op) {
      case 'rows':
        return this.writeRows(write.key, write.changes, write.at);
      case 'events':
        return this.events.append(write.key, write.events, write.seq, write.at);
      case 'events.remove':
        return this.events.removeUpTo(write.key, write.upTo);
      case 'history.cut':
        return this.cutHistory(write.epoch);
      case 'board.remove':
        return this.removeBoard(write.key, write.at);
      case 'loose.add':
        return this.loose.add(write.key, write.at);
      case 'loose.remove':
        return this.loose.remove(write.key);
      case 'loose.sweep':
        return this.loose.sweepRows(write.key, write.kind, write.ids, write.at);
      case 'removal.finish':
        return this.removals.finish(write.key, write.removal);
      case 'outbox.add':
        return this.outbox.insert(write.id, write.key, write.payload);
      case 'outbox.remove':
        return this.outbox.remove(write.id);
      case 'upload.start':
        return this.content.startUpload(write.id, write.at);
      case 'upload.append':
        return this.content.insertChunk(write.id, write.n, write.start, write.bytes);
      case 'upload.discard':
        return this.content.dropUpload(write.id);
      case 'content.remove':
        return this.content.removeChunks(write.id, write.upTo, write.isLast);
      default:
        return unknownWrite(write);
    }
  }

  /** A record and its content are stored and removed in the same commit. */
  #settleContent(key: BoardKey, change: Extract<Change, { kind: 'attachment' }>, now: string): void {
    if ('remove' in change) {
      if (this.#tables.has(key, 'attachment', change.remove)) this.content.discard(change.remove, now);
    } else if (!this.content.finishUpload(change.put.id) && !this.#tables.has(key, 'attachment', change.put.id)) {
      throw uploadLost();
    }
  }
}
