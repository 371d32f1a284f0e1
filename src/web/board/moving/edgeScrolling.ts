/** Scrolls while something is dragged near an edge. Called once a frame. */
import type { Point } from './dropTargets.js';

/** The width of an edge, in pixels. */
const EDGE = 56;
/** In pixels a frame, at the very edge. */
const MAX_STEP = 16;

export function scrollAtEdges(board: HTMLElement, list: HTMLElement | null, { x, y }: Point): void {
  const outer = board.getBoundingClientRect();
  board.scrollLeft += step(x, outer.left, outer.right);
  if (list === null) return;
  const inner = list.getBoundingClientRect();
  list.scrollTop += step(y, inner.top, Math.min(inner.bottom, innerHeight));
}

function step(at: number, low: number, high: number): number {
  const edge = Math.min(EDGE, (high - low) / 4);
  if (at < low + edge) return -Math.ceil((Math.min(low + edge - at, edge) / edge) * MAX_STEP);
  if (at > high - edge) return Math.ceil((Math.min(at - high + edge, edge) / edge) * MAX_STEP);
  return 0;
}
