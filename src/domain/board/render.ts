/**
 * Renders resources as the JSON of the wire. Whole cards are cached until something in them changes, unless their text is long. Other records are
 * immutable, so their own fields are rendered once. Larger texts are joined from these.
 */
import { isCurrent, MAX_KEPT_TEXT, shownOn, type CardCache } from './cardCache.js';
import { filesByComment } from './comments/commentFiles.js';
import type { Uuid } from '../ids.js';
import { keptAssignees, keptLabels } from './archive/archiveOnDisk.js';
import type { Archived, Attachment, BoardRecord, Card, Checklist, ChecklistItem, Column, Comment, Moved, Trashed, Version, Watch } from '../model.js';
import type { Entities, Kind, Label, Member, Rule } from '../model.js';
import { toPublicUser, type PublicUser } from '../account/user.js';
import { list, need, type BoardView } from './view.js';
import { cardOpening, OWN_FIELDS, type ShownKind } from './wireFields.js';

export interface RenderCaches {
  /** JSON of the own fields by record (or user), without the closing brace, so that derived fields can follow. */
  readonly openings: WeakMap<object, string>;
  readonly cards: CardCache;
  /** Finished arrays of the cards of columns, see `PreparedTexts`. */
  readonly columns?: ReadonlyMap<Uuid, string>;
}

type Renderings = { readonly [K in Kind]: (record: Entities[K]) => string };

/** Renders the records of one view. Each must be the view's current one: a cached card is found by its id. */
export class Renderer implements Renderings {
  readonly #view: BoardView;
  readonly #caches: RenderCaches;

  constructor(view: BoardView, caches: RenderCaches) {
    this.#view = view;
    this.#caches = caches;
  }

  /** The board without its columns. */
  board(board: BoardRecord): string {
    return `${this.#boardOpening(board)}}`;
  }

  fullBoard(board: BoardRecord): string {
    return `${this.#boardOpening(board)},"columns":${this.list('column', board.id)}}`;
  }

  /** The board in the caller's list of boards. */
  boardSummary(board: BoardRecord, activeAt: string | null, caller: Pick<Member, 'role' | 'is_starred'> | null): string {
    // The caller's own fields are last, because all else is shared by all members: see `SummaryCache`.
    const { role, is_starred } = caller ?? { role: null, is_starred: false };
    return `${this.#boardOpening(board)},"last_activity_at":"${activeAt ?? board.created_at}","role":${JSON.stringify(role)},"is_starred":${is_starred}}`;
  }

  member(member: Member): string {
    return `${this.#opening('member', member)},"user":${this.user(member.user)}}`;
  }

  user(user: PublicUser): string {
    return `${this.#once(user, () => toPublicUser(user))}}`;
  }

  column(column: Column): string {
    const cards = this.#caches.columns?.get(column.id) ?? this.list('card', column.id);
    return `${this.#opening('column', column)},"archived_at":null,"cards":${cards}}`;
  }

