/**
 * A board as one document that can be exported and imported as another board. Labels and columns keep their ids, so
 * that cards and rules can reference them; people are referenced by e-mail address, the only identity that another
 * service shares.
 */
import type { CommentsOnDisk } from '../board/comments/commentsOnDisk.js';
import { keptAssignees, keptLabels, type ArchiveEntry, type ArchiveOnDisk } from '../board/archive/archiveOnDisk.js';
import type {
  Attachment,
  BoardRecord,
  Card,
  Checklist,
  ChecklistItem,
  Column,
  Comment,
  Cover,
  Editable,
  Role,
  Rule,
  RuleReference,
  Timestamps,
} from '../model.js';
import type { Uuid } from '../ids.js';
import { list, need, type BoardView } from '../board/view.js';
import { DEFAULT_COLOR } from '../content/defaults.js';

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
  /** Of an archived one, with its cards. */
  readonly archived_at?: string | null | undefined;
  readonly cards: readonly CardDocument[];
}

/** The attachment by its place in the list of the card. */
export type CoverDocument = { readonly attachment: number } | { readonly color: string };

export interface CardDocument extends Editable<'card'>, Partial<Timestamps> {
  /** Of an archived one. It is among the cards of its column, behind those on the board. */
  readonly archived_at?: string | null | undefined;
  /** Null where there is none. */
  readonly number: number | null;
  readonly cover: CoverDocument | null;
  /** Ids of labels. */
  readonly labels: readonly string[];
  /** E-mail addresses, here and below. */
  readonly assignees: readonly string[];
  readonly checklists: readonly ChecklistDocument[];
  readonly attachments: readonly AttachmentDocument[];
  /** The oldest first. */
  readonly comments: readonly CommentDocument[];
}

export interface CommentDocument extends Pick<Comment, 'author_name' | 'body'>, Partial<Timestamps> {
  /** The e-mail address of a member; null if the author is none. */
  readonly author: string | null;
}

export interface ChecklistDocument extends Editable<'checklist'>, Partial<Timestamps> {
  readonly items: readonly ItemDocument[];
}

export interface ItemDocument extends Editable<'item'>, Partial<Timestamps> {
  readonly assignees: readonly string[];
}

export interface AttachmentDocument extends Omit<Attachment, 'id' | 'card_id' | 'comment_id' | 'digest' | keyof Timestamps>, Partial<Timestamps> {
  /** The place of its comment in the list of the card. Absent: it belongs to the card itself. */
  readonly comment?: number | null | undefined;
  /** Absent for a link. */
  readonly content_base64?: string;
}

export interface RuleDocument extends Omit<Editable<'rule'>, RuleReference>, Partial<Timestamps> {
  readonly trigger_column: string | null;
  readonly trigger_label: string | null;
  readonly action_column: string | null;
  readonly action_member: string | null;
}

/** A board with the comments of its cards and its archive. */
type DocumentView = BoardView & { readonly comments: CommentsOnDisk; readonly archive: ArchiveOnDisk };

/** A card on the board, or in the archive. Those in the archive are read when they are rendered. */
export type ExportedCard = Card | Pick<ArchiveEntry, 'id' | 'archived_kind'>;

/** Cards between two pauses. */
const STRIDE = 16;

/** Joins the texts of a column's cards to a JSON array, or returns a mark for its bytes. */
export type JoinCards = (column: Uuid, cards: readonly ExportedCard[], render: (card: ExportedCard) => string) => Generator<undefined, string>;

/**
 * The document as JSON, in slices. A board does not hold the content of its files: each file's id stands in its place,
 * right after its size, and the sender replaces it.
 */
export function* documentText(view: DocumentView, board: BoardRecord, join: JoinCards = joinAsText): Generator<undefined, string> {
  const head = {
    format: DOCUMENT_FORMAT,
    version: DOCUMENT_VERSION,
    title: board.title,
    description: board.description,
    color: board.color,
    icon: board.icon,
    ...timesOf(board),
    members: list(view, 'member', view.id).map(({ user: { email, username }, role }) => ({ email, username, role })),
    labels: list(view, 'label', view.id).map((label) => {
      return { id: label.id, name: label.name, color: label.color, ...timesOf(label) };
    }),
  } satisfies Omit<BoardDocument, 'columns' | 'rules'>;
  const columns: string[] = [];
  const archive = new ArchivedByColumn(view);
  for (const column of list(view, 'column', view.id)) columns.push(yield* columnText(view, column, null, archive.of(column.id), join));
  for (const { column, archived_at, cards } of archive.columns) columns.push(yield* columnText(view, column, archived_at, cards, join));
  const rules = list(view, 'rule', view.id).map((rule) => ruleDocument(view, rule));
  return `${JSON.stringify(head).slice(0, -1)},"columns":[${columns.join(',')}],"rules":${JSON.stringify(rules)}}`;
}

/** Cards whose column is gone are with the last one, where they would be restored to; without any, in an archived column of their own. */
class ArchivedByColumn {
  readonly #view: DocumentView;
  readonly #cards = new Map<Uuid, ArchiveEntry[]>();
  readonly #columns: ArchiveEntry[] = [];

