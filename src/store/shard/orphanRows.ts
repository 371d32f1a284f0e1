/**
 * Rows that belong to no board: of an unfinished import or of a deleted board. They are deleted a little at a time,
 * because deleting fifty thousand rows at once would block every other board of the shard.
 */
import type { Database } from 'better-sqlite3';
import type { BoardKey, Uuid } from '../../domain/ids.js';
import { KINDS, type Kind } from '../../domain/model.js';
import type { AttachmentContent } from './attachmentContent.js';
import type { EntityTables } from './entityTables.js';
import type { EventLog } from './eventLog.js';
import type { ShardJournal } from './shardJournal.js';
import type { UsedIds } from './usedIds.js';
import { prepareWrite } from '../sqlite/transaction.js';

/** Two to three milliseconds. */
const SWEEP_ROWS = 250;
/** An event may have a megabyte, and SQLite visits every page that it frees. */
const SWEEP_EVENTS = 16;

export interface OrphanParts {
  readonly tables: EntityTables;
  readonly events: EventLog;
  readonly content: AttachmentContent;
  readonly usedIds: UsedIds;
  readonly journal: ShardJournal;
}

export class OrphanRows {
  readonly #parts: OrphanParts;
  readonly #add;
  readonly #remove;
  readonly #has;
  readonly #list;

  constructor(db: Database, parts: OrphanParts) {
    this.#parts = parts;
    this.#add = prepareWrite<[BoardKey, string]>(db, 'INSERT INTO loose_board (board_key, since) VALUES (?, ?) ON CONFLICT DO NOTHING');
    this.#remove = prepareWrite<[BoardKey]>(db, 'DELETE FROM loose_board WHERE board_key = ?');
    this.#has = db.prepare<[BoardKey]>('SELECT 1 FROM loose_board WHERE board_key = ?');
    this.#list = db.prepare<[], BoardKey>('SELECT board_key FROM loose_board ORDER BY since').pluck();
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

  /** The rows have a board now, or are gone. */
  remove(key: BoardKey): void {
    if (this.#remove(key).changes === 0) return;
    // There are some only in a copy whose owner is an older program, which knows none.
    this.#parts.usedIds.forgetBoard(key);
    this.#parts.journal.note({ op: 'loose.remove', key });
  }

  has(key: BoardKey): boolean {
    return this.#has.get(key) !== undefined;
  }

  /** One step of deleting rows of boards that are not being imported. */
  sweep(isImported: (key: BoardKey) => boolean, at: string): void {
    const key = this.#list.all().find((each) => !isImported(each));
    if (key === undefined) return;
    const { tables, events } = this.#parts;
    let left = SWEEP_ROWS;
    for (const kind of KINDS) {
      const ids = tables.someIds(key, kind, left);
      if (ids.length > 0) this.sweepRows(key, kind, ids, at);
      left -= ids.length;
      if (left === 0) return;
    }
    if (!events.removeSome(key, SWEEP_EVENTS)) this.remove(key);
  }

  // The content of each removed record is discarded once; `AttachmentContent` then deletes it.
  sweepRows(key: BoardKey, kind: Kind, ids: readonly Uuid[], at: string): void {
    const { tables, content, journal } = this.#parts;
    for (const id of ids) {
      tables.remove(key, kind, id);
      if (kind === 'attachment') content.discard(id, at);
    }
    journal.note({ op: 'loose.sweep', key, kind, ids, at });
  }

  /** Whether there is nothing to sweep and no content to delete. */
  isSwept(isImported: (key: BoardKey) => boolean): boolean {
    return this.#list.all().every(isImported) && !this.#parts.content.hasDiscarded();
  }
}