  card(card: Card): string {
    const kept = this.#caches.cards.get(card.id);
    if (kept !== undefined && isCurrent(this.#view, kept)) return kept.json;
    const labels = card.label_ids.map((id) => this.label(need(this.#view, 'label', id)));
    // Not cached beside the whole card: that would help only if something in the card changes, and takes memory.
    const opening = cardOpening(card, this.#view.id);
    const json =
      `${opening},"archived_at":null,"labels":${array(labels)},"assignees":${this.#users(card.assignee_ids)},` +
      `"checklists":${this.list('checklist', card.id)},"attachments":${this.list('attachment', card.id)}}`;
    if (opening.length <= MAX_KEPT_TEXT) this.#caches.cards.set(card.id, { json, shown: shownOn(this.#view, card) });
    return json;
  }

  /** The card or column as it was, without what is gone from the board. A column is shown without its cards. */
  archived(archived: Archived): string {
    const { archived_at, content } = archived;
    const { card, column, checklists = [], items = [], attachments = [] } = content;
    if (column !== undefined) {
      const count = `"archived_at":"${archived_at}","card_count":${content.card_count ?? 0}`;
      return `${openingOf(OWN_FIELDS.column(column, this.#view.id))},${count},"cards":[]}`;
    }
    if (card === undefined) throw new Error(`nothing is archived as ${archived.id}`);
    const users = (ids: readonly Uuid[]): string => this.#users(keptAssignees(this.#view, archived, ids));
    const labels = keptLabels(this.#view, card.label_ids).map((id) => this.label(need(this.#view, 'label', id)));
    const itemsOf = (checklist: Uuid): string[] => {
      const own = items.filter((item) => item.checklist_id === checklist);
      return own.map((item) => `${openingOf(OWN_FIELDS.item(item, this.#view.id))},"assignees":${users(item.assignee_ids)}}`);
    };
    const lists = checklists.map((list) => `${openingOf(OWN_FIELDS.checklist(list, this.#view.id))},"items":${array(itemsOf(list.id))}}`);
    const files = attachments.map((attachment) => JSON.stringify(OWN_FIELDS.attachment(attachment, this.#view.id)));
    return (
      `${cardOpening(card, this.#view.id)},"archived_at":"${archived_at}","labels":${array(labels)},` +
      `"assignees":${users(card.assignee_ids)},"checklists":${array(lists)},"attachments":${array(files)}}`
    );
  }

  label(label: Label): string {
    return `${this.#opening('label', label)}}`;
  }

  checklist(checklist: Checklist): string {
    return `${this.#opening('checklist', checklist)},"items":${this.list('item', checklist.id)}}`;
  }

  item(item: ChecklistItem): string {
    return `${this.#opening('item', item)},"assignees":${this.#users(item.assignee_ids)}}`;
  }

  attachment(attachment: Attachment): string {
    return `${this.#opening('attachment', attachment)}}`;
  }

  rule(rule: Rule): string {
    return `${this.#opening('rule', rule)}}`;
  }

  /**
   * Of people who are not on the board only the author is named, as they were called at the time of writing. `files`: of the comments
   * of its card, where the card is in the archive or many comments are rendered.
   */
  comment(comment: Comment, files = filesByComment(list(this.#view, 'attachment', comment.card_id))): string {
    const author = comment.created_by === null ? undefined : this.#view.get('member', comment.created_by)?.user;
    const mentions = comment.mention_ids.flatMap((id) => this.#view.get('member', id)?.user ?? []);
    return (
      `${openingOf(OWN_FIELDS.comment(comment, this.#view.id))},"author":${author === undefined ? 'null' : this.user(author)},` +
      `"author_name":${JSON.stringify(author?.username ?? comment.author_name)},"mentions":${array(mentions.map((user) => this.user(user)))},` +
      `"attachment_ids":${JSON.stringify(files.get(comment.id) ?? [])}}`
    );
  }

  /** What is in the trash is named only. */
  trashed({ id, trashed_kind, title }: Trashed): string {
    return JSON.stringify({ id, kind: trashed_kind, title });
  }

  /** Without its text: no event shows it. */
  version({ id }: Version): string {
    return JSON.stringify({ id });
  }

  /** No event shows it. */
  moved({ id }: Moved): string {
    return JSON.stringify({ id });
  }

  /** No event shows it. */
  watch({ id }: Watch): string {
    return JSON.stringify({ id });
  }

  record<K extends Kind>(kind: K, record: Entities[K]): string {
    const renderings: Renderings = this;
    return renderings[kind](record);
  }

  /** A JSON array of all records of a kind below a parent. */
  list(kind: Kind, parent: Uuid): string {
    return array(list(this.#view, kind, parent).map((record) => this.record(kind, record)));
  }

  #boardOpening(board: BoardRecord): string {
    const { id } = board;
    return `${this.#opening('board', board)},"labels":${this.list('label', id)},"members":${this.list('member', id)}`;
  }

  #users(ids: readonly Uuid[]): string {
    return array(ids.map((id) => this.user(need(this.#view, 'member', id).user)));
  }

  #opening<K extends ShownKind>(kind: K, record: Entities[K]): string {
    return this.#once(record, () => OWN_FIELDS[kind](record, this.#view.id));
  }

  #once(record: object, fields: () => object): string {
    const kept = this.#caches.openings.get(record);
    if (kept !== undefined) return kept;
    const opening = openingOf(fields());
    this.#caches.openings.set(record, opening);
    return opening;
  }
}

function openingOf(fields: object): string {
  return JSON.stringify(fields).slice(0, -1);
}

function array(elements: readonly string[]): string {
  return `[${elements.join(',')}]`;
}
