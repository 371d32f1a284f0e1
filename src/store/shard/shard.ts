/** One shard's file: whole boards, their events and attachments, outbox rows for the directory, and kept answers. */
import type { Database } from 'better-sqlite3';
import type { LoadedBoard } from '../../domain/board/board.js';
import type { Activity } from '../../domain/board/activity/facts.js';
import type { BoardOnDisk } from '../../domain/board/board.js';
import type { TrashedPart } from '../../domain/board/trash/trashOnDisk.js';
import type { BoardEvent } from '../../domain/events.js';
import type { BoardKey, Uuid } from '../../domain/ids.js';
import type { Archived, Card, Change, Kind, Member, Trashed, Watch } from '../../domain/model.js';
import { FIRST_EPOCH, type Position } from '../../domain/position.js';
import type { ShardWrite } from '../../domain/ports/shardCommit.js';
import { uploadLost } from '../../domain/refusals.js';
import { toEnd } from '../../domain/slices.js';
import { AnswerTable } from '../sqlite/answerTable.js';
import { ArchiveTable } from './tables/archiveTable.js';
import { AttachmentContent } from './attachmentContent.js';
import type { Durability } from '../sqlite/database.js';
import { ActivityTable } from './tables/activityTable.js';
import { TrashTable } from './tables/trashTable.js';
import { TimerTable } from './tables/timerTable.js';
import { CommentTable } from './tables/commentTable.js';
import { VersionTable } from './tables/versionTable.js';
import { WatchTable } from './tables/watchTable.js';
import { MoveTable } from './tables/moveTable.js';
import { boardOnDisk, type TablesOnDisk } from './boardOnDisk.js';
import { EntityTables, keyTaken } from './entityTables.js';
import { EventLog } from './eventLog.js';
import { OrphanRows } from './orphanRows.js';
import { TrashedBoards } from './trashedBoards.js';
import type { Lock } from '../sqlite/lock.js';
import { Outbox } from './outbox.js';
import { UsedIds } from './usedIds.js';
import { WebhookTable } from './tables/webhookTable.js';
import { UnfinishedRemovals } from './unfinishedRemovals.js';
import { ownMinutesOf, type OwnMinutes } from '../../domain/board/timers/reminders.js';
import { prepareRead } from '../sqlite/read.js';
import { prepareWrite } from '../sqlite/transaction.js';
import { PartitionFile, type PartitionFileHooks } from '../transactions/partitionFile.js';
import { commitNow, unknownWrite } from '../transactions/transactions.js';
import { beginRun, endRun, historyOf, mayHaveLostCommits, newEpoch, setEpoch } from './history.js';

export type ShardHooks = PartitionFileHooks<ShardWrite>;

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
export class Shard extends PartitionFile<ShardWrite> {
  readonly #tables: EntityTables;
  readonly #events: EventLog;
  readonly #outbox: Outbox;
  readonly #content: AttachmentContent;
  readonly #orphans: OrphanRows;
  readonly #removals: UnfinishedRemovals;
  readonly #trashedBoards: TrashedBoards;
  readonly #answers: AnswerTable;
  readonly #usedIds: UsedIds;
  readonly #webhooks: WebhookTable;
  readonly #comments: CommentTable;
  readonly #versions: VersionTable;
  readonly #watches: WatchTable;
  readonly #moves: MoveTable;
  readonly #archive: ArchiveTable;
  readonly #trash: TrashTable;
  readonly #activity: ActivityTable;
  readonly #timers: TimerTable;
  readonly #onDisk: TablesOnDisk;
  readonly #position;
  readonly #state;
  readonly #id;
  readonly #ownMinutes;
  readonly #title;
  readonly #numberOf;
  readonly #keepNumber;
  readonly #keepArchivedNumbers;

