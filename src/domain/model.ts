/**
 * The entities of a board. They are immutable records: a change replaces the record, so identity shows whether
 * something changed. They have the fields of the wire, except fields derived from other entities.
 */
import type { ErrorData } from './errors.js';
import type { Uuid } from './ids.js';
import type { PublicUser } from './account/user.js';

/** From the most rights to the fewest: each role may do what those after it may. */
export const ROLES = ['owner', 'member', 'commenter', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** Roles that change nothing of a board's contents. Programs before them know only the other two. */
export type RestrictedRole = 'commenter' | 'viewer';

export function hasRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(needed);
}

export function isRestricted(role: Role): role is RestrictedRole {
  return !hasRole(role, 'member');
}

export const TRIGGER_TYPES = ['CARD_CREATED', 'CARD_MOVED', 'LABEL_ADDED'] as const;
export type TriggerType = (typeof TRIGGER_TYPES)[number];

export const ACTION_TYPES = ['MOVE_TO_COLUMN', 'ASSIGN_MEMBER'] as const;
export type ActionType = (typeof ACTION_TYPES)[number];

export interface Timestamps {
  readonly created_at: string;
  readonly updated_at: string;
}

export interface Authorship {
  readonly created_by: Uuid | null;
  /** Null if an automation rule acted last. */
  readonly updated_by: Uuid | null;
}

export interface BoardRecord extends Timestamps, Authorship {
  readonly id: Uuid;
  readonly title: string;
  readonly description: string | null;
  /** By these people recognise the board among others. The icon is one emoji. */
  readonly color: string | null;
  readonly icon: string | null;
  /** What its archive has of the board's budget; null if it is empty. */
  readonly archived: ArchivedTotals | null;
}

/** Of the things in the archive of a board. */
export interface ArchivedTotals {
  readonly columns: number;
  readonly cards: number;
  /** Checklists, their items and attachments together. */
  readonly items: number;
  readonly bytes: number;
  readonly attachment_bytes: number;
  readonly comment_bytes: number;
}

/** `id` is the user's id; `user` is the board's copy of the public profile. */
export interface Member extends Timestamps {
  readonly id: Uuid;
  readonly role: Role;
  readonly user: PublicUser;
  /** Only the list of boards of this member shows it. */
  readonly is_starred: boolean;
  /** The number of the board when the member could be assigned again; 0 if always. Earlier assignments, of archived cards, have ended. */
  readonly assignable_since: number;
  /** How long before a date the member is reminded by cards that do not say it; null: a day. Hidden from others. */
  readonly reminder_minutes: number | null;
}

export interface Column extends Timestamps, Authorship {
  readonly id: Uuid;
  readonly title: string;
  readonly rank: number;
  readonly color: string;
  readonly is_done_column: boolean;
}

/** What a card shows of itself on the board: a picture among its attachments, or a colour. */
export type Cover = { readonly attachment_id: Uuid } | { readonly color: string };

export interface Card extends Timestamps, Authorship {
  readonly id: Uuid;
  readonly column_id: Uuid;
  readonly title: string;
  readonly description: string | null;
  /** Dates as in `dates.ts`. */
  readonly start_at: string | null;
  readonly due_at: string | null;
  /** Set and cleared with the entry to and the exit from a done column. */
  readonly completed_at: string | null;
  /** How long before it is due its people are reminded, see `timers/reminders.ts`. -1: not at all; null: as the user wants it. */
  readonly reminder_minutes: number | null;
  readonly rank: number;
  /** Unique on its board for ever, from 1. Null while a program runs that does not know numbers, see `numbering.ts`. */
  readonly number: number | null;
  readonly cover: Cover | null;
  /** Its comments are on disk: how many there are, and what they take of the board's budget, see `commentsOnDisk.ts`. */
  readonly comment_count: number;
  readonly comment_bytes: number;
  /** How often its description was replaced: its `text_version` is one more. 0 while a program runs that does not know it. */
  readonly text_edits: number;
  /** In the order of adding. */
  readonly label_ids: readonly Uuid[];
  readonly assignee_ids: readonly Uuid[];
}

export interface Label extends Timestamps {
  readonly id: Uuid;
  readonly name: string;
  readonly color: string;
}

export interface Checklist extends Timestamps {
  readonly id: Uuid;
  readonly card_id: Uuid;
  readonly title: string;
  readonly rank: number;
}

export interface ChecklistItem extends Timestamps {
  readonly id: Uuid;
  readonly checklist_id: Uuid;
  readonly content: string;
  readonly is_done: boolean;
  readonly due_at: string | null;
  readonly rank: number;
  readonly assignee_ids: readonly Uuid[];
}

