/**
 * The trash as it is read: by time, by entry, by the id of a part. Its rows are written as records of their board; the ids of the
 * parts are written with them.
 */
import type { Database } from 'better-sqlite3';
import { partsOfContent, TOTAL_FIELDS, type StoredTotals, type TrashedPart, type TrashEntry } from '../../../domain/board/trash/trashOnDisk.js';
import type { CommentPlace } from '../../../domain/board/comments/commentsOnDisk.js';
import type { BoardKey, Uuid } from '../../../domain/ids.js';
import type { Trashed, TrashTotals } from '../../../domain/model.js';
import { prepareRead } from '../../sqlite/read.js';
import { prepareWrite } from '../../sqlite/transaction.js';
import type { SqlValue } from '../../table/rowCodec.js';
import { entityCodec } from '../rowCodecs.js';

/** Behind every place. */
const LATEST: CommentPlace = { created_at: '~', id: '~' };

/** A row that can be restored no longer. */
export interface ExpiredRow {
  readonly key: BoardKey;
  readonly id: Uuid;
}

export class TrashTable {
  readonly #codec = entityCodec('trashed');
  readonly #page;
  readonly #rest;
  readonly #oldest;
  readonly #totals;
  readonly #holder;
  readonly #addPart;
  readonly #parts;
  readonly #removeParts;
  readonly #expired;
  readonly #headless;
  readonly #someIds;

  constructor(db: Database) {
    const columns = this.#codec.columns.join(', ');
    this.#page = prepareRead(() =>
      db.prepare<[BoardKey, string, string, string, number], TrashEntry>(
        `SELECT id, trashed_kind, title, deleted_by, created_at FROM trashed
       WHERE board_key = ? AND part = 0 AND created_at >= ? AND (created_at, id) < (?, ?) ORDER BY created_at DESC, id DESC LIMIT ?`,
      ),
    );
    this.#rest = prepareRead(() =>
      db
        .prepare<[BoardKey, Uuid, number], SqlValue[]>(
          `SELECT ${columns} FROM trashed WHERE board_key = ? AND entry_id = ? AND part > 0 ORDER BY part DESC LIMIT ?`,
        )
        .raw(),
    );
    this.#oldest = prepareRead(() =>
      db.prepare<[BoardKey, number], StoredTotals>(
        `SELECT id, ${TOTAL_FIELDS.join(', ')} FROM trashed INDEXED BY trashed_totals WHERE board_key = ? ORDER BY created_at, entry_id, part LIMIT ?`,
      ),
    );
    this.#totals = prepareRead(() =>
      db.prepare<[BoardKey], TrashTotals>(
        `SELECT ${TOTAL_FIELDS.map((field) => `coalesce(sum(${field}), 0) AS ${field}`).join(', ')}
       FROM trashed INDEXED BY trashed_totals WHERE board_key = ?`,
      ),
    );
    this.#holder = prepareRead(() =>
      db.prepare<[BoardKey, Uuid], Uuid>('SELECT trashed_id FROM trashed_part WHERE board_key = ? AND id = ?').pluck(),
    );
    this.#addPart = prepareWrite<[BoardKey, Uuid, string, Uuid]>(
      db,
      'INSERT INTO trashed_part (board_key, id, kind, trashed_id) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#parts = prepareRead(() =>
      db.prepare<[BoardKey, Uuid], TrashedPart>(
        'SELECT kind, id FROM trashed_part INDEXED BY trashed_part_of WHERE board_key = ? AND trashed_id = ? ORDER BY id',
      ),
    );
    this.#removeParts = prepareWrite<[BoardKey, Uuid]>(
      db,
      'DELETE FROM trashed_part INDEXED BY trashed_part_of WHERE board_key = ? AND trashed_id = ?',
    );
    // Rows of a removed board are swept with it.
    const ofBoards = 'board_key IN (SELECT board_key FROM board)';
    this.#expired = prepareRead(() =>
      db.prepare<[string, number], ExpiredRow>(
        `SELECT board_key AS key, id FROM trashed INDEXED BY trashed_by_time WHERE created_at < ? AND ${ofBoards} ORDER BY created_at LIMIT ?`,
      ),
    );
    this.#headless = prepareRead(() =>
      db.prepare<[number], ExpiredRow>(
        `SELECT board_key AS key, id FROM trashed INDEXED BY trashed_further WHERE part > 0 AND ${ofBoards} AND NOT EXISTS (
         SELECT 1 FROM trashed AS root WHERE root.board_key = trashed.board_key AND root.id = trashed.entry_id) LIMIT ?`,
      ),
    );
    this.#someIds = prepareRead(() =>
      db.prepare<[BoardKey, number], { id: Uuid; parts: number }>(
        `SELECT id, (SELECT count(*) FROM trashed_part AS part WHERE part.board_key = trashed.board_key AND part.trashed_id = trashed.id) AS parts
       FROM trashed WHERE board_key = ? ORDER BY id LIMIT ?`,
      ),
    );
  }

  /** See `TrashOnDisk`. */
  page(key: BoardKey, since: string, before: CommentPlace | null, limit: number): TrashEntry[] {
    const { created_at, id } = before ?? LATEST;
    return this.#page.all(key, since, created_at, id, limit);
  }

  rest(key: BoardKey, entry: Uuid, limit: number): Trashed[] {
    return this.#rest.all(key, entry, limit).map((row) => this.#codec.fromRow(row));
  }

  oldest(key: BoardKey, limit: number): StoredTotals[] {
    return this.#oldest.all(key, limit);
  }

  totals(key: BoardKey): TrashTotals {
    const totals = this.#totals.get(key);
    if (totals === undefined) throw new Error('a sum has one row');
    return totals;
  }

  /** The id of the row that has this part. */
  holderOf(key: BoardKey, id: Uuid): Uuid | undefined {
    return this.#holder.get(key, id);
  }

  /** Part of the change that stores the row. */
  addParts(key: BoardKey, { id, content }: Trashed): void {
    for (const part of partsOfContent(content)) this.#addPart(key, part.id, part.kind, id);
  }

  parts(key: BoardKey, id: Uuid): TrashedPart[] {
    return this.#parts.all(key, id);
  }

  /** Part of the change that removes or replaces the row. */
  removeParts(key: BoardKey, id: Uuid): void {
    this.#removeParts(key, id);
  }

  /** Some rows that were deleted before this time, or whose entry was thrown away. */
  expired(before: string, limit: number): ExpiredRow[] {
    const expired = this.#expired.all(before, limit);
    return expired.length > 0 ? expired : this.#headless.all(limit);
  }

  /** Some rows, at least one if there is one; then fewer if they have many parts. */
  someIds(key: BoardKey, limit: number): Uuid[] {
    const ids: Uuid[] = [];
    let left = limit;
    for (const { id, parts } of this.#someIds.all(key, limit)) {
      left -= parts;
      if (ids.length > 0 && left < 0) break;
      ids.push(id);
    }
    return ids;
  }
}
