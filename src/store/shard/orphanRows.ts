/**
 * Rows that belong to no board: of an unfinished import or of a deleted board. They are deleted a little at a time,
 * because deleting fifty thousand rows at once would block every other board of the shard.
 */
import type { Database } from 'better-sqlite3';
import type { BoardKey, Uuid } from '../../domain/ids.js';
import { KINDS, type Kind } from '../../domain/model.js';
import type { ArchiveTable } from './tables/archiveTable.js';
import type { TrashTable } from './tables/trashTable.js';
import type { ActivityTable } from './tables/activityTable.js';
import type { AttachmentContent } from './attachmentContent.js';
import type { TimerTable } from './tables/timerTable.js';
import type { CommentTable } from './tables/commentTable.js';
import type { VersionTable } from './tables/versionTable.js';
import type { EntityTables } from './entityTables.js';
import type { EventLog } from './eventLog.js';
import type { ShardJournal } from './shardJournal.js';
import type { UsedIds } from './usedIds.js';
import type { WebhookTable } from './tables/webhookTable.js';
import { prepareRead } from '../sqlite/read.js';
import { prepareWrite } from '../sqlite/transaction.js';

/** Two to three milliseconds. */
const SWEEP_ROWS = 250;
/** An event may have a megabyte, and SQLite visits every page that it frees. */
const SWEEP_EVENTS = 16;
/** A comment or a version may have a quarter of a megabyte. */
const SWEEP_COMMENTS = 32;

export interface OrphanParts {
  readonly tables: EntityTables;
  readonly events: EventLog;
  readonly content: AttachmentContent;
  readonly usedIds: UsedIds;
  readonly webhooks: WebhookTable;
  readonly comments: CommentTable;
  readonly versions: VersionTable;
  readonly archive: ArchiveTable;
  readonly trash: TrashTable;
  readonly activity: ActivityTable;
  readonly timers: TimerTable;
  readonly journal: ShardJournal;
}

export class OrphanRows {
  readonly #parts: OrphanParts;
  readonly #add;
  readonly #remove;
  readonly #has;
  readonly #isGone;
  readonly #list;