/** The record only. The content is in the store and never in the board's memory. */
export interface Attachment extends Timestamps {
  readonly id: Uuid;
  readonly card_id: Uuid;
  readonly name: string;
  readonly mime_type: string;
  readonly size: number;
  /** SHA-256 of the content, as base64url. Null if an older program stored it. Not shown. */
  readonly digest: string | null;
  /** Of a link: it has no content. Null for files. */
  readonly url: string | null;
  /** The comment that it was attached to; null for what belongs to the card itself. */
  readonly comment_id: Uuid | null;
}

/** On disk alone: a board in memory has none of them. */
export interface Comment extends Timestamps {
  readonly id: Uuid;
  readonly card_id: Uuid;
  /** The author; null if the comment was imported and its author has no account here, or was deleted. */
  readonly created_by: Uuid | null;
  /** The author's name at the time of writing, for comments of people who are not on the board. */
  readonly author_name: string;
  readonly body: string;
  /** Members whom the body names. */
  readonly mention_ids: readonly Uuid[];
  /** From 1; each edit of the body raises it. */
  readonly text_version: number;
}

/** A text that was replaced: the description of a card or the body of a comment. On disk alone. */
export interface Version extends Timestamps {
  /** See `versionId`. */
  readonly id: string;
  readonly text: string | null;
  /** What it takes of the versions of the board. */
  readonly bytes: number;
  /** Who wrote it when; null if that is not known. */
  readonly written_by: Uuid | null;
  readonly written_at: string | null;
  /** Who replaced it at `created_at`; null if an automation rule or the service did. */
  readonly created_by: Uuid | null;
}

/** What a user chose about a board, column or card: notices about it, or none. On disk alone. */
export interface Watch extends Timestamps {
  /** See `watchId`. */
  readonly id: string;
  readonly user_id: Uuid;
  /** The id of the board, column or card. */
  readonly target_id: Uuid;
  readonly target_kind: WatchedKind;
  /** False if the user wants no notices although they would get some. */
  readonly is_on: boolean;
}

/**
 * A card that moves to another board, or did. On disk alone. `leaving`: nothing changes it until the other board has it or has refused
 * it. `refused`: it stayed; on the other board, under its new id, it is what makes the refusal final. `gone`: it is there.
 */
export interface Moved extends Timestamps {
  /** Of the card on this board. */
  readonly id: Uuid;
  readonly state: 'leaving' | 'refused' | 'gone';
  /** Of the card on the other board: decided at the beginning, so that it is made once. */
  readonly new_id: Uuid;
  readonly target_board_id: Uuid;
  readonly column_id: Uuid;
  /** Null for the end of the column. */
  readonly position: number | null;
  readonly moved_by: Uuid;
  /** Why it stayed. */
  readonly refusal: ErrorData | null;
}

export const WATCHED_KINDS = ['board', 'column', 'card'] as const;
export type WatchedKind = (typeof WATCHED_KINDS)[number];

/** A card or column in the archive, with what is on it. On disk alone: a board in memory has only the totals of its archive. */
export interface Archived extends Timestamps {
  /** The title of the card or column. */
  readonly id: Uuid;
  readonly archived_kind: 'card' | 'column';
  readonly archived_at: string;
  /** The column that it belongs to; null for a column. */
  readonly column_id: Uuid | null;
  /** Whether it came with its column, and so returns with it. */
  readonly with_column: boolean;
  /** The number of the board before the archiving. */
  readonly seq: number;
  /** What it takes of the bytes of the board, files and comments apart. */
  readonly bytes: number;
  readonly content: ArchivedContent;
}

/** One card with its parts, or one column without its cards, which have rows of their own. */
export interface ArchivedContent {
  readonly card?: Card;
  readonly checklists?: readonly Checklist[];
  readonly items?: readonly ChecklistItem[];
  readonly attachments?: readonly Attachment[];
  readonly column?: Column;
  /** Of a card: whether its column completed cards. Absent: written by an older program. */
  readonly was_done?: boolean;
  /** Of a column. */
  readonly card_count?: number;
}

/** What can be deleted and restored. Of an archived card or column, `archived` is in the content. */
export const TRASHED_KINDS = ['card', 'column', 'checklist', 'label', 'attachment'] as const;
export type TrashedKind = (typeof TRASHED_KINDS)[number];

export interface TrashTotals extends ArchivedTotals {
  readonly labels: number;
}

/**
 * Something that was deleted and can be restored. On disk alone. What does not fit into one row is in further ones of the same
 * entry, in the order in which it left the board: children before their parents.
 */
