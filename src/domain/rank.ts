/**
 * Integer ranks. Neighbours start a wide gap apart, a newcomer takes the middle of the gap it enters, and only when no
 * integer is left there are siblings moved, as few as it takes.
 */
import type { Entry } from './order.js';

export const RANK_GAP = 65_536;

/** Ranks keep to half of the safe integers on either side of zero, so that the distance of any two is exact as well. */
export const RANK_LIMIT = 2 ** 52 - 1;

/** The siblings without the one to be placed, by position. */
export interface Siblings {
  readonly size: number;
  at(position: number): Entry | undefined;
}

export interface Placing {
  readonly rank: number;
  /**
   * Siblings with their new ranks, each of them changed. Applied one after the other in this order, no step ever puts
   * two siblings out of order or on the same rank.
   */
  readonly shifted: readonly Entry[];
}

/** The siblings from position `from` up to `to` share the integers between `low` and `high` with the newcomer. */
interface Window {
  readonly from: number;
  readonly to: number;
  readonly low: number;
  readonly high: number;
}

/** Finds a rank for a newcomer that is to stand at `position`, between 0 and the number of siblings. */
export function place(siblings: Siblings, position: number): Placing {
  // A window that does not fit is packed without a hole. So the smallest one that does reaches to the nearest hole on
  // one side of the gap alone, and no window over both sides needs a look.
  for (let reach = 0; reach <= siblings.size; reach++) {
    const before = windowOf(siblings, position - reach, position);
    const after = windowOf(siblings, position, position + reach);
    const roomiest = roomOf(before) > roomOf(after) ? before : after;
    if (roomOf(roomiest) >= 0) return settle(siblings, position, roomiest);
  }
  throw new Error('no rank is left between the limits');
}

function windowOf(siblings: Siblings, from: number, to: number): Window | null {
  if (from < 0 || to > siblings.size) return null;
  const below = siblings.at(from - 1)?.rank;
  const above = siblings.at(to)?.rank;
  const wanted = RANK_GAP * (to - from + 2);
  const low = below ?? Math.max((above ?? wanted) - wanted, -RANK_LIMIT - 1);
  const high = above ?? Math.min(low + wanted, RANK_LIMIT + 1);
  return { from, to, low, high };
}

/** How many integers stay free when all of the window have one; negative when they do not suffice. */
function roomOf(window: Window | null): number {
  return window === null ? -Infinity : window.high - window.low - 1 - (window.to - window.from + 1);
}

/** Spreads siblings and newcomer evenly over the window. */
function settle(siblings: Siblings, position: number, window: Window | null): Placing {
  if (window === null) throw new Error('a newcomer needs a window');
  const { from, to, low, high } = window;
  const parts = to - from + 2;
  const step = Math.floor((high - low) / parts);
  const rest = (high - low) % parts;
  const rankOf = (nth: number): number => low + step * (nth + 1) + Math.floor((rest * (nth + 1)) / parts);

  if (to === position) {
    return { rank: rankOf(to - from), shifted: shift(siblings, from, to, (at) => rankOf(at - from)) };
  }
  return { rank: rankOf(0), shifted: shift(siblings, from, to, (at) => rankOf(at - from + 1)).reverse() };
}

function shift(siblings: Siblings, from: number, to: number, rankAt: (position: number) => number): Entry[] {
  const shifted: Entry[] = [];
  for (let position = from; position < to; position++) {
    const sibling = siblings.at(position);
    if (sibling !== undefined) shifted.push({ id: sibling.id, rank: rankAt(position) });
  }
  return shifted;
}
