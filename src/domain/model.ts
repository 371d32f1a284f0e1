/**
 * The entities of a board. They are immutable records: a change replaces the record, so identity shows whether
 * something changed. Their fields are those of the wire without fields derived from other entities.
 */
import type { Uuid } from './ids.js';
import type { PublicUser } from './user.js';

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

/** What the author of a rule says of it. */
export type RuleFields = Omit<Rule, 'id' | keyof Timestamps>;

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
export const KINDS = [
  'board',
  'member',
  'column',
  'card',
  'label',
  'checklist',
  'item',
  'attachment',
  'rule',
] as const satisfies readonly Kind[];

/**
 * One step from a board's state before a command to its state after it. Memory and disk apply the same list. A command
 * names an entity at most once. `remove` of the board stands for everything on it; every other removal is named,
 * including children of a removed parent. If that is too much for one commit, the removal is `unfinished` and the rest
 * follows in later changes: see `removals.ts`.
 */
export type Change = { [K in Kind]: { kind: K; put: Entities[K] } | { kind: K; remove: Uuid; unfinished?: true } }[Kind];
