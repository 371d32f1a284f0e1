/** Reminders: some time before a card is due, its people get a notice. Each is a timer of the shard. */
import { endOf } from '../dates.js';
import type { Uuid } from '../../ids.js';
import type { Card, Change } from '../../model.js';
import type { NewNotification } from '../../account/notification.js';
import { DEFAULT_MINUTES, NO_REMINDER } from './reminderMinutes.js';
import type { TimerChange } from './timers.js';
import type { BoardView } from '../view.js';

const MINUTE_MS = 60_000;
/** Later than this a reminder says that it is late: the service was down, or its clock was wrong. A restart takes less. */
const LATE_MS = 10 * MINUTE_MS;

/** A card as far as its reminder depends on it. */
export type Dated = Pick<Card, 'due_at' | 'completed_at' | 'reminder_minutes'>;

/** In milliseconds since the epoch; null if there is none. */
export function reminderOf({ due_at, completed_at, reminder_minutes }: Dated): number | null {
  if (due_at === null || completed_at !== null || reminder_minutes === NO_REMINDER) return null;
  return endOf(due_at) - (reminder_minutes ?? DEFAULT_MINUTES) * MINUTE_MS;
}

/**
 * What the changes mean for the timers of cards. A time that has passed when it is set is no reminder: who sets a date for this
 * afternoon knows of it, and a board that is imported or restored must not remind of what is long over.
 */
export function reminderChanges(before: Pick<BoardView, 'get'> | null, changes: readonly Change[], now: number): TimerChange[] {
  const timers: TimerChange[] = [];
  for (const change of changes) {
    if (change.kind !== 'card' || !('put' in change)) continue;
    const card = before?.get('card', change.put.id);
    const [was, is] = [card === undefined ? null : reminderOf(card), reminderOf(change.put)];
    const due = is !== null && is > now ? is : null;
    if (was !== is && (was !== null || due !== null)) timers.push({ target: change.put.id, kind: 'reminder', due });
  }
  return timers;
}

/**
 * What a timer that is due means to the people of its card: those who are on it, and those who watch it, see `watchersOf`. Nothing
 * if the card has changed since a program set it that knew no timers.
 */
export function remind(
  card: Card | null,
  board_id: Uuid,
  due: number,
  now: number,
  watchersOfCard: (card: Card) => readonly Uuid[],
): NewNotification[] {
  if (card === null || reminderOf(card) !== due) return [];
  const { id: card_id, title, due_at } = card;
  const about = { kind: 'due', board_id, card_id, comment_id: null, actor_id: null, title, due_at, is_late: now - due > LATE_MS } as const;
  const created_at = new Date(now).toISOString();
  return [...new Set([...card.assignee_ids, ...watchersOfCard(card)])].map((user_id) => ({ user_id, created_at, ...about }));
}
