import type { Database } from 'better-sqlite3';
import { AppError } from '../../domain/errors.js';
import type { BoardKey, Uuid } from '../../domain/ids.js';
import type { Change, Entities, Kind } from '../../domain/model.js';
import type { SqlValue } from '../table/rowCodec.js';
import { entityCodec, tableOf } from './rowCodecs.js';
import { prepareRead } from '../sqlite/read.js';
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
  readonly #find;

  constructor(db: Database, kind: K) {
    const table = tableOf(kind);
    this.#codec = entityCodec(kind);
    const { columns } = this.#codec;
    // Without the key, which is the same: SQLite would take the row out and put it in again.
    const assignments = columns.flatMap((name) => (name === 'id' ? [] : `${name} = excluded.${name}`)).join(', ');
    // A board's primary key is its board key, so a second board with the same key conflicts with the first one's row.
    const [target, sameRow] = kind === 'board' ? ['board_key', ' WHERE board.id = excluded.id'] : ['board_key, id', ''];
    this.#put = prepareWrite<SqlValue[]>(
      db,
      `INSERT INTO ${table} (board_key, ${columns.join(', ')}) VALUES (?${', ?'.repeat(columns.length)})
       ON CONFLICT (${target}) DO UPDATE SET ${assignments}${sameRow}`,
    );
    this.#remove = prepareWrite<[BoardKey, Uuid]>(db, `DELETE FROM ${table} WHERE board_key = ? AND id = ?`);
    this.#removeBoard = prepareWrite<[BoardKey]>(db, `DELETE FROM ${table} WHERE board_key = ?`);
    this.#someIds = prepareRead(() =>
      db.prepare<[BoardKey, number], Uuid>(`SELECT id FROM ${table} WHERE board_key = ? ORDER BY id LIMIT ?`).pluck(),
    );
    this.#has = prepareRead(() => db.prepare<[BoardKey, Uuid]>(`SELECT 1 FROM ${table} WHERE board_key = ? AND id = ?`));
    this.#find = prepareRead(() =>
      db.prepare<[BoardKey, Uuid], SqlValue[]>(`SELECT ${columns.join(', ')} FROM ${table} WHERE board_key = ? AND id = ?`).raw(),
    );
    this.#page = prepareRead(() =>
      db
        .prepare<[BoardKey, Uuid], SqlValue[]>(
          `SELECT ${columns.join(', ')} FROM ${table} WHERE board_key = ? AND id > ? ORDER BY id LIMIT ${PAGE_ROWS}`,
        )
        .raw(),
    );
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

  find(key: BoardKey, id: Uuid): Entities[K] | null {
    const row = this.#find.get(key, id);
    return row === undefined ? null : this.#codec.fromRow(row);
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
  readonly #db: Database;
  /** Of the kinds that were used. */
  readonly #tables: { [K in Kind]?: EntityTable<K> } = {};
  readonly #cards = entityCodec('card');
  readonly #assigned;

  constructor(db: Database) {
    this.#db = db;
    this.#assigned = prepareRead(() =>
      db
        .prepare<[BoardKey, string], SqlValue[]>(
          `SELECT ${this.#cards.columns.join(', ')} FROM card INDEXED BY card_assigned
         WHERE board_key = ? AND assignee_ids LIKE ? AND assignee_ids <> '[]' AND completed_at IS NULL`,
        )
        .raw(),
    );
  }

  /** The cards that are assigned to a user and not completed. Reads an index alone until it finds one. */
  assigned(key: BoardKey, user: Uuid): Entities['card'][] {
    return this.#assigned.all(key, `%"${user}"%`).map((row) => this.#cards.fromRow(row));
  }

  apply(key: BoardKey, change: Change): void {
    if ('put' in change) this.#put(key, change);
    else this.#table(change.kind).remove(key, change.remove);
  }

  /** Removes the row that makes it a board: its other rows are unreachable without it. */
  removeBoard(key: BoardKey): void {
    this.#table('board').removeBoard(key);
    this.#table('member').removeBoard(key);
  }

  /** Its other rows stay, for a while. */
  removeRecord(key: BoardKey): void {
    this.#table('board').removeBoard(key);
  }

  /** Some ids of a kind; fewer than the limit means that those are all. */
  someIds(key: BoardKey, kind: Kind, limit: number): Uuid[] {
    return this.#table(kind).someIds(key, limit);
  }

  remove(key: BoardKey, kind: Kind, id: Uuid): void {
    this.#table(kind).remove(key, id);
  }

  has(key: BoardKey, kind: Kind, id: Uuid): boolean {
    return this.#table(kind).has(key, id);
  }

  find<K extends Kind>(key: BoardKey, kind: K, id: Uuid): Entities[K] | null {
    return this.#table(kind).find(key, id);
  }

  read<K extends Kind>(key: BoardKey, kind: K): Generator<undefined, Entities[K][]> {
    return this.#table(kind).read(key);
  }

  #table<K extends Kind>(kind: K): EntityTable<K> {
    const tables: { [Name in K]?: EntityTable<K> } = this.#tables;
    return (tables[kind] ??= new EntityTable(this.#db, kind));
  }

  #put<K extends Kind>(key: BoardKey, change: { kind: K; put: Entities[K] }): void {
    this.#table(change.kind).put(key, change.put);
  }
}

export function keyTaken(): AppError {
  return new AppError('conflict', 'The board key is taken by another board');
}
