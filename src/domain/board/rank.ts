/**
 * Integer ranks. Neighbours start a wide gap apart and a newcomer takes the middle of the gap it enters. When no
 * integer is left there, the nearest siblings are spread out anew, as few as it takes to gain lasting room.
 *
 * Lasting, because the first window in which everyone just fits leaves a solid block of ranks, which the next newcomers
 * have to shift as a whole: of 5,000 moves to the middle of a column of 10,000, each shifted 465 siblings on average. A
 * window whose gaps are as wide as its entries are many lasts for as many newcomers as it cost to make, and the same
 * moves shift five siblings each.
 *
 * A client sees every shift as an event of its own, and sorts by rank after each. An entry that moves within its list
 * keeps its old rank until its own event, which is the last, so no sibling may pass it on the way: it is a wall that no
 * window contains. The list is then in its old order after every event but the last, and in the new order after that.
 */
import type { Entry } from './order.js';

export const RANK_GAP = 65_536;

/** Ranks keep to half of the safe integers on either side of zero, so that the distance of any two is exact as well. */
export const RANK_LIMIT = 2 ** 52 - 1;

/** The entries of the list by position: with the one to be placed if it moves within the list, without if it is new. */
export interface Siblings {
  readonly size: number;
  at(position: number): Entry | undefined;
}

export interface Placing {
  readonly rank: number;
  /**
   * Siblings with their new ranks, each of them changed. Applied one after the other in this order, no step ever puts
   * two entries of the list out of order or on the same rank.
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

/**
 * Finds a rank for an entry that is to stand just before the one at `position`, or last. `mover` is where the entry
 * stands now if it moves within the list.
 *
 * There always is one. Away from the mover the list has an open end, which grows. Only at the limit of the ranks may it
 * be too close to the mover; then the mover is spread out with the others, staying where it stands, and there is as
 * much room as for a new entry.
 */
export function place(siblings: Siblings, position: number, mover: number | null = null): Placing {
  const window = roomyWindow(siblings, position, mover) ?? roomyWindow(siblings, position, null);
  if (window === null) throw new Error('no rank is left between the limits');
  return spread(siblings, position, window);
}

/** The smallest window at a position that gives lasting room without shifting the entry at `wall`. */
function roomyWindow(siblings: Siblings, position: number, wall: number | null): Window | null {
  // Windows that reach to both sides need no look: the better half is about as roomy and moves fewer siblings.
  for (let reach = 0; reach <= siblings.size; reach++) {
    const before = windowOf(siblings, position - reach, position, wall);
    const after = windowOf(siblings, position, position + reach, wall);
    const roomier = before !== null && (after === null || gapOf(before) > gapOf(after)) ? before : after;
    if (roomier !== null && gapOf(roomier) >= Math.min(entriesOf(roomier), RANK_GAP)) return roomier;
  }
  return null;
}

/**
 * Null when the list does not reach that far or the wall is in the way. An open end of the list grows by as many gaps
 * as there are entries.
 */
function windowOf(siblings: Siblings, from: number, to: number, wall: number | null): Window | null {
  if (from < 0 || to > siblings.size) return null;
  if (wall !== null && from <= wall && wall < to) return null;
  const below = siblings.at(from - 1)?.rank;
  const above = siblings.at(to)?.rank;
  const wanted = RANK_GAP * (to - from + 2);
  const low = below ?? Math.max((above ?? wanted) - wanted, -RANK_LIMIT - 1);
  const high = above ?? Math.min(low + wanted, RANK_LIMIT + 1);
  return { from, to, low, high };
}

/** The newcomer counts. */
function entriesOf({ from, to }: Window): number {
  return to - from + 1;
}

/** The distance between neighbours when all entries of the window are spread evenly. */
function gapOf(window: Window): number {
  return Math.floor((window.high - window.low) / (entriesOf(window) + 1));
}

function spread(siblings: Siblings, position: number, window: Window): Placing {
  const { from, to, low, high } = window;
  const gap = gapOf(window);
  const rest = (high - low) % (entriesOf(window) + 1);
  const rankOf = (nth: number): number => low + gap * nth + Math.floor((rest * nth) / (entriesOf(window) + 1));

  const down: Entry[] = [];
  const up: Entry[] = [];
  for (let at = from; at < to; at++) {
    const sibling = siblings.at(at);
    if (sibling === undefined) continue;
    const rank = rankOf(at - from + (at < position ? 1 : 2));
    if (rank < sibling.rank) down.push({ id: sibling.id, rank });
    if (rank > sibling.rank) up.push({ id: sibling.id, rank });
  }
  // Who moves down makes way for the next one, who moves up for the one before; the two kinds never cross.
  return { rank: rankOf(position - from + 1), shifted: [...down, ...up.reverse()] };
}
