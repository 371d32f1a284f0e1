/**
 * Rows that belong to no board: of an unfinished import or of a deleted board. They are deleted a little at a time,
 * because deleting fifty thousand rows at once would block every other board of the shard.
 */
import type { Database } from 'better-sqlite3';
import type { BoardKey } from '../../domain/ids.js';
import type { AttachmentContent } from './attachmentContent.js';
import type { EntityTables } from './entityTables.js';
import type { EventLog } from './eventLog.js';
import { prepareWrite } from '../sqlite/transaction.js';

/** Two to three milliseconds. */
const SWEEP_ROWS = 250;
/** An event may have a megabyte, and SQLite visits every page that it frees. */
const SWEEP_EVENTS = 16;

export class LooseBoards {
  readonly #parts: { readonly tables: EntityTables; readonly events: EventLog; readonly content: AttachmentContent };
  readonly #add;
  readonly #remove;
  readonly #has;
  readonly #list;

  constructor(db: Database, parts: { tables: EntityTables; events: EventLog; content: AttachmentContent }) {
    this.#parts = parts;
    this.#add = prepareWrite<[BoardKey, string]>(
      db,
      'INSERT INTO loose_board (board_key, since) VALUES (?, ?) ON CONFLICT DO NOTHING',
    );
    this.#remove = prepareWrite<[BoardKey]>(db, 'DELETE FROM loose_board WHERE board_key = ?');
    this.#has = db.prepare<[BoardKey]>('SELECT 1 FROM loose_board WHERE board_key = ?');
    this.#list = db.prepare<[], BoardKey>('SELECT board_key FROM loose_board ORDER BY since').pluck();
  }

  /** Marks rows that are written before their board, or outlive it. */
  add(key: BoardKey, now: string): void {
    this.#add(key, now);
  }

  /** The rows now have a board. */
  adopt(key: BoardKey): void {
    this.#remove(key);
  }

  has(key: BoardKey): boolean {
    return this.#has.get(key) !== undefined;
  }

  /** One step of deleting rows of boards that are not being imported. */
  sweep(isImported: (key: BoardKey) => boolean, now: string): void {
    const key = this.#list.all().find((each) => !isImported(each));
    if (key === undefined) return;
    const { tables, events, content } = this.#parts;
    // The content of each removed record is discarded once; `AttachmentContent` then deletes it.
    const attachments = tables.removeAttachments(key, SWEEP_ROWS);
    for (const id of attachments) content.discard(id, now);
    if (attachments.length === SWEEP_ROWS) return;
    const rows = tables.removeSome(key, SWEEP_ROWS);
    if (rows < SWEEP_ROWS && events.removeSome(key, SWEEP_EVENTS) < SWEEP_EVENTS) this.#remove(key);
  }

  /** Whether there is nothing to sweep and no content to delete. */
  isSwept(isImported: (key: BoardKey) => boolean): boolean {
    return this.#list.all().every(isImported) && !this.#parts.content.hasDiscarded();
  }
}
