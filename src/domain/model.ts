/**
 * The entities of a board. They are immutable records: a change replaces the record, so identity shows whether
 * something changed. Their fields are those of the wire without fields derived from other entities.
 */
import type { Uuid } from './ids.js';
import type { PublicUser } from './account/user.js';

export const ROLES = ['owner', 'member'] as const;
export type Role = (typeof ROLES)[number];

export const TRIGGER_TYPES = ['CARD_CREATED', 'CARD_MOVED', 'LABEL_ADDED'] as const;
export type TriggerType = (typeof TRIGGER_TYPES)[number];

export const ACTION_TYPES = ['MOVE_TO_COLUMN', 'ASSIGN_MEMBER'] as const;
export type ActionType = (typeof ACTION_TYPES)[number];

/** Of columns and labels that are given none. */
export const DEFAULT_COLOR = '#6b7280';

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
}

/** `id` is the user's id; `user` is the board's copy of the public profile. */
export interface Member extends Timestamps {
  readonly id: Uuid;
  readonly role: Role;
  readonly user: PublicUser;
}

export interface Column extends Timestamps, Authorship {
  readonly id: Uuid;
  readonly title: string;
  readonly rank: number;
  readonly color: string;
  readonly is_done_column: boolean;
}

export interface Card extends Timestamps, Authorship {
  readonly id: Uuid;
  readonly column_id: Uuid;
  readonly title: string;
  readonly description: string | null;
  readonly rank: number;
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
}

export type Kind = keyof Entities;

/** The fields that a user gives and changes by operations of their own, such as a move, an assignment or an upload. */
interface ChangedElsewhere {
  board: never;
  column: 'rank';
  card: 'column_id' | 'rank' | 'label_ids' | 'assignee_ids';
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
export const KINDS = ['board', 'member', 'column', 'card', 'label', 'checklist', 'item', 'attachment', 'rule'] as const satisfies readonly Kind[];

/** The fields of a rule that its author sets. */
export type RuleFields = Editable<'rule'>;

/**
 * One step from a board's state before a command to its state after it. Memory and disk apply the same list. A command
 * names an entity at most once. `remove` of the board stands for everything on it; every other removal is named,
 * including children of a removed parent. If that is too much for one commit, the removal is `unfinished` and the rest
 * follows in later changes: see `removals.ts`.
 */
export type Change = { [K in Kind]: { kind: K; put: Entities[K] } | { kind: K; remove: Uuid; unfinished?: true } }[Kind];
