/** Keeps the column under the pointer, or with the focus, in its place while others change the columns beside it. */
interface Held {
  readonly id: string;
  /** The distance of the column from the edge of the board. */
  readonly left: number;
}

export class ColumnAnchor {
  #pointed: string | null = null;
  #held: Held | null = null;
  /** Empty pixels before and after the columns: a board that fits its window cannot scroll. */
  #before = 0;
  #after = 0;

  point({ clientX, clientY }: PointerEvent): void {
    // While something is dragged, the board is the target of every event.
    const column = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>('[data-column-id]');
    this.#pointed = column?.dataset['columnId'] ?? null;
  }

  leave(board: HTMLElement): void {
    this.#pointed = null;
    this.#makeRoom(board, 0, 0);
  }

  /** Before a change is shown. */
  note(board: HTMLElement): void {
    const focused = board.querySelector<HTMLElement>('[data-column-id]:focus-within')?.dataset['columnId'];
    const id = this.#pointed ?? focused ?? null;
    const column = id === null ? null : columnIn(board, id);
    this.#held = id === null || column === null ? null : { id, left: column.offsetLeft - board.scrollLeft };
  }

  /** After a change is shown. */
  restore(board: HTMLElement): void {
    const column = this.#held === null ? null : columnIn(board, this.#held.id);
    if (this.#held === null || column === null) return;
    const moved = column.offsetLeft - board.scrollLeft - this.#held.left;
    if (Math.abs(moved) < 1) return;
    const target = board.scrollLeft + moved;
    const missing = target - (board.scrollWidth - board.clientWidth);
    this.#makeRoom(board, this.#before + Math.max(0, -target), this.#after + Math.max(0, missing));
    board.scrollLeft = Math.max(0, target);
  }

  #makeRoom(board: HTMLElement, before: number, after: number): void {
    if (before !== this.#before) board.style.setProperty('--room-before', `${before}px`);
    if (after !== this.#after) board.style.setProperty('--room-after', `${after}px`);
    [this.#before, this.#after] = [before, after];
  }
}

function columnIn(board: HTMLElement, id: string): HTMLElement | null {
  return board.querySelector<HTMLElement>(`[data-column-id="${id}"]`);
}
