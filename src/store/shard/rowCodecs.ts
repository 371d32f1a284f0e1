/**
 * The table layout of each kind of entity: one description, from which the statements and both directions of the
 * mapping are made. The types tie a description to its entity: a new field does not compile until it has a column.
 */
import type { Entities, Kind } from '../../domain/model.js';
import type { ColumnsOf } from '../../domain/table.js';
import { rowCodec, type RowCodec } from '../table/rowCodec.js';

const TIMESTAMPS = { created_at: 'text', updated_at: 'text' } as const;
const AUTHORSHIP = { created_by: 'text', updated_by: 'text' } as const;

const FIELDS: { readonly [K in Kind]: ColumnsOf<Entities[K]> } = {
  // What came later is last: commits of older programs end before it.
  board: { id: 'text', title: 'text', description: 'text', ...TIMESTAMPS, ...AUTHORSHIP, color: 'text', icon: 'text', archived: 'json' },
  member: { id: 'text', role: 'text', user: 'json', ...TIMESTAMPS, is_starred: 'boolean', assignable_since: 'count', reminder_minutes: 'integer' },
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
    // Fields are appended: commits have them by their place, and commits of older programs lack the last ones.
    start_at: 'text',
    due_at: 'text',
    completed_at: 'text',
    comment_count: 'count',
    comment_bytes: 'count',
    number: 'integer',
    cover: 'json',
    reminder_minutes: 'integer',
    text_edits: 'count',
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
    due_at: 'text',
  },
  attachment: {
    id: 'text',
    card_id: 'text',
    name: 'text',
    mime_type: 'text',
    size: 'integer',
    ...TIMESTAMPS,
    digest: 'text',
    url: 'text',
    comment_id: 'text',
  },
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
  comment: {
    id: 'text',
    card_id: 'text',
    created_by: 'text',
    author_name: 'text',
    body: 'text',
    mention_ids: 'json',
    text_version: 'integer',
    ...TIMESTAMPS,
  },
  version: { id: 'text', bytes: 'integer', written_by: 'text', written_at: 'text', created_by: 'text', ...TIMESTAMPS, text: 'text' },
  watch: { id: 'text', user_id: 'text', target_id: 'text', target_kind: 'text', is_on: 'boolean', ...TIMESTAMPS },
  moved: {
    id: 'text',
    state: 'text',
    new_id: 'text',
    target_board_id: 'text',
    column_id: 'text',
    position: 'integer',
    moved_by: 'text',
    refusal: 'json',
    ...TIMESTAMPS,
  },
  archived: {
    id: 'text',
    archived_kind: 'text',
    archived_at: 'text',
    column_id: 'text',
    with_column: 'boolean',
    seq: 'integer',
    bytes: 'integer',
    content: 'json',
    ...TIMESTAMPS,
  },
  trashed: {
    id: 'text',
    entry_id: 'text',
    part: 'integer',
    trashed_kind: 'text',
    title: 'text',
    deleted_by: 'text',
    seq: 'integer',
    columns: 'integer',
    cards: 'integer',
    labels: 'integer',
    items: 'integer',
    bytes: 'integer',
    attachment_bytes: 'integer',
    comment_bytes: 'integer',
    content: 'json',
    ...TIMESTAMPS,
  },
};

/** `column` is an SQL keyword. */
export function tableOf(kind: Kind): string {
  return kind === 'column' ? 'board_column' : kind;
}

export function entityCodec<K extends Kind>(kind: K): RowCodec<Entities[K]> {
  return rowCodec<Entities[K]>(FIELDS[kind]);
}
