/** Rows as SQLite stores them, by the columns of their table. */
import type { ColumnsOf, Storage } from '../../domain/table.js';

export type SqlValue = string | number | null;

export interface RowCodec<Row> {
  /** In the order of the values of `toRow` and `fromRow`. */
  readonly columns: readonly string[];
  toRow(record: Row): SqlValue[];
  fromRow(row: readonly SqlValue[]): Row;
}

export function rowCodec<Row>(description: ColumnsOf<Row>): RowCodec<Row> {
  const fields = Object.entries<Storage>(description).map(([name, storage]) => ({ name, storage }));
  return {
    columns: fields.map(({ name }) => name),
    toRow(record) {
      const values = record as Readonly<Record<string, unknown>>;
      return fields.map(({ name, storage }) => encode(storage, values[name]));
    },
    fromRow(row) {
      const values: Record<string, unknown> = {};
      fields.forEach(({ name, storage }, n) => {
        values[name] = decode(storage, row[n] ?? null);
      });
      // The row was written by `toRow` of the same description, and STRICT tables enforce types.
      return values as Row;
    },
  };
}

export function encode(storage: Storage, value: unknown): SqlValue {
  switch (storage) {
    case 'boolean':
      return value === true ? 1 : 0;
    case 'json':
      return value === null || value === undefined ? null : JSON.stringify(value);
    case 'text':
    case 'integer':
      // A record of an older program lacks later fields, which may be null.
      return (value ?? null) as SqlValue;
    case 'count':
      return (value ?? 0) as SqlValue;
  }
}

export function decode(storage: Storage, value: SqlValue): unknown {
  switch (storage) {
    case 'boolean':
      return value === 1;
    case 'json':
      // Most cards have no labels and no assignees, and a parser call for each would show in the load of a board.
      return value === '[]' ? [] : value === null ? null : JSON.parse(String(value));
    case 'text':
    case 'integer':
      return value;
    case 'count':
      return value ?? 0;
  }
}
