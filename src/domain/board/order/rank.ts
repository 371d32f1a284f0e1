/**
 * Integer ranks. Neighbours start a wide gap apart, and a new entry takes the middle of its gap. If no integer is left
 * there, the nearest siblings are spread again, as few as give lasting room.
 *
 * Lasting, because the first window in which all entries just fit leaves a solid block of ranks, which the next new
 * entries shift as a whole: of 5,000 moves to the middle of a column of 10,000, each shifted 465 siblings on average. A
 * window with gaps as wide as its entries are many lasts for as many new entries as it cost, and the same moves shift
 * five siblings each.
 *
 * A client sees every shift as a separate event and sorts by rank after each. An entry that moves within its list keeps
 * its old rank until its own event, which is the last, so no sibling may pass it: it is a wall that no window contains.
 * The list is then in its old order after every event but the last, and in the new order after that.
 */
import type { Entry } from './order.js';
import { RANK_GAP } from '../../content/defaults.js';

/** Ranks use half of the safe integers on either side of zero, so that the distance of any two is exact too. */
export const RANK_LIMIT = 2 ** 52 - 1;

/** The entries of the list by position: with the moved entry if it moves within the list, without a new one. */
export interface Siblings {
  readonly size: number;
  at(position: number): Entry | undefined;
}

export interface Placing {
  readonly rank: number;
  /**
   * Siblings with their new ranks, each changed. Applied one after another in this order, no step puts two entries out
   * of order or on the same rank.
   */
  readonly shifted: readonly Entry[];
}

/** The siblings from position `from` up to `to` share the integers between `low` and `high` with the new entry. */
interface Window {
  readonly from: number;
  readonly to: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Finds a rank for an entry just before the one at `position`, or last. `mover` is the current position of an entry
 * that moves within the list.
 *
 * There always is one. Away from the mover the list has an open end, which grows. Only at the limit of the ranks may it
 * be too close to the mover; then the mover is spread with the others at its position, and there is as much room as for
 * a new entry.
 */
export function place(siblings: Siblings, position: number, mover: number | null = null): Placing {
  const window = roomyWindow(siblings, position, mover) ?? roomyWindow(siblings, position, null);
  if (window === null) throw new Error('no rank is left between the limits');
  return spread(siblings, position, window);
}

/** The smallest window at a position that gives lasting room without shifting the entry at `wall`. */
function roomyWindow(siblings: Siblings, position: number, wall: number | null): Window | null {
  // Windows that reach to both sides are not tried: the better half is about as roomy and moves fewer siblings.
  for (let reach = 0; reach <= siblings.size; reach++) {
    const before = windowOf(siblings, position - reach, position, wall);
    const after = windowOf(siblings, position, position + reach, wall);
    const roomier = before !== null && (after === null || gapOf(before) > gapOf(after)) ? before : after;
    if (roomier !== null && gapOf(roomier) >= Math.min(entriesOf(roomier), RANK_GAP)) return roomier;
  }
  return null;
}

/**
 * Null if the list does not reach that far or the wall is in the way. An open end of the list grows by one gap for each
 * entry.
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

/** Including the new entry. */
function entriesOf({ from, to }: Window): number {
  return to - from + 1;
}

/** The distance between neighbours if all entries of the window are spread evenly. */
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
  // An entry that moves down makes way for the next one, one that moves up for the one before; the two kinds never
  // cross.
  return { rank: rankOf(position - from + 1), shifted: [...down, ...up.reverse()] };
}
