/** The plan of a whole board that is created at once; its parts reference each other by index. */
import type { Uuid } from '../ids.js';
import type { Attachment, ChecklistItem, Comment, Cover, Editable, NewBoard, Role, RuleReference, Timestamps } from '../model.js';
import type { PublicUser } from '../account/user.js';

export interface ImportedBoard extends NewBoard, Partial<Timestamps> {
  /** Becomes an owner, regardless of `members`. */
  readonly importer: PublicUser;
  readonly members: readonly { readonly user: PublicUser; readonly role: Role }[];
  readonly labels: ReadonlyArray<Editable<'label'> & Partial<Timestamps>>;
  readonly columns: readonly ImportedColumn[];
  readonly rules: readonly ImportedRule[];
}

/** Absent or undefined: that of the import. */
type GivenTimes = { readonly [Time in keyof Timestamps]?: string | undefined };

export interface ImportedColumn extends Editable<'column'>, Partial<Timestamps> {
  readonly archived_at?: string | null | undefined;
  readonly cards: readonly ImportedCard[];
}

export interface ImportedCard extends Editable<'card'>, GivenTimes {
  readonly archived_at?: string | null | undefined;
  /** Null if the document has none. */
  readonly number: number | null;
  readonly cover: Cover | null;
  /** Indexes in the list of labels. */
  readonly labels: readonly number[];
  /** Each must be a member. */
  readonly assignee_ids: readonly Uuid[];
  readonly checklists: readonly ImportedChecklist[];
  /** Their content is staged under these ids; a link has none. */
  readonly attachments: readonly ImportedAttachment[];
  /** The oldest first. */
  readonly comments: ReadonlyArray<Pick<Comment, 'created_by' | 'author_name' | 'body'> & Partial<Timestamps>>;
}

export interface ImportedAttachment extends Omit<Attachment, 'id' | 'card_id' | 'comment_id' | keyof Timestamps>, Partial<Timestamps> {
  readonly id: Uuid | null;
  /** The index of its comment; null if it belongs to the card itself. */
  readonly comment?: number | null | undefined;
}

export interface ImportedChecklist extends Editable<'checklist'>, Partial<Timestamps> {
  readonly items: ReadonlyArray<Editable<'item'> & Pick<ChecklistItem, 'assignee_ids'> & Partial<Timestamps>>;
}

/** References columns and labels by index. */
export interface ImportedRule extends Omit<Editable<'rule'>, Exclude<RuleReference, 'action_user_id'>>, Partial<Timestamps> {
  readonly trigger_column: number | null;
  readonly trigger_label: number | null;
  readonly action_column: number | null;
}
