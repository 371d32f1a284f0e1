/**
 * Lets cards glide from where they were to where they are. Positions are compared after each change of the board, only
 * of the cards that are shown.
 */
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
  note(root: HTMLElement): void {
    this.#places = placesIn(root);
  }

  /** After a change is shown. */
  play(root: HTMLElement): void {
    if (reducedMotion.matches) {
      this.#from.clear();
      return;
    }
    for (const card of root.querySelectorAll<HTMLElement>('[data-card-id]')) {
      const id = card.dataset['cardId'] ?? '';
      const before = this.#from.get(id) ?? this.#places.get(id);
      if (before === undefined) continue;
      const now = card.getBoundingClientRect();
      const [x, y] = [before.left - now.left, before.top - now.top];
      if ((x === 0 && y === 0) || Math.abs(x) + Math.abs(y) > MAX_DISTANCE) continue;
      card.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: 'none' }], { duration: GLIDE_MS, easing: 'ease-out' });
    }
    this.#from.clear();
  }
}

function placesIn(root: HTMLElement): Map<string, DOMRect> {
  const places = new Map<string, DOMRect>();
  for (const card of root.querySelectorAll<HTMLElement>('[data-card-id]')) {
    places.set(card.dataset['cardId'] ?? '', card.getBoundingClientRect());
  }
  return places;
}
