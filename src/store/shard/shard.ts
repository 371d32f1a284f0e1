/** One shard's file: whole boards, their events and attachments, outbox rows for the directory, and kept answers. */
import type { Database } from 'better-sqlite3';
import type { LoadedBoard } from '../../domain/board/board.js';
import type { BoardEvent } from '../../domain/events.js';
import type { BoardKey, Uuid } from '../../domain/ids.js';
import type { Change } from '../../domain/model.js';
import type { Position } from '../../domain/position.js';
import type { ShardCommit, ShardWrite } from '../../domain/ports/shardCommit.js';
import { uploadLost } from '../../domain/refusals.js';
import { toEnd } from '../../domain/slices.js';
import { AnswerTable } from '../sqlite/answerTable.js';
import type { AcknowledgedCommits } from '../folder/record/acknowledgedCommits.js';
import { AttachmentContent } from './attachmentContent.js';
import type { Durability } from '../sqlite/database.js';
import { EntityTables, keyTaken } from './entityTables.js';
import { EventLog } from './eventLog.js';
import { Journal, unknownWrite } from '../sqlite/journal.js';
import { OrphanRows } from './orphanRows.js';
import type { Lock } from '../sqlite/lock.js';
import { Outbox } from './outbox.js';
import { UsedIds } from './usedIds.js';
import { UnfinishedRemovals } from './unfinishedRemovals.js';
import { FileTransactions } from '../transactions/fileTransactions.js';
import { commitNow, type Transactions, type TransactionsOptions } from '../transactions/transactions.js';
import { beginRun, endRun, historyOf, mayHaveLostCommits, newEpoch, setEpoch } from './history.js';

export interface ShardHooks {
  /** Gets every commit after it is on disk, in order. It must not throw. */
  readonly onCommit?: ((commit: ShardCommit) => void) | undefined;
  /** Notes every commit when it is on disk. Closed with the shard. */
  readonly acknowledged?: AcknowledgedCommits | null | undefined;
  /** Gets failures of the file that no caller waits for: the log has the data. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Without it each transaction is committed and flushed by itself. */
  readonly transactions?: ((parts: TransactionsOptions<ShardWrite>) => Transactions<ShardWrite>) | undefined;
  /** The file belongs to a copy that outlives its use by an owner. */
  readonly isLent?: boolean;
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

/**
 * Writing methods are called between `begin` and `commit`. Reads are allowed at any time; between the two they see
 * uncommitted data.
 */
export class Shard {
  readonly #db: Database;
  readonly #lock: Lock;
  readonly #isLent: boolean;
  readonly #onError: (error: unknown) => void;
  readonly #acknowledged: AcknowledgedCommits | null;
  readonly #journal = new Journal<ShardWrite>();
  readonly #parts: TransactionsOptions<ShardWrite>;
  #transactions: Transactions<ShardWrite>;
  readonly #tables: EntityTables;
  readonly #events: EventLog;
  readonly #outbox: Outbox;
  readonly #content: AttachmentContent;
  readonly #orphans: OrphanRows;
  readonly #removals: UnfinishedRemovals;
  readonly #answers: AnswerTable;
  readonly #usedIds: UsedIds;
  readonly #position;
  readonly #id;

  constructor(db: Database, lock: Lock, { onCommit, acknowledged, onError, transactions, isLent }: ShardHooks = {}) {
    this.#db = db;
    this.#lock = lock;
    this.#isLent = isLent ?? false;
    this.#onError = onError ?? (() => undefined);
    this.#acknowledged = acknowledged ?? null;
    const journal = this.#journal;
    this.#tables = new EntityTables(db);
    this.#usedIds = new UsedIds(db);
    this.#events = new EventLog(db, journal, this.#usedIds);
    this.#outbox = new Outbox(db, journal);
    this.#content = new AttachmentContent(db, journal);
    const orphans = { tables: this.#tables, events: this.#events, content: this.#content, usedIds: this.#usedIds };
    this.#orphans = new OrphanRows(db, { ...orphans, journal });
    this.#removals = new UnfinishedRemovals(db, journal);
    this.#answers = new AnswerTable(db, journal);
    this.#parts = {
      db,
      kind: 'shard',
      lock,
      journal,
      execute: (write) => this.#execute(write),
      sweep: () => this.#content.sweep(),
      onCommit: (commit) => {
        acknowledged?.note(commit.number);
        onCommit?.(commit);
      },
      onError: this.#onError,
    };
    this.#transactions = transactions?.(this.#parts) ?? new FileTransactions(this.#parts);
    this.#position = db.prepare<[BoardKey], Position>('SELECT epoch, seq FROM board WHERE board_key = ?');
    this.#id = db.prepare<[BoardKey], Uuid>('SELECT id FROM board WHERE board_key = ?').pluck();
  }

