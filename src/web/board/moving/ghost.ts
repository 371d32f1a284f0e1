/** The picture of what is dragged, under the pointer. */
import type { Point } from './dropTargets.js';

export class Ghost {
  readonly #element: HTMLElement;
  readonly #start: DOMRect;
  readonly #from: Point;

  /** `parent` is above everything else: an open dialog is above the page. */
  constructor(original: HTMLElement, from: Point, parent: HTMLElement = document.body) {
    const element = original.cloneNode(true) as HTMLElement;
    this.#element = element;
    this.#start = original.getBoundingClientRect();
    this.#from = from;
    for (const each of [element, ...element.querySelectorAll<HTMLElement>('*')]) {
      for (const name of ['id', 'data-card-id', 'data-column-id', 'data-item-id', 'href', 'aria-describedby']) each.removeAttribute(name);
    }
    element.classList.add('ghost');
    element.setAttribute('aria-hidden', 'true');
    element.inert = true;
    element.style.width = `${this.#start.width}px`;
    element.style.height = `${Math.min(this.#start.height, innerHeight / 2)}px`;
    element.style.left = `${this.#start.left}px`;
    element.style.top = `${this.#start.top}px`;
    parent.append(element);
  }

  get place(): DOMRect {
    return this.#element.getBoundingClientRect();
  }

  moveTo({ x, y }: Point): void {
    this.#element.style.transform = `translate(${x - this.#from.x}px, ${y - this.#from.y}px) rotate(1.5deg)`;
  }

  remove(): void {
    this.#element.remove();
  }
}