  constructor(db: Database, lock: Lock, hooks: ShardHooks = {}) {
    super('shard', db, lock, hooks);
    const { journal } = this;
    this.#tables = new EntityTables(db);
    this.#usedIds = new UsedIds(db, journal);
    this.#events = new EventLog(db, journal, this.#usedIds);
    this.#outbox = new Outbox(db, journal);
    this.#content = new AttachmentContent(db, journal);
    this.#webhooks = new WebhookTable(db, journal);
    this.#comments = new CommentTable(db);
    this.#versions = new VersionTable(db);
    this.#watches = new WatchTable(db);
    this.#moves = new MoveTable(db);
    this.#archive = new ArchiveTable(db);
    this.#trash = new TrashTable(db);
    this.#activity = new ActivityTable(db, journal, this.#usedIds);
    this.#timers = new TimerTable(db, journal);
    this.#onDisk = {
      current: (table) => this.#current(table),
      requireCurrent: () => this.transactions.requireCurrent(),
      tables: this.#tables,
      activity: this.#activity,
      archive: this.#archive,
      comments: this.#comments,
      moves: this.#moves,
      timers: this.#timers,
      trash: this.#trash,
      versions: this.#versions,
      watches: this.#watches,
    };
    const orphans = {
      webhooks: this.#webhooks,
      comments: this.#comments,
      versions: this.#versions,
      archive: this.#archive,
      trash: this.#trash,
      activity: this.#activity,
      timers: this.#timers,
      tables: this.#tables,
      events: this.#events,
      content: this.#content,
      usedIds: this.#usedIds,
    };
    this.#orphans = new OrphanRows(db, { ...orphans, journal });
    this.#removals = new UnfinishedRemovals(db, journal);
    const parts = { tables: this.#tables, orphans: this.#orphans, removals: this.#removals, content: this.#content, journal };
    this.#trashedBoards = new TrashedBoards(db, parts);
    this.#answers = new AnswerTable(db, journal);
    this.#position = prepareRead(() => db.prepare<[BoardKey], Position>('SELECT epoch, seq FROM board WHERE board_key = ?'));
    this.#state = prepareRead(() =>
      db.prepare<[BoardKey], Omit<LoadedBoard, 'entities'>>(
        'SELECT epoch, seq, active_at AS activeAt, last_number AS lastNumber FROM board WHERE board_key = ?',
      ),
    );
    this.#id = prepareRead(() => db.prepare<[BoardKey], Uuid>('SELECT id FROM board WHERE board_key = ?').pluck());
    this.#numberOf = prepareRead(() => db.prepare<[BoardKey, Uuid], number | null>('SELECT number FROM card WHERE board_key = ? AND id = ?').pluck());
    this.#keepNumber = prepareWrite<[number, BoardKey]>(db, 'UPDATE board SET last_number = max(last_number, ?) WHERE board_key = ?');
    // Of an import: its archived cards were never removed from the board.
    this.#keepArchivedNumbers = prepareWrite<[BoardKey, BoardKey]>(
      db,
      `UPDATE board SET last_number = max(last_number, coalesce((SELECT max(json_extract(content, '$.card.number')) FROM archived
       WHERE board_key = ?), 0)) WHERE board_key = ?`,
    );
    this.#ownMinutes = prepareRead(() =>
      db.prepare<[BoardKey], Pick<Member, 'id' | 'reminder_minutes'>>(
        'SELECT id, reminder_minutes FROM member WHERE board_key = ? AND reminder_minutes IS NOT NULL',
      ),
    );
    this.#title = prepareRead(() => db.prepare<[BoardKey], string>('SELECT title FROM board WHERE board_key = ?').pluck());
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

  get trashedBoards(): TrashedBoards {
    return this.#current(this.#trashedBoards);
  }

  get answers(): AnswerTable {
    return this.#current(this.#answers);
  }

  get usedIds(): UsedIds {
    return this.#current(this.#usedIds);
  }

  get webhooks(): WebhookTable {
    return this.#current(this.#webhooks);
  }

  get activity(): ActivityTable {
    return this.#current(this.#activity);
  }

  get timers(): TimerTable {
    return this.#current(this.#timers);
  }

  /** What of one board is in no board's memory. */
  onDiskOf(key: BoardKey): BoardOnDisk {
    return boardOnDisk(key, this.#onDisk);
  }

  /** What users chose about these boards, columns and cards. */
  watchesOf(key: BoardKey, targets: readonly Uuid[]): Watch[] {
    return this.#current(this.#watches).of(key, targets);
  }

  /** Removes some of what was deleted before this time, so much that no commit waits long. */
  expireTrash(before: string, at: string, limit: number): void {
    for (const { key, id } of this.#current(this.#trash).expired(before, limit)) this.writeRows(key, [{ kind: 'trashed', remove: id }], at);
  }

  /** The same for versions of texts that were replaced before this time. */
  expireVersions(before: string, at: string, limit: number): void {
    for (const { key, id } of this.#current(this.#versions).expired(before, limit)) this.writeRows(key, [{ kind: 'version', remove: id }], at);
  }

  /** Forgets some cards that moved to other boards before this time. */
  expireMoves(before: string, at: string, limit: number): void {
    for (const { key, id } of this.#current(this.#moves).expired(before, limit)) this.writeRows(key, [{ kind: 'moved', remove: id }], at);
  }

  /** Removes some of the oldest versions of a board with more bytes than these. */
  pruneVersions(key: BoardKey, bytes: number, at: string): void {
    const changes = this.#current(this.#versions)
      .excess(key, bytes)
      .map((id) => ({ kind: 'version' as const, remove: id }));
    this.writeRows(key, changes, at);
  }

  /** The owner's commits must be readable for programs that know this schema. */
  writeFor(schema: number): void {
    this.#webhooks.writeFor(schema);
    this.#activity.writeFor(schema);
    this.#usedIds.writeFor(schema);
    this.#timers.writeFor(schema);
  }

  /** A member of a board that need not be in memory. */
  memberOf(key: BoardKey, user: Uuid): Member | null {
    return this.#current(this.#tables).find(key, 'member', user);
  }

  ownMinutesOf(key: BoardKey): OwnMinutes {
    return ownMinutesOf(this.#ownMinutes.all(key));
  }

  cardOf(key: BoardKey, id: Uuid): Card | null {
    return this.#current(this.#tables).find(key, 'card', id);
  }

  /** Null if there is no such board. */
  titleOf(key: BoardKey): string | null {
    return this.#current(this.#title).get(key) ?? null;
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

  /** The same of a board in the trash. Null if it is not there. */
  readTrashed(key: BoardKey): Generator<undefined, LoadedBoard | null> {
    return this.#inCurrentSlices(this.#readTrashed(key));
  }

  /** Without the kinds that make a board large, for listing a user's boards without loading them. In slices as well. */
  readSummary(key: BoardKey): Generator<undefined, LoadedBoard | null> {
    return this.#inCurrentSlices(this.#readSummary(key));
  }

  *#readBoard(key: BoardKey): Generator<undefined, LoadedBoard | null> {
    const state = this.#state.get(key);
    return state === undefined ? null : yield* this.#readRecords(key, state, yield* this.#tables.read(key, 'board'));
  }

  *#readTrashed(key: BoardKey): Generator<undefined, LoadedBoard | null> {
    const found = this.#trashedBoards.find(key);
    if (found === null) return null;
    const { record, ...state } = found;
    return yield* this.#readRecords(key, state, [record]);
  }

  *#readRecords(key: BoardKey, state: Omit<LoadedBoard, 'entities'>, board: LoadedBoard['entities']['board']): Generator<undefined, LoadedBoard> {
    const entities = {
      board,
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
    return unfinished.length === 0 ? { ...state, entities } : { ...state, entities, unfinished };
  }

  *#readSummary(key: BoardKey): Generator<undefined, LoadedBoard | null> {
    const state = this.#state.get(key);
    if (state === undefined) return null;
    const entities = {
      ...NO_ENTITIES,
      board: yield* this.#tables.read(key, 'board'),
      member: yield* this.#tables.read(key, 'member'),
      label: yield* this.#tables.read(key, 'label'),
    };
    return { ...state, entities };
  }

  /** Without all but the columns, and the cards on which this user has work left. */
  readAssigned(key: BoardKey, user: Uuid): Generator<undefined, LoadedBoard | null> {
    return this.#inCurrentSlices(this.#readAssigned(key, user));
  }

  *#readAssigned(key: BoardKey, user: Uuid): Generator<undefined, LoadedBoard | null> {
    const state = this.#state.get(key);
    if (state === undefined) return null;
    const entities = {
      ...NO_ENTITIES,
      board: yield* this.#tables.read(key, 'board'),
      member: yield* this.#tables.read(key, 'member'),
      column: yield* this.#tables.read(key, 'column'),
      card: this.#tables.assigned(key, user),
    };
    return { ...state, entities };
  }

  /** Null if there is no such board. */
  idOf(key: BoardKey): Uuid | null {
    return this.#current(this.#id).get(key) ?? null;
  }

  /** Null if there is no such board. */
  positionOf(key: BoardKey): Position | null {
    return this.#current(this.#position).get(key) ?? null;
  }

  /** Stored when this returns. If it throws, nothing is, and `rollback` must follow. */
  commit(): void {
    commitNow(this.transactions);
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
  write(key: BoardKey, changes: readonly Change[], events: readonly BoardEvent[], seq: number, now: string, activity: Activity | null = null): void {
    for (const change of changes) {
      if (change.kind === 'board' && 'remove' in change) {
        this.#keepForWebhooks(key, change.remove, events, seq, now);
        return this.removeBoard(key, now);
      }
      if (change.kind === 'board' && seq === 0 && this.#orphans.has(key)) throw keyTaken();
    }
    this.writeRows(key, changes, now);
    this.#events.append(key, events, seq, now);
    if (activity !== null) this.#activity.append(key, activity, now);
  }

  /** Rows of a board that may not exist yet. */
  writeRows(key: BoardKey, changes: readonly Change[], at: string): void {
    if (changes.length === 0) return;
    const isNew = changes.some((change) => change.kind === 'board') && this.#id.get(key) === undefined;
    // What goes to the archive is there before it leaves the board, and what comes back is on the board before it leaves the archive.
    // So is what goes to the trash, and what comes from it.
    for (const change of changes) if (change.kind === 'trashed' && 'put' in change) this.#trashRow(key, change.put);
    for (const change of changes) if (change.kind === 'archived' && 'put' in change) this.#archiveRow(key, change.put);
    this.#keepNumbers(key, changes);
    for (const change of changes) if (change.kind !== 'archived' && change.kind !== 'trashed') this.#writeRow(key, change, at);
    for (const change of changes) if (change.kind === 'archived' && 'remove' in change) this.#unarchiveRow(key, change.remove, at);
    for (const change of changes) if (change.kind === 'trashed' && 'remove' in change) this.#untrashRow(key, change.remove, at);
    if (isNew) this.#keepArchivedNumbers(key, key);
    this.journal.note({ op: 'rows', key, changes, at });
  }

  /** Before the cards are removed: no number is given twice. A card may be put and removed by one list. */
  #keepNumbers(key: BoardKey, changes: readonly Change[]): void {
    if (!changes.some((change) => change.kind === 'card' && 'remove' in change)) return;
    const removed = new Set<Uuid>();
    let last = 0;
    for (const change of changes) {
      if (change.kind !== 'card' || !('remove' in change)) continue;
      removed.add(change.remove);
      last = Math.max(last, this.#numberOf.get(key, change.remove) ?? 0);
    }
    for (const change of changes)
      if (change.kind === 'card' && 'put' in change && removed.has(change.put.id)) last = Math.max(last, change.put.number ?? 0);
    if (last > 0) this.#keepNumber(last, key);
  }

  #writeRow(key: BoardKey, change: Change, at: string): void {
    if (change.kind === 'attachment') this.#settleContent(key, change, at);
    if (change.kind === 'comment' && 'remove' in change) this.#removeVersions(key, change.remove);
    if (change.kind === 'version') this.#countVersion(key, change);
    this.#tables.apply(key, change);
    if ('put' in change || change.kind === 'version' || change.kind === 'watch' || change.kind === 'moved') return;
    if (change.unfinished === true) this.#removals.add(key, { kind: change.kind, id: change.remove });
    if (change.kind === 'card') this.#timers.forget(key, change.remove);
    if (this.#isKept(key, change.remove)) return;
    this.#usedIds.add(key, change.kind, change.remove);
    if (change.kind === 'card') this.#comments.discardOf(key, change.remove);
    this.#forgetWatches(key, change.kind, change.remove);
  }

  /** In the archive and in the trash a card is watched on. */
  #forgetWatches(key: BoardKey, kind: Kind, id: Uuid): void {
    if (kind === 'card' || kind === 'column') this.#watches.forget(key, id);
  }

  #countVersion(key: BoardKey, change: Extract<Change, { kind: 'version' }>): void {
    if ('put' in change) this.#versions.count(key, change.put);
    else this.#versions.discount(key, change.remove);
  }

  #removeVersions(key: BoardKey, comment: Uuid): void {
    const removed = this.#tables.find(key, 'comment', comment);
    if (removed !== null) this.#versions.removeOf(key, removed);
  }

  /** Whether it is in the archive or in the trash, with its content and comments. */
  #isKept(key: BoardKey, id: Uuid): boolean {
    return this.#archive.holderOf(key, id) !== undefined || this.#trash.holderOf(key, id) !== undefined;
  }

  /** Of an entry of which a part was restored, the row is replaced. */
  #trashRow(key: BoardKey, trashed: Trashed): void {
    this.#trash.removeParts(key, trashed.id);
    this.#tables.apply(key, { kind: 'trashed', put: trashed });
    this.#trash.addParts(key, trashed);
  }

  /** What is neither on the board nor in the archive again is gone. */
  #untrashRow(key: BoardKey, id: Uuid, at: string): void {
    const parts = this.#trash.parts(key, id);
    this.#trash.removeParts(key, id);
    this.#tables.remove(key, 'trashed', id);
    for (const part of parts) this.#forgetPart(key, part, at);
  }

  /** A part of something in the archive or the trash that is there no longer. */
  #forgetPart(key: BoardKey, { kind, id }: TrashedPart, at: string): void {
    if (this.#tables.has(key, kind, id) || this.#isKept(key, id)) return;
    this.#usedIds.add(key, kind, id);
    if (kind === 'card') this.#comments.discardOf(key, id);
    this.#forgetWatches(key, kind, id);
    if (kind === 'attachment') this.#content.discard(id, at);
  }

  /** Files of an imported card become its own; others belong to a card that leaves the board. */
  #archiveRow(key: BoardKey, archived: Archived): void {
    for (const { id, url } of archived.content.attachments ?? []) {
      if (!isFile(url)) continue;
      const isKnown = this.#tables.has(key, 'attachment', id) || this.#isKept(key, id);
      if (!isKnown && !this.#content.finishUpload(id)) throw uploadLost();
    }
    this.#tables.apply(key, { kind: 'archived', put: archived });
    this.#archive.addParts(key, archived);
  }

  /** What is not on the board again is deleted. */
  #unarchiveRow(key: BoardKey, id: Uuid, at: string): void {
    const parts = this.#archive.parts(key, id);
    this.#archive.removeParts(key, id);
    this.#tables.remove(key, 'archived', id);
    for (const part of parts) this.#forgetPart(key, part, at);
  }

  /** Moves the board to the trash, with its last events. */
  trashBoard(key: BoardKey, boardId: Uuid, events: readonly BoardEvent[], seq: number, now: string): void {
    const { epoch } = this.#position.get(key) ?? { epoch: FIRST_EPOCH };
    this.#webhooks.boardIsLeaving(key, boardId, { epoch, seq: seq - events.length });
    this.#events.append(key, events, seq, now);
    this.#trashedBoards.keep(key, now);
  }

  /** Removes the board at once. Its other rows are swept later. */
  removeBoard(key: BoardKey, at: string): void {
    this.#content.dropUploadsOfBoard(key);
    this.#tables.removeBoard(key);
    this.#removals.forgetBoard(key);
    this.#orphans.mark(key, at);
    this.journal.note({ op: 'board.remove', key, at });
  }

  /** Once, before anything else but the commits of a log. */
  beginRun(durability: Durability): void {
    if (mayHaveLostCommits(this.db)) this.transaction(() => this.cutHistory(newEpoch()));
    this.transactions.writePlace(() => beginRun(this.db, durability));
  }

  /** The numbers of all events so far may come again for others. */
  cutHistory(epoch: string): void {
    setEpoch(this.db, epoch);
    this.journal.note({ op: 'history.cut', epoch });
  }

  get history(): string {
    return historyOf(this.db);
  }

  protected override sweep(): void {
    this.#content.sweep();
  }

  protected override endRun(): void {
    let isFlushed = false;
    try {
      this.transactions.writePlace(() => endRun(this.db));
      isFlushed = true;
    } catch (error) {
      // The next start takes this for no clean close, and finds in the log what the file lacks.
      this.onError(error);
    }
    this.transactions.leave(isFlushed);
  }

  /** The part, when the file has everything that was committed. */
  #current<Part>(part: Part): Part {
    this.transactions.requireCurrent();
    return part;
  }

  *#inCurrentSlices<Value>(slices: Generator<undefined, Value>): Generator<undefined, Value> {
    for (;;) {
      this.transactions.requireCurrent();
      const step = slices.next();
      if (step.done === true) return step.value;
      yield undefined;
    }
  }

  protected override execute(write: ShardWrite): void {
    switch (write.op) {
      case 'rows':
        return this.writeRows(write.key, write.changes, write.at);
      case 'events':
        return this.#events.append(write.key, write.events, write.seq, write.at);
      case 'events.remove':
        return this.#events.removeUpTo(write.key, write.upTo, write.keepsIds === true);
      case 'used.forget':
      case 'creates.add':
        return this.#usedIds.execute(write);
      case 'history.cut':
        return this.cutHistory(write.epoch);
      case 'board.remove':
        return this.removeBoard(write.key, write.at);
      case 'board.trash':
      case 'board.restore':
      case 'board.discard':
        return this.#trashedBoards.execute(write);
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
      case 'activity':
      case 'activity.remove':
        return this.#activity.execute(write);
      case 'timer.set':
      case 'timer.clear':
        return this.#timers.execute(write);
      case 'webhook.put':
      case 'webhook.remove':
      case 'webhook.feed':
      case 'webhook.unfeed':
      case 'webhook.restart':
      case 'webhook.recent':
      case 'webhook.forget':
        return this.#webhooks.execute(write);
      default:
        return unknownWrite(write);
    }
  }

  /** Webhooks get the events of a removed board, its removal too, before they are swept. */
  #keepForWebhooks(key: BoardKey, boardId: Uuid, events: readonly BoardEvent[], seq: number, now: string): void {
    const { epoch } = this.#position.get(key) ?? { epoch: FIRST_EPOCH };
    const isAwaited = this.#webhooks.boardIsLeaving(key, boardId, { epoch, seq: seq - events.length });
    if (isAwaited) this.#events.append(key, events, seq, now);
  }

  /** A record and its content are stored and removed in the same commit. */
  #settleContent(key: BoardKey, change: Extract<Change, { kind: 'attachment' }>, now: string): void {
    const id = 'remove' in change ? change.remove : change.put.id;
    if (this.#isKept(key, id)) return;
    if ('remove' in change) {
      if (this.#tables.has(key, 'attachment', id)) this.#content.discard(id, now);
    } else if (isFile(change.put.url) && !this.#content.finishUpload(id) && !this.#tables.has(key, 'attachment', id)) {
      throw uploadLost();
    }
  }
}

/** Not a link, which has no content. Older programs stored no links. */
function isFile(url: string | null | undefined): boolean {
  return (url ?? null) === null;
}
