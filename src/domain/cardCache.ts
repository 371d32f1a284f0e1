/**
 * Finished JSON of whole cards, and the one place that knows when it is out of date. Cards are what boards consist of;
 * all else is small enough to be put together on demand.
 */
import type { Uuid } from './ids.js';
import type { Entities, Kind } from './model.js';
import { everyCard, itemsOfCard, type BoardView } from './view.js';

/** By card id. A Map is one. */
export interface CardCache {
  get(id: Uuid): string | undefined;
  set(id: Uuid, json: string): void;
  delete(id: Uuid): void;
}

/**
 * The cache of a draft: cards that the draft changed are its own affair, all others are read from and added to the
 * board's cache, where they stay true even if the draft is dropped.
 */
export class DraftCardCache implements CardCache {
  readonly #board: CardCache;
  /** Has a key for every card that the draft changed; null until it is rendered. Most drafts change none. */
  #changed: Map<Uuid, string | null> | undefined;

  constructor(board: CardCache) {
    this.#board = board;
  }

  get(id: Uuid): string | undefined {
    const own = this.#changed?.get(id);
    return own === undefined ? this.#board.get(id) : (own ?? undefined);
  }

  set(id: Uuid, json: string): void {
    if (this.#changed?.has(id)) this.#changed.set(id, json);
    else this.#board.set(id, json);
  }

  delete(id: Uuid): void {
    this.#changed ??= new Map();
    this.#changed.set(id, null);
  }
}

/** The cards that show a record which came, changed or went. */
type Appearances = {
  readonly [K in Kind]: (view: BoardView, ...records: Records<K>) => Iterable<Uuid | undefined>;
};
type Records<K extends Kind> = [before: Entities[K] | undefined, after: Entities[K] | undefined];

/**
 * A label or member on its way in or out is on no card: handlers take it off first, and that changes the card itself.
 * So only its replacement makes the board's cards worth a search.
 */
const APPEARANCES: Appearances = {
  board: () => [],
  column: () => [],
  rule: () => [],
  card: (_view, before, after) => [before?.id, after?.id],
  checklist: (_view, before, after) => [before?.card_id, after?.card_id],
  attachment: (_view, before, after) => [before?.card_id, after?.card_id],
  item: (view, ...items) => items.map((item) => item && view.get('checklist', item.checklist_id)?.card_id),
  label: (view, before, after) => (before && after ? cardsWithLabel(view, after.id) : []),
  member: (view, before, after) =>
    before && after && before.user !== after.user ? cardsShowingUser(view, after.id) : [],
};

/** Drops the JSON of every card that shows this record, which was `before` and is `after`. */
export function forgetCards<K extends Kind>(
  cache: CardCache,
  view: BoardView,
  kind: K,
  before: Entities[K] | undefined,
  after: Entities[K] | undefined,
): void {
  for (const id of APPEARANCES[kind](view, before, after)) if (id !== undefined) cache.delete(id);
}

function* cardsWithLabel(view: BoardView, label: Uuid): Generator<Uuid> {
  for (const card of everyCard(view)) if (card.label_ids.includes(label)) yield card.id;
}

function* cardsShowingUser(view: BoardView, user: Uuid): Generator<Uuid> {
  for (const card of everyCard(view)) {
    const shown = [card, ...itemsOfCard(view, card.id)].some((thing) => thing.assignee_ids.includes(user));
    if (shown) yield card.id;
  }
}
