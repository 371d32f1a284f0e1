/**
 * What a table of a file is. From its declaration follow the statements, both directions of the row codec, the writes of a
 * commit, their replay on another copy, and the schema that a reader of the commit needs. The types tie a declaration to its
 * row: a new field does not compile until it has a column.
 */

/**
 * `text` and `integer` unchanged, null included; `boolean` as 0 or 1; `json` for lists and objects, null as null; `count` is
 * an integer that is 0 in a record of an older program.
 */
export type Storage = 'text' | 'integer' | 'count' | 'boolean' | 'json';

type StorageOf<Value> = [Value] extends [boolean]
  ? 'boolean'
  : [Value] extends [number]
    ? 'integer' | 'count'
    : [Value] extends [number | null]
      ? 'integer'
      : [Value] extends [string | null]
        ? 'text'
        : 'json';

export type ColumnsOf<Row> = { readonly [Field in keyof Row]: StorageOf<Row[Field]> };

/**
 * A change of rows. Of a key that is there, `put` replaces the row, `add` leaves it, and `insert` fails. `where` and `remove`
 * mean all rows with these values.
 */
export type RowChange<Rows> = {
  [Name in keyof Rows]:
    | { readonly table: Name; readonly put: Rows[Name] }
    | { readonly table: Name; readonly add: Rows[Name] }
    | { readonly table: Name; readonly insert: Rows[Name] }
    | { readonly table: Name; readonly set: Partial<Rows[Name]>; readonly where: Partial<Rows[Name]> }
    | { readonly table: Name; readonly remove: Partial<Rows[Name]> };
}[keyof Rows];

export interface Table<Rows, Row, Write extends { readonly op: string } = never> {
  /** The schema of the file with which the table came: a program that knows only older ones cannot read its writes. */
  readonly since: number;
  /** Writes that came later than the table. */
  readonly later?: { readonly [Op in Write['op']]?: number };
  /** Writes are left out while a program that cannot read them takes part. Others are refused then. */
  readonly isOptional?: true;
  readonly key: ReadonlyArray<keyof Row & string>;
  readonly columns: ColumnsOf<Row>;
  /** What each write of a commit does. It decides nothing, so that every copy of the file does the same. */
  readonly writes: { readonly [Op in Write['op']]: (write: Extract<Write, { readonly op: Op }>) => ReadonlyArray<RowChange<Rows>> };
}

/** Which rows to read, and in which order. */
export interface Page<Row> {
  readonly order: ReadonlyArray<keyof Row & string>;
  /** The first column of the order falls. */
  readonly isFalling?: true;
  /** Only rows whose first column of the order is not greater. */
  readonly upTo?: string;
  /** Only rows whose first column of the order is greater, which a null is not. */
  readonly after?: number;
  /** Without an offset it is a constant: each value has a statement of its own. */
  readonly limit?: number;
  readonly offset?: number;
}
