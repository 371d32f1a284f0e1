/** One shard's file: whole boards, their events and attachments, and outbox rows for the directory. */
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import type { LoadedBoard } from '../../domain/board/board.js';
import { AppError, InUse } from '../../domain/errors.js';
import type { BoardEvent } from '../../domain/events.js';
import type { BoardKey, Uuid } from '../../domain/ids.js';
import type { Change } from '../../domain/model.js';
import { uploadLost } from '../../domain/refusals.js';
import { toEnd } from '../../domain/slices.js';
import { AttachmentContent } from './attachmentContent.js';
import { lockOf, shardFile } from '../folder/dataFolder.js';
import { openDatabase, type Durability } from '../sqlite/database.js';
import { EntityTables, keyTaken } from './entityTables.js';
import { EventLog } from './eventLog.js';
import { LooseBoards } from './looseBoards.js';
import { notStored } from '../sqlite/failures.js';
import { requireMark } from '../folder/folderMark.js';
import { acquireLock, requireLock, type Lock } from '../sqlite/lock.js';
import { Outbox } from './outbox.js';
import { UnfinishedRemovals } from './unfinishedRemovals.js';
import { begin, commit, prepareWrite, rollback } from '../sqlite/transaction.js';

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

export function openShard({ dataDir, shard, shards, durability, folder, keepsUploads = false }: ShardOptions): Shard {
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
      const opened = new Shard(db, lock);
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
  readonly #tables: EntityTables;
  readonly #seq;
  readonly #id;
  readonly #setSeq;
  readonly #touch;

  constructor(db: Database, lock: Lock) {
    this.#db = db;
    this.#lock = lock;
    this.#tables = new EntityTables(db);
    this.events = new EventLog(db);
    this.outbox = new Outbox(db);
    this.content = new AttachmentContent(db);
    this.loose = new LooseBoards(db, { tables: this.#tables, events: this.events, content: this.content });
    this.removals = new UnfinishedRemovals(db);
    this.#seq = db.prepare<[BoardKey], number>('SELECT seq FROM board WHERE board_key = ?').pluck();
    this.#id = db.prepare<[BoardKey], Uuid>('SELECT id FROM board WHERE board_key = ?').pluck();
    this.#touch = prepareWrite<[]>(db, 'UPDATE place SET shards = shards');
    this.#setSeq = prepareWrite<[number, BoardKey]>(db, 'UPDATE board SET seq = ? WHERE board_key = ?');
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
    const seq = this.#seq.get(key);
    if (seq === undefined) return null;
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
    return unfinished.length === 0 ? { seq, entities } : { seq, entities, unfinished };
  }

  /** Without the kinds that make a board large, for listing a user's boards without loading them. In slices as well. */
  *readSummary(key: BoardKey): Generator<undefined, LoadedBoard | null> {
    const seq = this.#seq.get(key);
    if (seq === undefined) return null;
    const entities = {
      ...NO_ENTITIES,
      board: yield* this.#tables.read(key, 'board'),
      member: yield* this.#tables.read(key, 'member'),
      label: yield* this.#tables.read(key, 'label'),
    };
    return { seq, entities };
  }

  /** Null if there is no such board. */
  idOf(key: BoardKey): Uuid | null {
    return this.#id.get(key) ?? null;
  }

  hasMember(key: BoardKey, user: Uuid): boolean {
    return this.#tables.has(key, 'member', user);
  }

  /** Null if there is no such board. */
  seqOf(key: BoardKey): number | null {
    return this.#seq.get(key) ?? null;
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

  /** On disk when this returns. If it throws (`unavailable`) nothing is, and `rollback` must follow. */
  commit(): void {
    try {
      this.content.sweep();
      commit(this.#db);
    } catch (error) {
      throw notStored(error);
    }
  }

  /** Ends the transaction without a trace. Does nothing if it is already over. */
  rollback(): void {
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
    this.events.append(key, events, now);
    if (this.#setSeq(seq, key).changes !== 1) throw new Error(`board ${key} is not in ${this.#db.name}`);
  }

  /** Rows of a board that may not exist yet. */
  writeRows(key: BoardKey, changes: readonly Change[], now: string): void {
    for (const change of changes) {
      if (change.kind === 'attachment') this.#settleContent(key, change, now);
      this.#tables.apply(key, change);
      if ('remove' in change && change.unfinished === true) this.removals.add(key, { kind: change.kind, id: change.remove });
    }
  }

  /** Removes the board at once. Its other rows are swept later. */
  removeBoard(key: BoardKey, now: string): void {
    this.content.dropUploadsOfBoard(key);
    this.#tables.removeBoard(key);
    this.removals.forgetBoard(key);
    this.loose.add(key, now);
  }

  /** Writes a page without changing data. Throws if nothing can be stored. */
  probe(): void {
    this.transaction(() => this.#touch());
  }

  close(): void {
    this.#db.close();
    this.#lock.release();
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
