/**
 * Lets cards glide from where they were to where they are. Positions are compared after each change of the board, only
 * in the columns that changed and only of cards on the screen: what is out of sight costs nothing.
 */
import type { FullBoard } from '../../../client/index.js';

const GLIDE_MS = 220;
/** Longer distances say nothing: the card just appears. */
const MAX_DISTANCE = 4_000;

const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

export class Glide {
  #places = new Map<string, DOMRect>();
  #from = new Map<string, DOMRect>();

  /** The card was dropped there: it glides from under the hand. */
  startFrom(id: string, place: DOMRect): void {
    this.#from.set(id, place);
  }

  /** Before a change is shown. */
  note(root: HTMLElement, changed: ChangedColumns): void {
    this.#places = new Map();
    if (reducedMotion.matches) return;
    for (const [id, , place] of cardsIn(root, changed)) this.#places.set(id, place);
  }

  /** After a change is shown. */
  play(root: HTMLElement, changed: ChangedColumns): void {
    if (reducedMotion.matches) {
      this.#from.clear();
      return;
    }
    for (const [id, card, now] of [...cardsIn(root, changed)]) {
      const before = this.#from.get(id) ?? this.#places.get(id);
      if (before === undefined || !(isOnScreen(before) || isOnScreen(now))) continue;
      const [x, y] = [before.left - now.left, before.top - now.top];
      if ((x === 0 && y === 0) || Math.abs(x) + Math.abs(y) > MAX_DISTANCE) continue;
      card.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: 'none' }], { duration: GLIDE_MS, easing: 'ease-out' });
    }
    this.#from.clear();
  }
}

/** Ids of columns; null for all of them, because they moved themselves. */
export type ChangedColumns = ReadonlySet<string> | null;

export function changedColumns(before: FullBoard | null, after: FullBoard | null): ChangedColumns {
  const [old, now] = [before?.columns ?? [], after?.columns ?? []];
  if (old.length !== now.length || now.some(({ id }, index) => old[index]?.id !== id)) return null;
  return new Set(now.filter((column, index) => column !== old[index]).map(({ id }) => id));
}

function* cardsIn(root: HTMLElement, changed: ChangedColumns): Generator<readonly [id: string, card: HTMLElement, place: DOMRect]> {
  for (const column of root.querySelectorAll<HTMLElement>('[data-column-id]')) {
    if (changed?.has(column.dataset['columnId'] ?? '') === false) continue;
    for (const card of column.querySelectorAll<HTMLElement>('[data-card-id]')) {
      yield [card.dataset['cardId'] ?? '', card, card.getBoundingClientRect()];
    }
  }
}

function isOnScreen({ top, bottom, left, right }: DOMRect): boolean {
  return bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
}