  get events(): EventLog {
    return this.#current(this.#events);
  }

  get outbox(): Outbox {
    return this.#current(this.#outbox);
  }

  get content(): AttachmentContent {
    return this.#current(this.#content);
  }

  get orphans(): OrphanRows {
    return this.#current(this.#orphans);
  }

  get removals(): UnfinishedRemovals {
    return this.#current(this.#removals);
  }

  get answers(): AnswerTable {
    return this.#current(this.#answers);
  }

  get usedIds(): UsedIds {
    return this.#current(this.#usedIds);
  }

  /** Null if there is no such board. */
  loadBoard(key: BoardKey): LoadedBoard | null {
    return toEnd(this.readBoard(key));
  }

  /**
   * The same in slices, so that other boards need not wait for a large one: pauses after every page of rows. The board
   * must not be written until it is done.
   */
  readBoard(key: BoardKey): Generator<undefined, LoadedBoard | null> {
    return this.#inCurrentSlices(this.#readBoard(key));
  }

  /** Without the kinds that make a board large, for listing a user's boards without loading them. In slices as well. */
  readSummary(key: BoardKey): Generator<undefined, LoadedBoard | null> {
    return this.#inCurrentSlices(this.#readSummary(key));
  }

  *#readBoard(key: BoardKey): Generator<undefined, LoadedBoard | null> {
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
    const unfinished = this.#removals.list(key);
    return unfinished.length === 0 ? { ...position, entities } : { ...position, entities, unfinished };
  }

