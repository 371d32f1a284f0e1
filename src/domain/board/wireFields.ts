/** The fields of a resource from its own record, in the order in which they are sent. */
import type { Uuid } from '../ids.js';
import type { Entities, Kind } from '../model.js';

/** What is in the archive is shown as what it was, the trash by its titles, versions with their authors, and watches to their users. What moved away is elsewhere. */
export type ShownKind = Exclude<Kind, 'archived' | 'trashed' | 'version' | 'watch' | 'moved'>;

/** The fields of a record that its resource has in another form or not at all. */
interface ShownOtherwise {
  board: 'archived';
  member: 'id' | 'user' | 'is_starred' | 'assignable_since' | 'reminder_minutes';
  column: never;
  card: 'label_ids' | 'assignee_ids' | 'comment_bytes' | 'text_edits';
  label: never;
  checklist: never;
  item: 'assignee_ids';
  attachment: 'digest';
  rule: never;
  comment: 'created_by' | 'author_name' | 'mention_ids';
}

/** The ids that a resource has and its record has not. */
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
  comment: never;
}

/** The fields of a resource that come from other records. */
interface Derived {
  board: 'labels' | 'members';
  member: 'user';
  column: 'cards' | 'archived_at' | 'card_count';
  card: 'text_version' | 'archived_at' | 'labels' | 'assignees' | 'checklists' | 'attachments';
  label: never;
  checklist: 'items';
  item: 'assignees';
  attachment: never;
  rule: never;
  comment: 'author' | 'author_name' | 'mentions' | 'attachment_ids';
}

type OwnFields<K extends ShownKind> = Omit<Entities[K], ShownOtherwise[K]> &
  (K extends 'card' ? { readonly text_version: number } : unknown) & { readonly [Id in AddedIds[K]]: Uuid };

/** The names of all fields of a resource: its schema has exactly these. */
export type WireField<K extends ShownKind> = keyof OwnFields<K> | Derived[K];

/** The types make sure that no field of a record is forgotten. */
export const OWN_FIELDS: { readonly [K in ShownKind]: (record: Entities[K], board_id: Uuid) => OwnFields<K> } = {
  board: ({ id, title, description, color, icon, created_by, updated_by, created_at, updated_at }) => {
    return { id, title, description, color, icon, created_by, updated_by, created_at, updated_at };
  },
  member: ({ id, role, created_at, updated_at }, board_id) => {
    return { board_id, user_id: id, role, created_at, updated_at };
  },
  column: ({ id, title, rank, color, is_done_column, created_by, updated_by, created_at, updated_at }, board_id) => {
    return { id, board_id, title, rank, color, is_done_column, created_by, updated_by, created_at, updated_at };
  },
  card: (card, board_id) => {
    const { id, column_id, title, description, rank, number, cover, start_at, due_at, completed_at, reminder_minutes, comment_count } = card;
    const text_version = card.text_edits + 1;
    const { created_by, updated_by, created_at, updated_at } = card;
    return {
      id,
      board_id,
      column_id,
      title,
      description,
      rank,
      number,
      cover,
      start_at,
      due_at,
      completed_at,
      reminder_minutes,
      comment_count,
      text_version,
      created_by,
      updated_by,
      created_at,
      updated_at,
    };
  },
  label: ({ id, name, color, created_at, updated_at }, board_id) => {
    return { id, board_id, name, color, created_at, updated_at };
  },
  checklist: ({ id, card_id, title, rank, created_at, updated_at }) => {
    return { id, card_id, title, rank, created_at, updated_at };
  },
  item: ({ id, checklist_id, content, is_done, due_at, rank, created_at, updated_at }) => {
    return { id, checklist_id, content, is_done, due_at, rank, created_at, updated_at };
  },
  attachment: ({ id, card_id, comment_id, name, mime_type, size, url, created_at, updated_at }) => {
    return { id, card_id, comment_id, name, mime_type, size, url, created_at, updated_at };
  },
  rule: (rule, board_id) => {
    const { id, name, is_enabled, created_at, updated_at } = rule;
    const { trigger_type, trigger_column_id, trigger_label_id } = rule;
    const { action_type, action_column_id, action_user_id } = rule;
    const trigger = { trigger_type, trigger_column_id, trigger_label_id };
    const action = { action_type, action_column_id, action_user_id };
    return { id, board_id, name, ...trigger, ...action, is_enabled, created_at, updated_at };
  },
  comment: ({ id, card_id, body, text_version, created_at, updated_at }) => {
    return { id, card_id, body, text_version, created_at, updated_at };
  },
};

/**
 * The JSON of a card's own fields without the closing brace. Most changes render a card, and the engine takes five times as long
 * for the object. Ids, times and dates have nothing to escape. A test compares both.
 */
export function cardOpening(card: Entities['card'], board_id: Uuid): string {
  const { description, cover } = card;
  return (
    `{"id":"${card.id}","board_id":"${board_id}","column_id":"${card.column_id}","title":${JSON.stringify(card.title)},` +
    `"description":${description === null ? 'null' : JSON.stringify(description)},"rank":${card.rank},"number":${card.number},` +
    `"cover":${cover === null ? 'null' : JSON.stringify(cover)},"start_at":${quoted(card.start_at)},"due_at":${quoted(card.due_at)},` +
    `"completed_at":${quoted(card.completed_at)},"reminder_minutes":${card.reminder_minutes},"comment_count":${card.comment_count},` +
    `"text_version":${card.text_edits + 1},"created_by":${quoted(card.created_by)},"updated_by":${quoted(card.updated_by)},"created_at":"${card.created_at}","updated_at":"${card.updated_at}"`
  );
}

function quoted(text: string | null): string {
  return text === null ? 'null' : `"${text}"`;
}
