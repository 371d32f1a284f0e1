/**
 * Caches the JSON of whole cards, and decides when it is out of date. Boards consist mostly of cards; everything else
 * is small enough to be rendered on demand. A change on a card drops its JSON. A change of a label or user does not,
 * because it may be on fifty thousand cards: the cached JSON records which ones it shows, and is out of date if the
 * board has others by now.
 */
import type { Uuid } from '../ids.js';
import type { Card, Entities, Kind } from '../model.js';
import { itemsOfCard, type BoardView } from './view.js';

export interface KeptCard {
  readonly json: string;
  /** The labels and users that it shows, each once. */
  readonly shown: readonly Shown[];
}

/** `record` is the label, or the member's copied profile. */
interface Shown {
  readonly kind: 'label' | 'member';
  readonly id: Uuid;
  readonly record: object;
}

/**
 * A card with a longer text of its own is not cached: rendering it is little more than copying, and the copy would double
 * the memory of a board of long texts.
 */
export const MAX_KEPT_TEXT = 4 * 1024;

/** By card id; a Map satisfies it. */
export interface CardCache {
  get(id: Uuid): KeptCard | undefined;
  set(id: Uuid, kept: KeptCard): void;
  delete(id: Uuid): void;
}

/** Whether the board still has what the JSON shows. */
export function isCurrent(view: BoardView, { shown }: KeptCard): boolean {
  for (const { kind, id, record } of shown) if (recordOf(view, kind, id) !== record) return false;
  return true;
}

/** All labels and users that the JSON of a card shows. */
export function shownOn(view: BoardView, card: Card): readonly Shown[] {
  if (card.label_ids.length + card.assignee_ids.length === 0 && view.children('checklist', card.id).size === 0) return NOTHING;
  const users = new Set(card.assignee_ids);
  for (const item of itemsOfCard(view, card.id)) for (const id of item.assignee_ids) users.add(id);
  if (users.size + card.label_ids.length === 0) return NOTHING;
  const shown: Shown[] = [];
  const note = (kind: Shown['kind'], id: Uuid): void => {
    const record = recordOf(view, kind, id);
    if (record !== undefined) shown.push({ kind, id, record });
  };
  for (const id of card.label_ids) note('label', id);
  for (const id of users) note('member', id);
  return shown;
}

const NOTHING: readonly Shown[] = [];

function recordOf(view: BoardView, kind: Shown['kind'], id: Uuid): object | undefined {
  return kind === 'label' ? view.get('label', id) : view.get('member', id)?.user;
}

/**
 * The cache of a draft. Cards changed by the draft are cached here; all others are read from and added to the board's
 * cache, where they stay valid even if the draft is dropped.
 */
export class DraftCardCache implements CardCache {
  readonly #board: CardCache;
  /** Has a key for every card changed by the draft; null until it is rendered. Most drafts change none. */
  #changed: Map<Uuid, KeptCard | null> | undefined;

  constructor(board: CardCache) {
    this.#board = board;
  }

  get(id: Uuid): KeptCard | undefined {
    const own = this.#changed?.get(id);
    return own === undefined ? this.#board.get(id) : (own ?? undefined);
  }

  set(id: Uuid, kept: KeptCard): void {
    if (this.#changed?.has(id)) this.#changed.set(id, kept);
    else this.#board.set(id, kept);
  }

  delete(id: Uuid): void {
    this.#changed ??= new Map();
    this.#changed.set(id, null);
  }
}

/** The cards on which a changed record appears. */
type Appearances = {
  readonly [K in Kind]: (view: BoardView, ...records: Records<K>) => Iterable<Uuid | undefined>;
};
type Records<K extends Kind> = [before: Entities[K] | undefined, after: Entities[K] | undefined];

const APPEARANCES: Appearances = {
  board: () => [],
  column: () => [],
  rule: () => [],
  card: (_view, before, after) => [before?.id, after?.id],
  checklist: (_view, before, after) => [before?.card_id, after?.card_id],
  attachment: (_view, before, after) => [before?.card_id, after?.card_id],
  item: (view, ...items) => items.map((item) => item && view.get('checklist', item.checklist_id)?.card_id),
  label: () => [],
  member: () => [],
  // The count on its card is a field of the card.
  comment: () => [],
  version: () => [],
  watch: () => [],
  moved: () => [],
  archived: () => [],
  trashed: () => [],
};

/** Drops the JSON of the cards on which this record appears. */
export function forgetCards<K extends Kind>(
  cache: CardCache,
  view: BoardView,
  kind: K,
  before: Entities[K] | undefined,
  after: Entities[K] | undefined,
): void {
  for (const id of APPEARANCES[kind](view, before, after)) if (id !== undefined) cache.delete(id);
}
