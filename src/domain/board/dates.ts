/**
 * Dates of cards and items: a moment in UTC (`2027-01-02T15:00:00.000Z`), or a bare day (`2027-01-02`), which begins and ends
 * at midnight where its reader is.
 */
import { DAY_MS, HOUR_MS } from '../content/time.js';
import type { Draft } from './draft.js';
import type { Uuid } from '../ids.js';
import type { Card } from '../model.js';

/** The farthest that a reader's midnight is from midnight UTC. */
const EAST_HOURS = 14;
const WEST_HOURS = 12;
const DAY_HOURS = 24;

const DAY = /^\d{4}-\d\d-\d\d$/;

export function isDay(date: string): boolean {
  return DAY.test(date);
}

/** Whether there is such a day in the calendar. */
export function isRealDay(text: string): boolean {
  if (!DAY.test(text)) return false;
  const midnight = new Date(`${text}T00:00:00.000Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(text);
}

/** Whether something that starts then would start after it is due. A day and a moment are compared in the reader's favour. */
export function isAfter(start: string, due: string): boolean {
  if (isDay(start) === isDay(due)) return start > due;
  return isDay(start)
    ? midnightMs(start) - EAST_HOURS * HOUR_MS > Date.parse(due)
    : Date.parse(start) > midnightMs(due) + (DAY_HOURS + WEST_HOURS) * HOUR_MS;
}

/** In UTC. */
function midnightMs(day: string): number {
  return Date.parse(`${day}T00:00:00.000Z`);
}

/** When a date is over, in milliseconds since the epoch: a day where no reader is known ends at midnight in UTC. */
export function endOf(date: string): number {
  return isDay(date) ? midnightMs(date) + DAY_MS : Date.parse(date);
}

/** When a card was completed that is new in this column; the column says so, unless a user does. */
export function completionIn(draft: Draft, column: Uuid): string | null {
  return isDone(draft, column) && draft.keepsDates ? draft.now : null;
}

/**
 * Of a card that moves to another column: entering a done column completes it, leaving one does the opposite. `wasDone`: of a
 * card that was away, whose column may be gone.
 */
export function completionAfter(draft: Draft, card: Card, column: Uuid, wasDone = isDone(draft, card.column_id)): string | null {
  return completionFrom(draft, { completed_at: card.completed_at, wasDone }, column);
}

/** The same of a card from elsewhere. `wasDone`: whether the column that it leaves completes cards. */
export function completionFrom(
  draft: Draft,
  { completed_at, wasDone }: Pick<Card, 'completed_at'> & { readonly wasDone: boolean },
  column: Uuid,
): string | null {
  if (isDone(draft, column)) return wasDone && completed_at !== null ? completed_at : completionIn(draft, column);
  return wasDone ? null : completed_at;
}

/** Whether the column completes cards. */
export function isDone(draft: Draft, column: Uuid): boolean {
  return draft.get('column', column)?.is_done_column === true;
}