  *#readSummary(key: BoardKey): Generator<undefined, LoadedBoard | null> {
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
    return this.#current(this.#id).get(key) ?? null;
  }

  hasMember(key: BoardKey, user: Uuid): boolean {
    return this.#current(this.#tables).has(key, 'member', user);
  }

  /** Null if there is no such board. */
  positionOf(key: BoardKey): Position | null {
    return this.#current(this.#position).get(key) ?? null;
  }

  /** Throws `unavailable` if the file cannot be written. */
  begin(): void {
    this.#transactions.begin();
  }

  /** Commits are made in this way from now on. Outside a transaction. */
  follow(transactions: (parts: TransactionsOptions<ShardWrite>) => Transactions<ShardWrite>): void {
    this.#transactions = transactions(this.#parts);
  }

  /** Stored when this returns. If it throws, nothing is, and `rollback` must follow. */
  commit(): void {
    commitNow(this.#transactions);
  }

  /** See `Transactions`. */
  commitTogether(settled: (error: unknown) => void): void {
    this.#transactions.commitTogether(settled);
  }

  /** See `Transactions`. */
  confirm(settled: (error: unknown) => void): void {
    this.#transactions.confirm(settled);
  }

  /** The number of the latest commit. */
  get number(): number {
    return this.#transactions.number;
  }

  /** Makes a commit of another copy of this shard its own. It must be the next one. */
  apply(commit: ShardCommit): void {
    this.applyAll([commit]);
  }

  applyAll(commits: Iterable<ShardCommit>): void {
    this.#transactions.applyAll(commits);
  }

  /** Ends the transaction without a trace of it. Harmless when it is over already. */
  rollback(): void {
    this.#transactions.rollback();
  }

  /** Stored when this returns. Throws after `rollback` if it is not. */
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
  write(key: BoardKey, changes: readonly Change[], events: readonly BoardEvent[], seq: number, now: string): void {
    for (const change of changes) {
      if (change.kind === 'board' && 'remove' in change) return this.removeBoard(key, now);
      if (change.kind === 'board' && seq === 0 && this.#orphans.has(key)) throw keyTaken();
    }
    this.writeRows(key, changes, now);
    this.#events.append(key, events, seq, now);
  }

  /** Rows of a board that may not exist yet. */
  writeRows(key: BoardKey, changes: readonly Change[], at: string): void {
    if (changes.length === 0) return;
    for (const change of changes) {
      if (change.kind === 'attachment') this.#settleContent(key, change, at);
      this.#tables.apply(key, change);
      if ('remove' in change) this.#usedIds.add(key, change.kind, change.remove);
      if ('remove' in change && change.unfinished === true) this.#removals.add(key, { kind: change.kind, id: change.remove });
    }
    this.#journal.note({ op: 'rows', key, changes, at });
  }

  /** Removes the board at once. Its other rows are swept later. */
  removeBoard(key: BoardKey, at: string): void {
    this.#content.dropUploadsOfBoard(key);
    this.#tables.removeBoard(key);
    this.#removals.forgetBoard(key);
    this.#orphans.mark(key, at);
    this.#journal.note({ op: 'board.remove', key, at });
  }

  /** Once, before anything else but the commits of a log. */
  beginRun(durability: Durability): void {
    if (mayHaveLostCommits(this.#db)) this.transaction(() => this.cutHistory(newEpoch()));
    this.#transactions.writePlace(() => beginRun(this.#db, durability));
  }

  /** The numbers of all events so far may come again for others. */
  cutHistory(epoch: string): void {
    setEpoch(this.#db, epoch);
    this.#journal.note({ op: 'history.cut', epoch });
  }

  get history(): string {
    return historyOf(this.#db);
  }

  /** Writes a page without changing data. Throws if nothing can be stored. */
  probe(): void {
    this.#transactions.probe();
  }

  close(): void {
    if (this.#isLent) return;
    let isFlushed = false;
    try {
      this.#transactions.writePlace(() => endRun(this.#db));
      isFlushed = true;
    } catch (error) {
      // The next start takes this for no clean close, and finds in the log what the file lacks.
      this.#onError(error);
    }
    this.#transactions.leave(isFlushed);
    this.#acknowledged?.close();
    this.#db.close();
    this.#lock.release();
  }

  /** The part, when the file has everything that was committed. */
  #current<Part>(part: Part): Part {
    this.#transactions.requireCurrent();
    return part;
  }

  *#inCurrentSlices<Value>(slices: Generator<undefined, Value>): Generator<undefined, Value> {
    for (;;) {
      this.#transactions.requireCurrent();
      const step = slices.next();
      if (step.done === true) return step.value;
      yield undefined;
    }
  }

  #execute(write: ShardWrite): void {
    switch (write.op) {
      case 'rows':
        return this.writeRows(write.key, write.changes, write.at);
      case 'events':
        return this.#events.append(write.key, write.events, write.seq, write.at);
      case 'events.remove':
        return this.#events.removeUpTo(write.key, write.upTo);
      case 'history.cut':
        return this.cutHistory(write.epoch);
      case 'board.remove':
        return this.removeBoard(write.key, write.at);
      case 'loose.add':
        return this.#orphans.add(write.key, write.at);
      case 'loose.remove':
        return this.#orphans.remove(write.key);
      case 'loose.sweep':
        return this.#orphans.sweepRows(write.key, write.kind, write.ids, write.at);
      case 'removal.finish':
        return this.#removals.finish(write.key, write.removal);
      case 'outbox.add':
        return this.#outbox.insert(write.id, write.key, write.payload);
      case 'outbox.remove':
        return this.#outbox.remove(write.id);
      case 'upload.start':
        return void this.#content.startUpload(write.id, write.at);
      case 'upload.append':
        return this.#content.insertChunk(write.id, write.n, write.start, write.bytes);
      case 'upload.discard':
        return this.#content.dropUpload(write.id);
      case 'content.remove':
        return this.#content.removeChunks(write.id, write.upTo, write.isLast);
      case 'answer.add':
      case 'answer.remove':
        return this.#answers.execute(write);
      default:
        return unknownWrite(write);
    }
  }

  /** A record and its content are stored and removed in the same commit. */
  #settleContent(key: BoardKey, change: Extract<Change, { kind: 'attachment' }>, now: string): void {
    if ('remove' in change) {
      if (this.#tables.has(key, 'attachment', change.remove)) this.#content.discard(change.remove, now);
    } else if (!this.#content.finishUpload(change.put.id) && !this.#tables.has(key, 'attachment', change.put.id)) {
      throw uploadLost();
    }
  }
}
