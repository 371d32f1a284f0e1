/**
 * Renders resources as the JSON of the wire. Whole cards are cached until something in them changes, unless their text is long. Other records are
 * immutable, so their own fields are rendered once. Larger texts are joined from these.
 */
import { isCurrent, MAX_KEPT_TEXT, shownOn, type CardCache } from './cardCache.js';
import type { Uuid } from '../ids.js';
import type { Attachment, BoardRecord, Card, Checklist, ChecklistItem, Column } from '../model.js';
import type { Entities, Kind, Label, Member, Role, Rule } from '../model.js';
import { toPublicUser, type PublicUser } from '../account/user.js';
import { list, need, type BoardView } from './view.js';
import { OWN_FIELDS } from './wireFields.js';

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
  boardSummary(board: BoardRecord, role: Role | null): string {
    return `${this.#boardOpening(board)},"role":${JSON.stringify(role)}}`;
  }

  member(member: Member): string {
    return `${this.#opening('member', member)},"user":${this.user(member.user)}}`;
  }

  user(user: PublicUser): string {
    return `${this.#once(user, () => toPublicUser(user))}}`;
  }

  column(column: Column): string {
    const cards = this.#caches.columns?.get(column.id) ?? this.list('card', column.id);
    return `${this.#opening('column', column)},"cards":${cards}}`;
  }

  card(card: Card): string {
    const kept = this.#caches.cards.get(card.id);
    if (kept !== undefined && isCurrent(this.#view, kept)) return kept.json;
    const labels = card.label_ids.map((id) => this.label(need(this.#view, 'label', id)));
    // Not cached beside the whole card: that would help only if something in the card changes, and takes memory.
    const opening = openingOf(OWN_FIELDS.card(card, this.#view.id));
    const json =
      `${opening},"labels":${array(labels)},"assignees":${this.#users(card.assignee_ids)},` +
      `"checklists":${this.list('checklist', card.id)},"attachments":${this.list('attachment', card.id)}}`;
    if (opening.length <= MAX_KEPT_TEXT) this.#caches.cards.set(card.id, { json, shown: shownOn(this.#view, card) });
    return json;
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

  #opening<K extends Kind>(kind: K, record: Entities[K]): string {
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
