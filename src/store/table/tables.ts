/** The tables of a file, made from their declarations: reads by values and in pages, and the writes of commits. */
import type { Database, Statement } from 'better-sqlite3';
import type { Page, RowChange, Storage } from '../../domain/table.js';
import { prepareWrite } from '../sqlite/transaction.js';
import { decode, encode, type SqlValue } from './rowCodec.js';

/** A declaration without the types of its rows. */
interface AnyTable {
  readonly since: number;
  readonly isOptional?: boolean;
  readonly later?: { readonly [op: string]: number | undefined };
  readonly key: readonly string[];
  readonly columns: { readonly [column: string]: Storage };
  readonly writes: { readonly [op: string]: (write: never) => ReadonlyArray<RowChange<never>> };
}

type Values = Readonly<Record<string, unknown>>;
type Row = Record<string, unknown>;
type AnyChange = { readonly table: string } & Partial<Record<'put' | 'add' | 'insert' | 'set' | 'where' | 'remove', Values>>;

interface DeclaredWrite {
  /** A schema: programs that know it can read the write. */
  readonly since: number;
  readonly isOptional: boolean;
  readonly changes: (write: never) => readonly AnyChange[];
}

interface OpenTable extends AnyTable {
  /** For a statement. */
  readonly names: string;
  /** Those whose values SQLite has in another form. */
  readonly decoded: ReadonlyArray<readonly [column: string, storage: Storage]>;
}

export class Tables<Rows extends object, Write extends { readonly op: string }> {
  readonly #db: Database;
  readonly #tables = new Map<string, OpenTable>();
  readonly #writes = new Map<string, DeclaredWrite>();
  /** Prepared when first used, by what distinguishes them. */
  readonly #reads = new Map<string, Statement<unknown[], Row>>();
  readonly #changes = new Map<string, (...values: SqlValue[]) => { readonly changes: number }>();

  constructor(db: Database, declarations: { readonly [Name in keyof Rows]: object }) {
    this.#db = db;
    for (const [name, table] of Object.entries(declarations as { readonly [name: string]: AnyTable })) {
      const columns = Object.entries(table.columns);
      const decoded = columns.filter(([, storage]) => storage === 'boolean' || storage === 'json');
      this.#tables.set(name, { ...table, names: Object.keys(table.columns).join(', '), decoded });
      const { since, isOptional = false, later, writes } = table;
      for (const [op, changes] of Object.entries(writes)) this.#writes.set(op, { since: later?.[op] ?? since, isOptional, changes });
    }
  }

  /** A row with these values, or null. */
  get<Name extends keyof Rows & string>(name: Name, where: Partial<Rows[Name]>): Rows[Name] | null {
    const table = this.#table(name);
    const sql = (): string => `SELECT ${table.names} FROM ${name} WHERE ${conditions(where)}`;
    const row = this.#read(`get ${name}${shapeOf(where)}`, sql).get(valuesOf(table, where));
    return row === undefined ? null : (toRecord(table, row) as Rows[Name]);
  }

  list<Name extends keyof Rows & string>(name: Name, where: Partial<Rows[Name]>, page: Page<Rows[Name]>): Array<Rows[Name]> {
    const table = this.#table(name);
    const { order, isFalling = false, upTo, after, limit, offset } = page;
    const bounds = [upTo, after].filter((bound) => bound !== undefined);
    // A bound LIMIT has the statement prepared anew for each value, which takes longer than to run it.
    const end = limit === undefined ? '' : offset === undefined ? ` LIMIT ${limit}` : ' LIMIT ? OFFSET ?';
    const place = limit === undefined || offset === undefined ? [] : [limit, offset];
    const sql = (): string => {
      const [first, ...others] = order;
      const compared = [...(upTo === undefined ? [] : [`${first} <= ?`]), ...(after === undefined ? [] : [`${first} > ?`])];
      const sorted = [`${first}${isFalling ? ' DESC' : ''}`, ...others].join(', ');
      return `SELECT ${table.names} FROM ${name} WHERE ${conditions(where, compared)} ORDER BY ${sorted}${end}`;
    };
    const shape = `list ${name}${shapeOf(where)} by ${order.join()} ${isFalling}${upTo === undefined}${after === undefined}${end}`;
    const rows = this.#read(shape, sql).all(...valuesOf(table, where), ...bounds, ...place);
    return toRecords(table, rows) as Array<Rows[Name]>;
  }

  count<Name extends keyof Rows & string>(name: Name, where: Partial<Rows[Name]>): number {
    const sql = (): string => `SELECT count(*) AS count FROM ${name} WHERE ${conditions(where)}`;
    const row = this.#read(`count ${name}${shapeOf(where)}`, sql).get(valuesOf(this.#table(name), where));
    return Number(row?.['count']);
  }