export interface Trashed extends Timestamps, TrashTotals {
  /** The id of the deleted thing; in a further row, of its first record. */
  readonly id: Uuid;
  /** The deleted thing. */
  readonly entry_id: Uuid;
  /** 0 for the row of the deleted thing itself. */
  readonly part: number;
  readonly trashed_kind: TrashedKind;
  readonly title: string;
  readonly deleted_by: Uuid | null;
  /** The number of the board before the deletion. */
  readonly seq: number;
  readonly content: TrashedContent;
}

export interface TrashedContent {
  readonly column?: readonly Column[];
  readonly card?: readonly Card[];
  readonly label?: readonly Label[];
  readonly checklist?: readonly Checklist[];
  readonly item?: readonly ChecklistItem[];
  readonly attachment?: readonly Attachment[];
  readonly archived?: readonly Archived[];
  /** Of a card that was deleted: whether its column completed cards. Absent: written by an older program. */
  readonly was_done?: boolean;
  /** The cards that had the label, with its place among their labels. */
  readonly labelled?: ReadonlyArray<readonly [card: Uuid, place: number]>;
}

export interface Rule extends Timestamps {
  readonly id: Uuid;
  readonly name: string;
  readonly trigger_type: TriggerType;
  readonly trigger_column_id: Uuid | null;
  readonly trigger_label_id: Uuid | null;
  readonly action_type: ActionType;
  readonly action_column_id: Uuid | null;
  readonly action_user_id: Uuid | null;
  readonly is_enabled: boolean;
}

/** The fields of a rule that name something on its board. */
export const RULE_REFERENCES = ['trigger_column_id', 'trigger_label_id', 'action_column_id', 'action_user_id'] as const;
export type RuleReference = (typeof RULE_REFERENCES)[number];

export interface Entities {
  board: BoardRecord;
  member: Member;
  column: Column;
  card: Card;
  label: Label;
  checklist: Checklist;
  item: ChecklistItem;
  attachment: Attachment;
  rule: Rule;
  comment: Comment;
  version: Version;
  watch: Watch;
  moved: Moved;
  archived: Archived;
  trashed: Trashed;
}

export type Kind = keyof Entities;

/** The kinds that a board in memory holds. */
export type HeldKind = Exclude<Kind, 'comment' | 'version' | 'watch' | 'moved' | 'archived' | 'trashed'>;

const ON_DISK: ReadonlySet<Kind> = new Set(['comment', 'version', 'watch', 'moved', 'archived', 'trashed']);

export function isHeldKind(kind: Kind): kind is HeldKind {
  return !ON_DISK.has(kind);
}

/** The fields that a user gives and changes by operations of their own, such as a move, an assignment or an upload. */
interface ChangedElsewhere {
  board: 'archived';
  column: 'rank';
  card: 'column_id' | 'rank' | 'number' | 'cover' | 'label_ids' | 'assignee_ids' | 'comment_count' | 'comment_bytes' | 'text_edits';
  label: never;
  checklist: 'card_id' | 'rank';
  item: 'checklist_id' | 'rank' | 'assignee_ids';
  rule: never;
}

export type EditableKind = keyof ChangedElsewhere;

/**
 * The fields of an entity that a user sets at its creation and may change later. Commands, documents and their schemas
 * are derived from it, so that a new field of an entity does not compile before all of them have it.
 */
export type Editable<K extends EditableKind> = Omit<Entities[K], 'id' | ChangedElsewhere[K] | keyof Timestamps | keyof Authorship>;

/** Absent in what an older program sends. */
type LaterOfBoard = 'color' | 'icon';
/** What is given at the creation of a board. */
export type NewBoard = Omit<Editable<'board'>, LaterOfBoard> & Partial<Pick<BoardRecord, LaterOfBoard>>;

export const HELD_KINDS = [
  'board',
  'member',
  'column',
  'card',
  'label',
  'checklist',
  'item',
  'attachment',
  'rule',
] as const satisfies readonly HeldKind[];
export const KINDS = [...HELD_KINDS, 'comment', 'version', 'watch', 'moved', 'archived', 'trashed'] as const satisfies readonly Kind[];

/** The fields of a rule that its author sets. */
export type RuleFields = Editable<'rule'>;

/**
 * One step from a board's state before a command to its state after it. Memory and disk apply the same list. A command
 * names an entity at most once. `remove` of the board stands for everything on it; every other removal is named,
 * including children of a removed parent. If that is too much for one commit, the removal is `unfinished` and the rest
 * follows in later changes: see `removals.ts`.
 */
export type Change = { [K in Kind]: { kind: K; put: Entities[K] } | { kind: K; remove: Uuid; unfinished?: true } }[Kind];
