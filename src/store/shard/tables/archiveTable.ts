/**
 * The archive as it is read: by time, by column, by the id of a part. Its rows are written as records of their board; the ids
 * of the parts are written with them.
 */
import type { Database } from 'better-sqlite3';
import { partsOf, type ArchiveEntry, type ArchivePlace, type Part } from '../../../domain/board/archive/archiveOnDisk.js';
import type { BoardKey, Uuid } from '../../../domain/ids.js';
import type { Archived } from '../../../domain/model.js';
import { prepareRead } from '../../sqlite/read.js';
import { prepareWrite } from '../../sqlite/transaction.js';
import type { SqlValue } from '../../table/rowCodec.js';
import { entityCodec } from '../rowCodecs.js';

/** Behind every place. */
const LATEST: ArchivePlace = { created_at: '~', id: '~' };

export class ArchiveTable {
  readonly #codec = entityCodec('archived');
  readonly #page;
  readonly #pageOfKind;
  readonly #cardsOf;
  readonly #index;
  readonly #holder;
  readonly #addPart;
  readonly #parts;
  readonly #removeParts;
  readonly #someIds;

  constructor(db: Database) {
    const columns = this.#codec.columns.map((name) => `archived.${name}`).join(', ');
    const page = (filter: string): string =>
      `SELECT ${columns} FROM archived WHERE board_key = ? AND with_column = 0 ${filter} AND (archived_at, id) < (?, ?) ORDER BY archived_at DESC, id DESC`;
    this.#page = prepareRead(() => db.prepare<[BoardKey, string, string], SqlValue[]>(page('')).raw());
    // A filter of the rows would read all cards to find no column.
    this.#pageOfKind = prepareRead(() => db.prepare<[BoardKey, string, string, string], SqlValue[]>(page('AND archived_kind = ?')).raw());
    this.#cardsOf = prepareRead(() =>
      db
        .prepare<[BoardKey, Uuid], SqlValue[]>(
          `SELECT ${columns} FROM archived INDEXED BY archived_of_column WHERE board_key = ? AND column_id = ? AND with_column = 1 ORDER BY id`,
        )
        .raw(),
    );
    this.#index = prepareRead(() =>
      db.prepare<[BoardKey], ArchiveEntry>(
        'SELECT id, archived_kind, column_id FROM archived INDEXED BY archived_of_column WHERE board_key = ? ORDER BY column_id, with_column, archived_kind, id',
      ),
    );
    this.#holder = prepareRead(() =>
      db.prepare<[BoardKey, Uuid], Uuid>('SELECT archived_id FROM archived_part WHERE board_key = ? AND id = ?').pluck(),
    );
    this.#addPart = prepareWrite<[BoardKey, Uuid, string, Uuid]>(
      db,
      'INSERT INTO archived_part (board_key, id, kind, archived_id) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#parts = prepareRead(() =>
      db.prepare<[BoardKey, Uuid], Part>(
        'SELECT kind, id FROM archived_part INDEXED BY archived_part_of WHERE board_key = ? AND archived_id = ? ORDER BY id',
      ),
    );
    this.#removeParts = prepareWrite<[BoardKey, Uuid]>(
      db,
      'DELETE FROM archived_part INDEXED BY archived_part_of WHERE board_key = ? AND archived_id = ?',
    );
    this.#someIds = prepareRead(() =>
      db.prepare<[BoardKey, number], { id: Uuid; parts: number }>(
        `SELECT id, (SELECT count(*) FROM archived_part AS part WHERE part.board_key = archived.board_key AND part.archived_id = archived.id) AS parts
       FROM archived WHERE board_key = ? ORDER BY id LIMIT ?`,
      ),
    );
  }

  /** See `ArchiveOnDisk`. */
  page(key: BoardKey, kind: Archived['archived_kind'] | null, before: ArchivePlace | null, limit: number, maxCharacters: number): Archived[] {
    const { created_at, id } = before ?? LATEST;
    const found: Archived[] = [];
    let charactersLeft = maxCharacters;
    const rows = kind === null ? this.#page.iterate(key, created_at, id) : this.#pageOfKind.iterate(key, kind, created_at, id);
    for (const row of rows) {
      charactersLeft -= String(row[this.#contentColumn]).length;
      if (found.length > 0 && charactersLeft < 0) break;
      found.push(this.#codec.fromRow(row));
      if (found.length >= limit) break;
    }
    return found;
  }

  get #contentColumn(): number {
    return this.#codec.columns.indexOf('content');
  }

  cardsOf(key: BoardKey, column: Uuid): Archived[] {
    return this.#cardsOf.all(key, column).map((row) => this.#codec.fromRow(row));
  }

  index(key: BoardKey): ArchiveEntry[] {
    return this.#index.all(key);
  }

  /** The id of the archived card or column that has this part. */
  holderOf(key: BoardKey, id: Uuid): Uuid | undefined {
    return this.#holder.get(key, id);
  }

  /** Part of the change that stores the row. */
  addParts(key: BoardKey, archived: Archived): void {
    for (const { kind, id } of partsOf(archived)) this.#addPart(key, id, kind, archived.id);
  }

  parts(key: BoardKey, id: Uuid): Part[] {
    return this.#parts.all(key, id);
  }

  /** Part of the change that removes the row. */
  removeParts(key: BoardKey, id: Uuid): void {
    this.#removeParts(key, id);
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
