/** The fields of a resource from its own record, in the order in which they are sent. */
import type { Uuid } from '../ids.js';
import type { Entities, Kind } from '../model.js';

/** The fields of a record that its resource has in another form or not at all. */
interface ShownOtherwise {
  board: never;
  member: 'id' | 'user';
  column: never;
  card: 'label_ids' | 'assignee_ids';
  label: never;
  checklist: never;
  item: 'assignee_ids';
  attachment: 'digest';
  rule: never;
}

/** The ids that a resource has besides those of its record. */
interface AddedIds {
  board: never;
  member: 'board_id' | 'user_id';
  column: 'board_id';
  card: 'board_id';
  label: 'board_id';
  checklist: never;
  item: never;
  attachment: never;
  rule: 'board_id';
}

/** The fields of a resource that come from other records. */
interface Derived {
  board: 'labels' | 'members';
  member: 'user';
  column: 'cards';
  card: 'labels' | 'assignees' | 'checklists' | 'attachments';
  label: never;
  checklist: 'items';
  item: 'assignees';
  attachment: never;
  rule: never;
}

type OwnFields<K extends Kind> = Omit<Entities[K], ShownOtherwise[K]> & { readonly [Id in AddedIds[K]]: Uuid };

/** The names of all fields of a resource: its schema has exactly these. */
export type WireField<K extends Kind> = keyof OwnFields<K> | Derived[K];

/** The types make sure that no field of a record is forgotten. */
export const OWN_FIELDS: { readonly [K in Kind]: (record: Entities[K], board_id: Uuid) => OwnFields<K> } = {
  board: ({ id, title, description, created_by, updated_by, created_at, updated_at }) => {
    return { id, title, description, created_by, updated_by, created_at, updated_at };
  },
  member: ({ id, role, created_at, updated_at }, board_id) => {
    return { board_id, user_id: id, role, created_at, updated_at };
  },
  column: ({ id, title, rank, color, is_done_column, created_by, updated_by, created_at, updated_at }, board_id) => {
    return { id, board_id, title, rank, color, is_done_column, created_by, updated_by, created_at, updated_at };
  },
  card: ({ id, column_id, title, description, rank, created_by, updated_by, created_at, updated_at }, board_id) => {
    return { id, board_id, column_id, title, description, rank, created_by, updated_by, created_at, updated_at };
  },
  label: ({ id, name, color, created_at, updated_at }, board_id) => {
    return { id, board_id, name, color, created_at, updated_at };
  },
  checklist: ({ id, card_id, title, rank, created_at, updated_at }) => {
    return { id, card_id, title, rank, created_at, updated_at };
  },
  item: ({ id, checklist_id, content, is_done, rank, created_at, updated_at }) => {
    return { id, checklist_id, content, is_done, rank, created_at, updated_at };
  },
  attachment: ({ id, card_id, name, mime_type, size, created_at, updated_at }) => {
    return { id, card_id, name, mime_type, size, created_at, updated_at };
  },
  rule: (rule, board_id) => {
    const { id, name, is_enabled, created_at, updated_at } = rule;
    const { trigger_type, trigger_column_id, trigger_label_id } = rule;
    const { action_type, action_column_id, action_user_id } = rule;
    const trigger = { trigger_type, trigger_column_id, trigger_label_id };
    const action = { action_type, action_column_id, action_user_id };
    return { id, board_id, name, ...trigger, ...action, is_enabled, created_at, updated_at };
  },
};
