/** Where something would be dropped, from what is on the screen. */
import type { Place } from '../../state/openBoard.js';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The place in the column below the pointer, or in the nearest one. */
export function cardPlace(root: HTMLElement, { x, y }: Point, cardId: string): Place | null {
  const column = columnAt(root, x);
  if (column === null) return null;
  const columnId = column.dataset['columnId'] ?? '';
  for (const card of column.querySelectorAll<HTMLElement>('[data-card-id]')) {
    const { top, height } = card.getBoundingClientRect();
    if (card.dataset['cardId'] !== cardId && y < top + height / 2) return { columnId, beforeId: card.dataset['cardId'] ?? null };
  }
  return { columnId, beforeId: null };
}

/** The id of the column before which a column would be dropped; null for the end. */
export function columnPlace(root: HTMLElement, { x }: Point, columnId: string): string | null {
  for (const column of columnsIn(root)) {
    const { left, width } = column.getBoundingClientRect();
    if (column.dataset['columnId'] !== columnId && x < left + width / 2) return column.dataset['columnId'] ?? null;
  }
  return null;
}

export function columnAt(root: HTMLElement, x: number): HTMLElement | null {
  let nearest: HTMLElement | null = null;
  let distance = Infinity;
  for (const column of columnsIn(root)) {
    const { left, right } = column.getBoundingClientRect();
    const away = x < left ? left - x : x > right ? x - right : 0;
    if (away < distance) [nearest, distance] = [column, away];
  }
  return nearest;
}

function columnsIn(root: HTMLElement): Iterable<HTMLElement> {
  return root.querySelectorAll<HTMLElement>('[data-column-id]');
}
