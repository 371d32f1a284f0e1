import type { Database } from 'better-sqlite3';
import { AppError } from '../../domain/errors.js';
import type { BoardKey, Uuid } from '../../domain/ids.js';
import type { Change, Entities, Kind } from '../../domain/model.js';
import type { SqlValue } from '../table/rowCodec.js';
import { entityCodec, tableOf } from './rowCodecs.js';
import { prepareWrite } from '../sqlite/transaction.js';

/** Rows of one query. Few, because each may hold a long text. */
const PAGE_ROWS = 64;
/** One to two milliseconds of reading: how long other boards wait while a large one is loaded. */
const SLICE_ROWS = 512;
const SLICE_CHARACTERS = 512 * 1024;

/** The statements of one kind. */
class EntityTable<K extends Kind> {
  readonly #codec;
  readonly #put;
  readonly #remove;
  readonly #removeBoard;
  readonly #someIds;
  readonly #has;
  readonly #page;

  constructor(db: Database, kind: K) {
    const table = tableOf(kind);
    this.#codec = entityCodec(kind);
    const { columns } = this.#codec;
    const assignments = columns.map((name) => `${name} = excluded.${name}`).join(', ');
    // A board's primary key is its board key, so a second board with the same key conflicts with the first one's row.
    const [target, sameRow] = kind === 'board' ? ['board_key', ' WHERE board.id = excluded.id'] : ['board_key, id', ''];
    this.#put = prepareWrite<SqlValue[]>(
      db,
      `INSERT INTO ${table} (board_key, ${columns.join(', ')}) VALUES (?${', ?'.repeat(columns.length)})
       ON CONFLICT (${target}) DO UPDATE SET ${assignments}${sameRow}`,
    );
    this.#remove = prepareWrite<[BoardKey, Uuid]>(db, `DELETE FROM ${table} WHERE board_key = ? AND id = ?`);
    this.#removeBoard = prepareWrite<[BoardKey]>(db, `DELETE FROM ${table} WHERE board_key = ?`);
    this.#someIds = db.prepare<[BoardKey, number], Uuid>(`SELECT id FROM ${table} WHERE board_key = ? ORDER BY id LIMIT ?`).pluck();
    this.#has = db.prepare<[BoardKey, Uuid]>(`SELECT 1 FROM ${table} WHERE board_key = ? AND id = ?`);
    this.#page = db
      .prepare<[BoardKey, Uuid], SqlValue[]>(
        `SELECT ${columns.join(', ')} FROM ${table} WHERE board_key = ? AND id > ? ORDER BY id LIMIT ${PAGE_ROWS}`,
      )
      .raw();
  }

  put(key: BoardKey, entity: Entities[K]): void {
    const { changes } = this.#put(key, ...this.#codec.toRow(entity));
    if (changes !== 1) throw keyTaken();
  }

  remove(key: BoardKey, id: Uuid): void {
    this.#remove(key, id);
  }

  removeBoard(key: BoardKey): void {
    this.#removeBoard(key);
  }

  someIds(key: BoardKey, limit: number): Uuid[] {
    return this.#someIds.all(key, limit);
  }

  has(key: BoardKey, id: Uuid): boolean {
    return this.#has.get(key, id) !== undefined;
  }

  /** In the order of their ids, pausing after every slice. */
  *read(key: BoardKey): Generator<undefined, Entities[K][]> {
    const entities: Entities[K][] = [];
    let [rowsLeft, charactersLeft] = [SLICE_ROWS, SLICE_CHARACTERS];
    for (;;) {
      // Pages instead of an open cursor: SQLite allows no writes while a cursor of this connection is open.
      const rows = this.#page.all(key, entities.at(-1)?.id ?? '');
      for (const row of rows) {
        entities.push(this.#codec.fromRow(row));
        charactersLeft -= charactersIn(row);
      }
      if (rows.length < PAGE_ROWS) return entities;
      rowsLeft -= rows.length;
      if (rowsLeft > 0 && charactersLeft > 0) continue;
      yield undefined;
      [rowsLeft, charactersLeft] = [SLICE_ROWS, SLICE_CHARACTERS];
    }
  }
}

function charactersIn(row: readonly SqlValue[]): number {
  let characters = 0;
  for (const value of row) if (typeof value === 'string') characters += value.length;
  return characters;
}

export class EntityTables {
  readonly #tables: { readonly [K in Kind]: EntityTable<K> };

  constructor(db: Database) {
    this.#tables = {
      board: new EntityTable(db, 'board'),
      member: new EntityTable(db, 'member'),
      column: new EntityTable(db, 'column'),
      card: new EntityTable(db, 'card'),
      label: new EntityTable(db, 'label'),
      checklist: new EntityTable(db, 'checklist'),
      item: new EntityTable(db, 'item'),
      attachment: new EntityTable(db, 'attachment'),
      rule: new EntityTable(db, 'rule'),
    };
  }

  apply(key: BoardKey, change: Change): void {
    if ('put' in change) this.#put(key, change);
    else this.#tables[change.kind].remove(key, change.remove);
  }

  /** Removes the row that makes it a board: its other rows are unreachable without it. */
  removeBoard(key: BoardKey): void {
    this.#tables.board.removeBoard(key);
    this.#tables.member.removeBoard(key);
  }

  /** Some ids of a kind; fewer than the limit means that those are all. */
  someIds(key: BoardKey, kind: Kind, limit: number): Uuid[] {
    return this.#tables[kind].someIds(key, limit);
  }

  remove(key: BoardKey, kind: Kind, id: Uuid): void {
    this.#tables[kind].remove(key, id);
  }

  has(key: BoardKey, kind: Kind, id: Uuid): boolean {
    return this.#tables[kind].has(key, id);
  }

  read<K extends Kind>(key: BoardKey, kind: K): Generator<undefined, Entities[K][]> {
    return this.#tables[kind].read(key);
  }

  #put<K extends Kind>(key: BoardKey, change: { kind: K; put: Entities[K] }): void {
    this.#tables[change.kind].put(key, change.put);
  }
}

export function keyTaken(): AppError {
  return new AppError('conflict', 'The board key is taken by another board');
}
