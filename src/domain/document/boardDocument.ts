/**
 * A board as one document that can be exported and imported as another board. Labels and columns keep their ids, so
 * that cards and rules can reference them; people are referenced by e-mail address, the only identity that another
 * service shares.
 */
import type { Attachment, BoardRecord, Card, Column, Editable, Role, Rule, RuleReference, Timestamps } from '../model.js';
import type { Uuid } from '../ids.js';
import { list, need, type BoardView } from '../board/view.js';

export const DOCUMENT_FORMAT = 'switchboard-board';
/** Raised when a reader of the last version would misunderstand a document. */
export const DOCUMENT_VERSION = 1;

/**
 * The key of a file's content. No other value of a document has this key, so files can be recognised while they arrive.
 */
export const CONTENT_KEY = 'content_base64';

export interface BoardDocument extends Editable<'board'>, Partial<Timestamps> {
  readonly format: typeof DOCUMENT_FORMAT;
  readonly version: typeof DOCUMENT_VERSION;
  readonly members: readonly MemberDocument[];
  readonly labels: readonly LabelDocument[];
  readonly columns: readonly ColumnDocument[];
  readonly rules: readonly RuleDocument[];
}

export interface MemberDocument {
  readonly email: string;
  readonly username: string;
  readonly role: Role;
}

export interface LabelDocument extends Editable<'label'>, Partial<Timestamps> {
  readonly id: string;
}

export interface ColumnDocument extends Editable<'column'>, Partial<Timestamps> {
  readonly id: string;
  readonly cards: readonly CardDocument[];
}

export interface CardDocument extends Editable<'card'>, Partial<Timestamps> {
  /** Ids of labels. */
  readonly labels: readonly string[];
  /** E-mail addresses, here and below. */
  readonly assignees: readonly string[];
  readonly checklists: readonly ChecklistDocument[];
  readonly attachments: readonly AttachmentDocument[];
}

export interface ChecklistDocument extends Editable<'checklist'>, Partial<Timestamps> {
  readonly items: readonly ItemDocument[];
}

export interface ItemDocument extends Editable<'item'>, Partial<Timestamps> {
  readonly assignees: readonly string[];
}

export interface AttachmentDocument extends Omit<Attachment, 'id' | 'card_id' | 'digest' | keyof Timestamps>, Partial<Timestamps> {
  readonly content_base64: string;
}

export interface RuleDocument extends Omit<Editable<'rule'>, RuleReference>, Partial<Timestamps> {
  readonly trigger_column: string | null;
  readonly trigger_label: string | null;
  readonly action_column: string | null;
  readonly action_member: string | null;
}

/** Cards between two pauses. */
const STRIDE = 16;

/** Joins the texts of a column's cards to a JSON array, or returns a mark for its bytes. */
export type JoinCards = (column: Uuid, cards: readonly Card[], render: (card: Card) => string) => Generator<undefined, string>;

/**
 * The document as JSON, in slices. A board does not hold the content of its files: each file's id stands in its place,
 * right after its size, and the sender replaces it.
 */
export function* documentText(view: BoardView, board: BoardRecord, join: JoinCards = joinAsText): Generator<undefined, string> {
  const head = {
    format: DOCUMENT_FORMAT,
    version: DOCUMENT_VERSION,
    title: board.title,
    description: board.description,
    ...timesOf(board),
    members: list(view, 'member', view.id).map(({ user: { email, username }, role }) => ({ email, username, role })),
    labels: list(view, 'label', view.id).map((label) => {
      return { id: label.id, name: label.name, color: label.color, ...timesOf(label) };
    }),
  } satisfies Omit<BoardDocument, 'columns' | 'rules'>;
  const columns: string[] = [];
  for (const column of list(view, 'column', view.id)) columns.push(yield* columnText(view, column, join));
  const rules = list(view, 'rule', view.id).map((rule) => ruleDocument(view, rule));
  return `${JSON.stringify(head).slice(0, -1)},"columns":[${columns.join(',')}],"rules":${JSON.stringify(rules)}}`;
}

function* columnText(view: BoardView, column: Column, join: JoinCards): Generator<undefined, string> {
  const { id, title, color, is_done_column } = column;
  const head = { id, title, color, is_done_column, ...timesOf(column) } satisfies Omit<ColumnDocument, 'cards'>;
  const cards = yield* join(id, list(view, 'card', id), (card) => JSON.stringify(cardDocument(view, card)));
  return `${JSON.stringify(head).slice(0, -1)},"cards":${cards}}`;
}

function* joinAsText(_column: Uuid, cards: readonly Card[], render: (card: Card) => string): Generator<undefined, string> {
  const texts: string[] = [];
  for (const card of cards) {
    texts.push(render(card));
    if (texts.length % STRIDE === 0) yield undefined;
  }
  return `[${texts.join(',')}]`;
}

function cardDocument(view: BoardView, card: Card): CardDocument {
  return {
    title: card.title,
    description: card.description,
    labels: card.label_ids,
    assignees: emailsOf(view, card.assignee_ids),
    ...timesOf(card),
    checklists: list(view, 'checklist', card.id).map((checklist) => ({
      title: checklist.title,
      ...timesOf(checklist),
      items: list(view, 'item', checklist.id).map((item) => {
        const { content, is_done, assignee_ids } = item;
        return { content, is_done, assignees: emailsOf(view, assignee_ids), ...timesOf(item) };
      }),
    })),
    attachments: list(view, 'attachment', card.id).map((attachment) => {
      const { id, name, mime_type, size } = attachment;
      return { name, mime_type, ...timesOf(attachment), size, [CONTENT_KEY]: id };
    }),
  };
}

function ruleDocument(view: BoardView, rule: Rule): RuleDocument {
  const { name, trigger_type, action_type, action_user_id, is_enabled } = rule;
  return {
    name,
    trigger_type,
    trigger_column: rule.trigger_column_id,
    trigger_label: rule.trigger_label_id,
    action_type,
    action_column: rule.action_column_id,
    action_member: action_user_id === null ? null : need(view, 'member', action_user_id).user.email,
    is_enabled,
    ...timesOf(rule),
  };
}

function emailsOf(view: BoardView, users: readonly Uuid[]): string[] {
  return users.map((id) => need(view, 'member', id).user.email);
}

function timesOf({ created_at, updated_at }: Timestamps): Timestamps {
  return { created_at, updated_at };
}
