/** The fields of a resource from its own record, in the order in which they are sent. */
import type { Uuid } from '../ids.js';
import type { Entities, Kind } from '../model.js';

type OwnFields = { readonly [K in Kind]: (record: Entities[K], board_id: Uuid) => object };

export const OWN_FIELDS: OwnFields = {
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
