/**
 * The table layout of each kind of entity: one description, from which the statements and both directions of the
 * mapping are made. The types tie a description to its entity: a new field does not compile until it has a column.
 */
import type { Entities, Kind } from '../../domain/model.js';

export type SqlValue = string | number | null;

/** `text` and `integer` unchanged, null included; `boolean` as 0 or 1; `json` for lists and copied objects. */
type Storage = 'text' | 'integer' | 'boolean' | 'json';

type StorageOf<Value> = [Value] extends [boolean]
  ? 'boolean'
  : [Value] extends [number | null]
    ? 'integer'
    : [Value] extends [string | null]
      ? 'text'
      : 'json';

type Fields<K extends Kind> = { readonly [Field in keyof Entities[K]]: StorageOf<Entities[K][Field]> };

const TIMESTAMPS = { created_at: 'text', updated_at: 'text' } as const;
const AUTHORSHIP = { created_by: 'text', updated_by: 'text' } as const;

const FIELDS: { readonly [K in Kind]: Fields<K> } = {
  board: { id: 'text', title: 'text', description: 'text', ...TIMESTAMPS, ...AUTHORSHIP },
  member: { id: 'text', role: 'text', user: 'json', ...TIMESTAMPS },
  column: {
    id: 'text',
    title: 'text',
    rank: 'integer',
    color: 'text',
    is_done_column: 'boolean',
    ...TIMESTAMPS,
    ...AUTHORSHIP,
  },
  card: {
    id: 'text',
    column_id: 'text',
    title: 'text',
    description: 'text',
    rank: 'integer',
    label_ids: 'json',
    assignee_ids: 'json',
    ...TIMESTAMPS,
    ...AUTHORSHIP,
  },
  label: { id: 'text', name: 'text', color: 'text', ...TIMESTAMPS },
  checklist: { id: 'text', card_id: 'text', title: 'text', rank: 'integer', ...TIMESTAMPS },
  item: {
    id: 'text',
    checklist_id: 'text',
    content: 'text',
    is_done: 'boolean',
    rank: 'integer',
    assignee_ids: 'json',
    ...TIMESTAMPS,
  },
  attachment: { id: 'text', card_id: 'text', name: 'text', mime_type: 'text', size: 'integer', ...TIMESTAMPS, digest: 'text' },
  rule: {
    id: 'text',
    name: 'text',
    trigger_type: 'text',
    trigger_column_id: 'text',
    trigger_label_id: 'text',
    action_type: 'text',
    action_column_id: 'text',
    action_user_id: 'text',
    is_enabled: 'boolean',
    ...TIMESTAMPS,
  },
};

/** `column` is an SQL keyword. */
export function tableOf(kind: Kind): string {
  return kind === 'column' ? 'board_column' : kind;
}

export interface RowCodec<K extends Kind> {
  /** In the order of the values of `toRow` and `fromRow`. */
  readonly columns: readonly string[];
  toRow(entity: Entities[K]): SqlValue[];
  fromRow(row: readonly SqlValue[]): Entities[K];
}

export function rowCodec<K extends Kind>(kind: K): RowCodec<K> {
  const fields = Object.entries<Storage>(FIELDS[kind]).map(([name, storage]) => ({ name, storage }));
  return {
    columns: fields.map(({ name }) => name),
    toRow(entity) {
      const values = entity as unknown as Readonly<Record<string, unknown>>;
      return fields.map(({ name, storage }) => encode(storage, values[name]));
    },
    fromRow(row) {
      const values: Record<string, unknown> = {};
      fields.forEach(({ name, storage }, n) => {
        values[name] = decode(storage, row[n] ?? null);
      });
      // The row was written by `toRow` of the same description, and STRICT tables enforce types.
      return values as unknown as Entities[K];
    },
  };
}

function encode(storage: Storage, value: unknown): SqlValue {
  switch (storage) {
    case 'boolean':
      return value === true ? 1 : 0;
    case 'json':
      return JSON.stringify(value);
    case 'text':
    case 'integer':
      return value as SqlValue;
  }
}

function decode(storage: Storage, value: SqlValue): unknown {
  switch (storage) {
    case 'boolean':
      return value === 1;
    case 'json':
      // Most cards have no labels and no assignees, and a parser call for each would show in the load of a board.
      return value === '[]' ? [] : JSON.parse(String(value));
    case 'text':
    case 'integer':
      return value;
  }
}
