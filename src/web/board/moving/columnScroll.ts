/** Scrolls the board while something is held at its side: column by column, with a rest at each, so that a hand can let go there. */
import { edgeStep } from './edgeScrolling.js';

const REST_MS = 350;

export class ColumnScroll {
  readonly #board: HTMLElement;
  /** Where the scrolling rests next; null before it begins. */
  #target: number | null = null;
  #restsUntil = 0;

  constructor(board: HTMLElement) {
    this.#board = board;
  }

  /** Once a frame. */
  follow(x: number, now = performance.now()): void {
    const board = this.#board;
    const { left, right } = board.getBoundingClientRect();
    const step = edgeStep(x, left, right);
    if (step === 0) this.#target = null;
    if (step === 0 || now < this.#restsUntil) return;
    if (this.#target === null || Math.sign(this.#target - board.scrollLeft) !== Math.sign(step)) this.#target = this.#nextStop(Math.sign(step));
    const way = this.#target - board.scrollLeft;
    const before = board.scrollLeft;
    board.scrollLeft += Math.abs(way) < Math.abs(step) ? way : step;
    const isThere = Math.abs(this.#target - board.scrollLeft) < 1 || board.scrollLeft === before;
    if (!isThere) return;
    this.#target = null;
    this.#restsUntil = now + REST_MS;
  }

  /** The next place at which a column begins at the edge. */
  #nextStop(direction: number): number {
    const { scrollLeft, scrollWidth, clientWidth, children } = this.#board;
    const [first] = children;
    const origin = first instanceof HTMLElement ? first.offsetLeft : 0;
    const stops = [...children].flatMap((column) => (column instanceof HTMLElement ? [column.offsetLeft - origin] : []));
    const end = direction < 0 ? Math.min(0, ...stops) : scrollWidth - clientWidth;
    const next = stops.filter((stop) => direction * (stop - scrollLeft) > 1);
    const nearest = direction > 0 ? Math.min(...next) : Math.max(...next);
    return Number.isFinite(nearest) && direction * (end - nearest) > 0 ? nearest : end;
  }
}
