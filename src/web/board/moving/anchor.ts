/**
 * Keeps what is under the hand in its place while others change the list: the card under the pointer, or with the focus
 * of the keyboard; or else the first visible one, if the list is scrolled. Places are computed, not measured: a card that
 * glides is not yet where it belongs.
 */
export interface CardPlaces {
  /** The distance of a card from the beginning of the list; null if it is not there. */
  offsetOf(id: string): number | null;
  /** The first card that ends beyond a distance. */
  firstBeyond(distance: number): string | null;
}

interface Held {
  readonly id: string;
  /** The distance of the card from the top of the visible part. */
  readonly top: number;
  /** How far the list was scrolled then. */
  readonly scrolledTo: number;
}

export class Anchor {
  #held: Held | null = null;
  /** The card under the pointer. */
  #pointed: string | null = null;

  /** The pointer is over something in the list. */
  point(scroller: HTMLElement, places: CardPlaces, target: EventTarget | null): void {
    const id = cardAround(target);
    if (id === this.#pointed && id !== null) return;
    this.#pointed = id;
    this.note(scroller, places);
  }

  /** The pointer or the focus left: what was moved out of sight to keep the place may come back. */
  leave(scroller: HTMLElement, places: CardPlaces, what: 'pointer' | 'focus'): void {
    if (what === 'pointer') this.#pointed = null;
    if (handIn(scroller, this.#pointed) === null) {
      scroller.style.height = '';
      scroller.style.paddingTop = '';
    }
    this.note(scroller, places);
  }

  /** After scrolling, or when the focus arrives. */
  note(scroller: HTMLElement, places: CardPlaces): void {
    const id = handIn(scroller, this.#pointed) ?? (scroller.scrollTop > 0 ? places.firstBeyond(scroller.scrollTop - paddingOf(scroller)) : null);
    const offset = id === null ? null : places.offsetOf(id);
    const { scrollTop } = scroller;
    this.#held = id === null || offset === null ? null : { id, top: offset + paddingOf(scroller) - scrollTop, scrolledTo: scrollTop };
  }

  /** After a change is shown. */
  restore(scroller: HTMLElement, places: CardPlaces): void {
    const offset = this.#held === null ? null : places.offsetOf(this.#held.id);
    if (this.#held === null || offset === null || isScrolled(scroller, this.#held)) return this.note(scroller, places);
    const padding = paddingOf(scroller);
    const moved = offset + padding - scroller.scrollTop - this.#held.top;
    if (Math.abs(moved) < 1) return;
    if (handIn(scroller, this.#pointed) !== null) makeRoom(scroller, moved, padding);
    scroller.scrollTop += moved;
    this.#held = { ...this.#held, scrolledTo: scroller.scrollTop };
  }
}

/** The user scrolled, and the event for it is still to come. A list that became shorter scrolls back by itself. */
function isScrolled({ scrollTop, scrollHeight, clientHeight }: HTMLElement, { scrolledTo }: Held): boolean {
  const isAtEnd = scrollTop >= scrollHeight - clientHeight - 1;
  return Math.abs(scrollTop - scrolledTo) >= 1 && !(scrollTop < scrolledTo && isAtEnd);
}

/** A list that fits its column cannot scroll: it keeps its height, or begins lower. */
function makeRoom(scroller: HTMLElement, moved: number, padding: number): void {
  if (moved > 0) {
    const room = scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop;
    if (room < moved) scroller.style.height = `${scroller.clientHeight - (moved - room)}px`;
  } else if (scroller.scrollTop + moved < 0) {
    scroller.style.paddingTop = `${padding - (scroller.scrollTop + moved)}px`;
  }
}

/** The focus that a mouse left behind is no hand. */
function handIn(scroller: HTMLElement, pointed: string | null): string | null {
  return pointed ?? cardAround(scroller.querySelector(':focus-visible'));
}

/** The id of the card that something on the page belongs to. */
export function cardAround(target: EventTarget | null): string | null {
  const card = target instanceof Element ? target.closest<HTMLElement>('[data-card-id]') : null;
  return card?.dataset['cardId'] ?? null;
}

function paddingOf(scroller: HTMLElement): number {
  return parseFloat(scroller.style.paddingTop) || 0;
}
