/**
 * Keeps what is under the hand in its place while others change the list: the card under the pointer or with the focus,
 * or else the first visible one, if the list is scrolled.
 */
interface Held {
  readonly id: string;
  /** The distance of the card from the top of the visible part. */
  readonly top: number;
}

export class Anchor {
  #held: Held | null = null;
  #isUnderHand = false;

  /** The pointer is over something in the list. */
  hold(scroller: HTMLElement, target: EventTarget | null): void {
    const card = target instanceof Element ? target.closest<HTMLElement>('[data-card-id]') : null;
    this.#isUnderHand = card !== null;
    if (card !== null) this.#held = heldBy(card, scroller);
  }

  /** The pointer left: what was moved out of sight to keep the place may come back. */
  release(scroller: HTMLElement): void {
    this.#isUnderHand = false;
    scroller.style.height = '';
    scroller.style.paddingTop = '';
    this.note(scroller);
  }

  /** After scrolling. */
  note(scroller: HTMLElement): void {
    const focused = scroller.querySelector<HTMLElement>('[data-card-id]:focus-within');
    if (focused !== null) {
      this.#held = heldBy(focused, scroller);
    } else if (!this.#isUnderHand) {
      this.#held = scroller.scrollTop > 0 ? firstVisible(scroller) : null;
    } else if (this.#held !== null) {
      const card = scroller.querySelector<HTMLElement>(`[data-card-id="${this.#held.id}"]`);
      this.#held = card === null ? null : heldBy(card, scroller);
    }
  }

  /** After a change is shown. `offsetOf` is the distance of a card from the beginning of the list, if it is there. */
  restore(scroller: HTMLElement, offsetOf: (id: string) => number | null): void {
    if (this.#held === null) return this.note(scroller);
    const offset = offsetOf(this.#held.id);
    if (offset === null) {
      this.#held = null;
      return this.note(scroller);
    }
    const padding = parseFloat(scroller.style.paddingTop) || 0;
    const moved = offset + padding - scroller.scrollTop - this.#held.top;
    if (Math.abs(moved) < 1) return;
    if (this.#isUnderHand) this.#makeRoom(scroller, moved, padding);
    scroller.scrollTop += moved;
  }

  /** A list that fits its column cannot scroll: it keeps its height, or begins lower. */
  #makeRoom(scroller: HTMLElement, moved: number, padding: number): void {
    if (moved > 0) {
      const room = scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop;
      if (room < moved) scroller.style.height = `${scroller.clientHeight - Math.max(0, moved - room)}px`;
    } else if (scroller.scrollTop + moved < 0) {
      scroller.style.paddingTop = `${padding - (scroller.scrollTop + moved)}px`;
    }
  }
}

function heldBy(card: HTMLElement, scroller: HTMLElement): Held {
  const top = card.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
  return { id: card.dataset['cardId'] ?? '', top };
}

function firstVisible(scroller: HTMLElement): Held | null {
  const edge = scroller.getBoundingClientRect().top;
  for (const card of scroller.querySelectorAll<HTMLElement>('[data-card-id]')) {
    if (card.getBoundingClientRect().bottom > edge) return heldBy(card, scroller);
  }
  return null;
}