  constructor(db: Database, parts: OrphanParts) {
    this.#parts = parts;
    this.#add = prepareWrite<[BoardKey, string]>(db, 'INSERT INTO loose_board (board_key, since) VALUES (?, ?) ON CONFLICT DO NOTHING');
    this.#remove = prepareWrite<[BoardKey]>(db, 'DELETE FROM loose_board WHERE board_key = ?');
    this.#has = prepareRead(() => db.prepare<[BoardKey]>('SELECT 1 FROM loose_board WHERE board_key = ?'));
    this.#isGone = prepareRead(() =>
      db.prepare<[BoardKey]>('SELECT 1 FROM loose_board WHERE board_key = ? AND board_key NOT IN (SELECT board_key FROM trashed_board)'),
    );
    // Boards in the trash wait until they can be restored no longer.
    this.#list = prepareRead(() =>
      db
        .prepare<[], BoardKey>('SELECT board_key FROM loose_board WHERE board_key NOT IN (SELECT board_key FROM trashed_board) ORDER BY since')
        .pluck(),
    );
  }

  /** Rows are written before their board. */
  add(key: BoardKey, at: string): void {
    this.mark(key, at);
    this.#parts.journal.note({ op: 'loose.add', key, at });
  }

  /** Part of the removal of a board, whose rows outlive it. */
  mark(key: BoardKey, at: string): void {
    this.#add(key, at);
  }

  /** Part of the restoration of a board. */
  unmark(key: BoardKey): void {
    this.#remove(key);
  }

  /** The rows have a board now, or are gone. */
  remove(key: BoardKey): void {
    if (this.#remove(key).changes === 0) return;
    // There are some only in a copy whose owner is an older program, which knows none.
    this.#parts.usedIds.forgetBoard(key);
    this.#parts.webhooks.forgetBoard(key);
    this.#parts.comments.forgetBoard(key);
    this.#parts.activity.forgetBoard(key);
    this.#parts.journal.note({ op: 'loose.remove', key });
  }

  has(key: BoardKey): boolean {
    return this.#has.get(key) !== undefined;
  }

  /** One step of deleting rows of boards that are not being imported. */
  sweep(isImported: (key: BoardKey) => boolean, at: string): void {
    const key = this.#list.all().find((each) => this.#isFree(each, isImported));
    if (key === undefined) return this.#sweepComments(at);
    const { events, activity } = this.#parts;
    let left = SWEEP_ROWS;
    for (const kind of KINDS) {
      const ids = this.#someIds(key, kind, left);
      if (ids.length > 0) this.sweepRows(key, kind, ids, at);
      left -= ids.length;
      // Each row of these may have many parts, or a long text.
      if (left === 0 || ((kind === 'archived' || kind === 'trashed' || kind === 'version') && ids.length > 0)) return;
    }
    if (events.removeSome(key, SWEEP_EVENTS)) return;
    if (!activity.removeSome(key, SWEEP_ROWS)) this.remove(key);
  }

  #someIds(key: BoardKey, kind: Kind, limit: number): Uuid[] {
    const { tables, archive, trash } = this.#parts;
    if (kind === 'trashed') return trash.someIds(key, limit);
    if (kind === 'version') return tables.someIds(key, kind, SWEEP_COMMENTS);
    return kind === 'archived' ? archive.someIds(key, limit) : tables.someIds(key, kind, limit);
  }

  /** Comments of removed cards, and the versions of their texts. */
  #sweepComments(at: string): void {
    const orphans = this.#parts.comments.someOrphans(SWEEP_COMMENTS);
    if (orphans === null) return;
    const { key, card, ids } = orphans;
    if (ids.length > 0) return this.sweepRows(key, 'comment', ids, at);
    this.sweepRows(key, 'version', this.#parts.versions.someIdsOfCard(key, card, SWEEP_COMMENTS), at);
  }

  // The content of each removed record is discarded once; `AttachmentContent` then deletes it.
  sweepRows(key: BoardKey, kind: Kind, ids: readonly Uuid[], at: string): void {
    const { tables, content, comments, versions, archive, trash, timers, usedIds, journal } = this.#parts;
    // Comments are swept of boards that are there, too.
    const isBoardGone = this.#isGone.get(key) !== undefined;
    for (const id of ids) {
      if (kind === 'version') versions.discount(key, id);
      tables.remove(key, kind, id);
      if (kind === 'version' || kind === 'watch' || kind === 'moved') continue;
      if (isBoardGone) usedIds.removeCreate(key, id);
      else usedIds.addSwept(key, id);
      if (kind === 'attachment') content.discard(id, at);
      if (kind === 'card') timers.forget(key, id);
      if (kind !== 'archived' && kind !== 'trashed') continue;
      const holders = kind === 'archived' ? archive : trash;
      for (const part of holders.parts(key, id)) {
        if (part.kind === 'attachment') content.discard(part.id, at);
        usedIds.removeCreate(key, part.id);
      }
      holders.removeParts(key, id);
    }
    if (kind === 'comment' || kind === 'version') comments.settle(key);
    journal.note({ op: 'loose.sweep', key, kind, ids, at });
  }

  /** Whether there is nothing to sweep and no content to delete. */
  isSwept(isImported: (key: BoardKey) => boolean): boolean {
    const { content, comments } = this.#parts;
    return !this.#list.all().some((key) => this.#isFree(key, isImported)) && !content.hasDiscarded() && !comments.hasOrphans();
  }

  /** No import and no webhook needs the rows. */
  #isFree(key: BoardKey, isImported: (key: BoardKey) => boolean): boolean {
    return !isImported(key) && !this.#parts.webhooks.isHeld(key);
  }
}