  constructor(view: DocumentView) {
    this.#view = view;
    const onBoard = view.children('column', view.id);
    const entries = view.archive.index();
    this.#columns = entries.filter(({ archived_kind }) => archived_kind === 'column');
    const known = new Set([...onBoard, ...this.#columns].map(({ id }) => id));
    const last = onBoard.at(onBoard.size - 1)?.id ?? view.id;
    for (const entry of entries) {
      if (entry.archived_kind === 'column') continue;
      const home = entry.column_id !== null && known.has(entry.column_id) ? entry.column_id : last;
      const others = this.#cards.get(home);
      if (others === undefined) this.#cards.set(home, [entry]);
      else others.push(entry);
    }
  }

  of(column: Uuid): readonly ArchiveEntry[] {
    return this.#cards.get(column) ?? [];
  }

  get columns(): Array<{ readonly column: ExportedColumn; readonly archived_at: string; readonly cards: readonly ArchiveEntry[] }> {
    const archived = this.#columns.flatMap(({ id }) => {
      const row = this.#view.archive.find(id);
      return row?.content.column === undefined ? [] : [{ column: row.content.column, archived_at: row.archived_at, cards: this.of(id) }];
    });
    const strays = this.of(this.#view.id);
    const { updated_at } = need(this.#view, 'board', this.#view.id);
    const place = { id: this.#view.id, title: 'Archive', color: DEFAULT_COLOR, is_done_column: false, created_at: updated_at, updated_at };
    return strays.length === 0 ? archived : [...archived, { column: place, archived_at: updated_at, cards: strays }];
  }
}

type ExportedColumn = Pick<Column, 'id' | 'title' | 'color' | 'is_done_column' | keyof Timestamps>;

function* columnText(
  view: DocumentView,
  column: ExportedColumn,
  archived_at: string | null,
  archived: readonly ArchiveEntry[],
  join: JoinCards,
): Generator<undefined, string> {
  const { id, title, color, is_done_column } = column;
  const when = archived_at === null ? {} : { archived_at };
  const head = { id, title, color, is_done_column, ...when, ...timesOf(column) } satisfies Omit<ColumnDocument, 'cards'>;
  const cards = yield* join(id, [...list(view, 'card', id), ...archived], (card) => JSON.stringify(exported(view, card)));
  return `${JSON.stringify(head).slice(0, -1)},"cards":${cards}}`;
}

function* joinAsText(_column: Uuid, cards: readonly ExportedCard[], render: (card: ExportedCard) => string): Generator<undefined, string> {
  const texts: string[] = [];
  for (const card of cards) {
    texts.push(render(card));
    if (texts.length % STRIDE === 0) yield undefined;
  }
  return `[${texts.join(',')}]`;
}

function exported(view: DocumentView, exported: ExportedCard): CardDocument {
  if (!('archived_kind' in exported)) {
    const checklists = list(view, 'checklist', exported.id);
    const items = checklists.flatMap(({ id }) => list(view, 'item', id));
    return cardDocument(view, exported, { checklists, items, attachments: list(view, 'attachment', exported.id) });
  }
  const archived = view.archive.find(exported.id);
  if (archived?.content.card === undefined) throw new Error(`the archive lists ${exported.id} and does not have it`);
  const { card, checklists = [], items = [], attachments = [] } = archived.content;
  const kept = <T extends Pick<Card, 'assignee_ids'>>(thing: T): T => ({ ...thing, assignee_ids: keptAssignees(view, archived, thing.assignee_ids) });
  const shown = { ...kept(card), label_ids: keptLabels(view, card.label_ids) };
  return { ...cardDocument(view, shown, { checklists, items: items.map(kept), attachments }), archived_at: archived.archived_at };
}

interface Parts {
  readonly checklists: readonly Checklist[];
  readonly items: readonly ChecklistItem[];
  readonly attachments: readonly Attachment[];
}

function cardDocument(view: DocumentView, card: Card, { checklists, items, attachments }: Parts): CardDocument {
  const itemsOf = new Map<Uuid, ChecklistItem[]>(checklists.map(({ id }) => [id, []]));
  for (const item of items) itemsOf.get(item.checklist_id)?.push(item);
  const comments = commentsOf(view, card);
  const places = new Map(comments.map(({ id }, place) => [id, place]));
  return {
    number: card.number,
    cover: coverDocument(card.cover, attachments),
    title: card.title,
    description: card.description,
    start_at: card.start_at,
    due_at: card.due_at,
    completed_at: card.completed_at,
    reminder_minutes: card.reminder_minutes,
    labels: card.label_ids,
    assignees: emailsOf(view, card.assignee_ids),
    ...timesOf(card),
    checklists: checklists.map((checklist) => ({
      title: checklist.title,
      ...timesOf(checklist),
      items: (itemsOf.get(checklist.id) ?? []).map((item) => {
        const { content, is_done, due_at, assignee_ids } = item;
        return { content, is_done, due_at, assignees: emailsOf(view, assignee_ids), ...timesOf(item) };
      }),
    })),
    attachments: attachments.map((attachment) => {
      const { id, name, mime_type, size, url, comment_id } = attachment;
      const place = comment_id === null ? undefined : places.get(comment_id);
      const own = { name, mime_type, url, ...(place !== undefined && { comment: place }), ...timesOf(attachment) };
      // The size comes right before the content.
      return { ...own, size, ...(url === null ? { [CONTENT_KEY]: id } : {}) };
    }),
    comments: comments.map((comment) => commentDocument(view, comment)),
  };
}

function coverDocument(cover: Cover | null, attachments: readonly Attachment[]): CoverDocument | null {
  if (cover === null || 'color' in cover) return cover;
  const attachment = attachments.findIndex(({ id }) => id === cover.attachment_id);
  return attachment < 0 ? null : { attachment };
}

/** The oldest first. */
function commentsOf(view: DocumentView, { id, comment_count }: Card): Comment[] {
  return comment_count === 0 ? [] : view.comments.page(id, null, Infinity, Infinity).reverse();
}

function commentDocument(view: DocumentView, comment: Comment): CommentDocument {
  const author = comment.created_by === null ? undefined : view.get('member', comment.created_by)?.user;
  const { body } = comment;
  return { author: author?.email ?? null, author_name: author?.username ?? comment.author_name, body, ...timesOf(comment) };
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
