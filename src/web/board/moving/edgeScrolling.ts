/** Scrolls a list while something is dragged near its upper or lower edge. Called once a frame. */

/** The width of an edge, in pixels. */
const EDGE = 56;
/** In pixels a frame, at the very edge. */
const MAX_STEP = 16;

export function scrollAtEdges(list: HTMLElement, y: number): void {
  const { top, bottom } = list.getBoundingClientRect();
  list.scrollTop += edgeStep(y, top, Math.min(bottom, innerHeight));
}

/** In pixels: more, the nearer to the edge; 0 away from both. */
export function edgeStep(at: number, low: number, high: number): number {
  const edge = Math.min(EDGE, (high - low) / 4);
  if (at < low + edge) return -Math.ceil((Math.min(low + edge - at, edge) / edge) * MAX_STEP);
  if (at > high - edge) return Math.ceil((Math.min(at - high + edge, edge) / edge) * MAX_STEP);
  return 0;
}
