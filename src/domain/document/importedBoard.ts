/** The plan of a whole board that is created at once; its parts reference each other by index. */
import type { Uuid } from '../ids.js';
import type { Attachment, ChecklistItem, Role, Rule, Timestamps } from '../model.js';
import type { PublicUser } from '../user.js';

export interface ImportedBoard extends Partial<Timestamps> {
  readonly title: string;
  readonly description: string | null;
  /** Becomes an owner, whatever `members` says. */
  readonly importer: PublicUser;
  readonly members: readonly { readonly user: PublicUser; readonly role: Role }[];
  readonly labels: ReadonlyArray<{ readonly name: string; readonly color: string } & Partial<Timestamps>>;
  readonly columns: readonly ImportedColumn[];
  readonly rules: readonly ImportedRule[];
}

export interface ImportedColumn extends Partial<Timestamps> {
  readonly title: string;
  readonly color: string;
  readonly is_done_column: boolean;
  readonly cards: readonly ImportedCard[];
}

export interface ImportedCard extends Partial<Timestamps> {
  readonly title: string;
  readonly description: string | null;
  /** Indexes in the list of labels. */
  readonly labels: readonly number[];
  /** Each must be a member. */
  readonly assignee_ids: readonly Uuid[];
  readonly checklists: readonly ImportedChecklist[];
  /** Their content is staged under these ids. */
  readonly attachments: ReadonlyArray<Pick<Attachment, 'id' | 'name' | 'mime_type' | 'size'> & Partial<Timestamps>>;
}

export interface ImportedChecklist extends Partial<Timestamps> {
  readonly title: string;
  readonly items: ReadonlyArray<
    Pick<ChecklistItem, 'content' | 'is_done' | 'assignee_ids'> & Partial<Timestamps>
  >;
}

/** References columns and labels by index. */
export interface ImportedRule
  extends Pick<Rule, 'name' | 'trigger_type' | 'action_type' | 'action_user_id' | 'is_enabled'>,
    Partial<Timestamps> {
  readonly trigger_column: number | null;
  readonly trigger_label: number | null;
  readonly action_column: number | null;
}
