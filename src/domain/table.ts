/** The columns of a table. The types tie them to its row: a new field does not compile until it has a column. */

/** `text` and `integer` unchanged, null included; `boolean` as 0 or 1; `json` for lists and objects, null as null. */
export type Storage = 'text' | 'integer' | 'boolean' | 'json';

type StorageOf<Value> = [Value] extends [boolean]
  ? 'boolean'
  : [Value] extends [number | null]
    ? 'integer'
    : [Value] extends [string | null]
      ? 'text'
      : 'json';

export type ColumnsOf<Row> = { readonly [Field in keyof Row]: StorageOf<Row[Field]> };