  /** Rows of a table by a query of one's own: `source` is what follows FROM, and has the columns of the table. */
  query<Name extends keyof Rows & string>(name: Name, source: string, parameters: object): Array<Rows[Name]> {
    const table = this.#table(name);
    const rows = this.#read(source, () => `SELECT ${table.names} FROM ${source}`).all(parameters);
    return toRecords(table, rows) as Array<Rows[Name]>;
  }

  /** Executes a write in the open transaction. Returns how many rows changed. */
  execute(write: Write): number {
    let changed = 0;
    for (const change of this.#declared(write).changes(write as never)) changed += this.#change(change);
    return changed;
  }

  /** The schema with which the write came: a program that knows only older ones cannot read it. */
  sinceOf(write: Write): number {
    return this.#declared(write).since;
  }

  /** Whether it is left out, not refused, while a program that cannot read it takes part. */
  isOptional(write: Write): boolean {
    return this.#declared(write).isOptional;
  }

  /** The types exclude an unknown one, but a newer program may have made the commit. Values are not named: they may be secret. */
  #declared({ op }: Write): DeclaredWrite {
    const declared = this.#writes.get(op);
    if (declared === undefined) throw new Error(`a commit has a write of an unknown kind: ${JSON.stringify(op)}`);
    return declared;
  }

  #change({ table: name, put, add, insert, set, where, remove }: AnyChange): number {
    const table = this.#table(name);
    const row = put ?? add ?? insert;
    if (row !== undefined) {
      const how = put !== undefined ? 'put' : add !== undefined ? 'add' : 'insert';
      const columns = Object.keys(table.columns);
      const values = columns.map((column) => encodeColumn(table, column, row[column]));
      const sql = (): string => `INSERT INTO ${name} (${table.names}) VALUES (?${', ?'.repeat(columns.length - 1)}) ${onConflict(table, how)}`;
      return this.#run(`${how} ${name}`, sql, values);
    }
    if (remove !== undefined) {
      return this.#run(`remove ${name}${shapeOf(remove)}`, () => `DELETE FROM ${name} WHERE ${conditions(remove)}`, valuesOf(table, remove));
    }
    if (set === undefined || where === undefined) throw new Error(`${name}: an unknown change`);
    const columns = Object.keys(set);
    const values = columns.map((column) => encodeColumn(table, column, set[column]));
    const sql = (): string => `UPDATE ${name} SET ${columns.map((column) => `${column} = ?`).join(', ')} WHERE ${conditions(where)}`;
    return this.#run(`set ${name} ${columns.join()}${shapeOf(where)}`, sql, [...values, ...valuesOf(table, where)]);
  }

  #table(name: string): OpenTable {
    const table = this.#tables.get(name);
    if (table === undefined) throw new Error(`there is no table ${name}`);
    return table;
  }

  #read(shape: string, sql: () => string): Statement<unknown[], Row> {
    let statement = this.#reads.get(shape);
    if (statement === undefined) this.#reads.set(shape, (statement = this.#db.prepare<unknown[], Row>(sql())));
    return statement;
  }

  #run(shape: string, sql: () => string, values: readonly SqlValue[]): number {
    let run = this.#changes.get(shape);
    if (run === undefined) this.#changes.set(shape, (run = prepareWrite<SqlValue[]>(this.#db, sql())));
    return run(...values).changes;
  }
}

function onConflict({ key, columns }: AnyTable, how: 'put' | 'add' | 'insert'): string {
  if (how === 'insert') return '';
  const others = Object.keys(columns).filter((column) => !key.includes(column));
  if (how === 'add' || others.length === 0) return `ON CONFLICT (${key.join(', ')}) DO NOTHING`;
  return `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${others.map((column) => `${column} = excluded.${column}`).join(', ')}`;
}

/** The same text has the same statement. */
function shapeOf(where: Values): string {
  let shape = '';
  for (const column in where) shape += where[column] === null ? ` !${column}` : ` ${column}`;
  return shape;
}

function conditions(where: object, others: readonly string[] = []): string {
  const own = Object.entries(where).map(([column, value]) => (value === null ? `${column} IS NULL` : `${column} = ?`));
  return [...own, ...others].join(' AND ') || 'TRUE';
}

/** Those that `conditions` compares. */
function valuesOf(table: AnyTable, where: Values): SqlValue[] {
  const values: SqlValue[] = [];
  for (const column in where) if (where[column] !== null) values.push(encodeColumn(table, column, where[column]));
  return values;
}

function encodeColumn({ columns }: AnyTable, column: string, value: unknown): SqlValue {
  const storage = columns[column];
  if (storage === undefined) throw new Error(`there is no column ${column}`);
  return encode(storage, value);
}

function toRecords(table: OpenTable, rows: Row[]): Row[] {
  return table.decoded.length === 0 ? rows : rows.map((row) => toRecord(table, row));
}

/** The row belongs to the caller: SQLite has made it for this read. */
function toRecord({ decoded }: OpenTable, row: Row): Row {
  for (const [column, storage] of decoded) row[column] = decode(storage, row[column] as SqlValue);
  return row;
}
