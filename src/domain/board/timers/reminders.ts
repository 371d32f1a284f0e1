/**
 * Reminders: some time before a card is due, its people get a notice. Each is a timer of the shard. A card that does not say when
 * reminds each of its people when they want it, and has one timer: the next of these times.
 */
import { endOf } from '../dates.js';
import type { Uuid } from '../../ids.js';
import type { Card, Change, Member } from '../../model.js';
import type { NewNotification } from '../../account/notification.js';
import { DEFAULT_MINUTES, NO_REMINDER } from '../../content/reminderMinutes.js';
import type { TimerChange } from './timers.js';
import type { BoardView } from '../view.js';

const MINUTE_MS = 60_000;
/** Later than this a reminder says that it is late: the service was down, or its clock was wrong. A restart takes less. */
const LATE_MS = 10 * MINUTE_MS;
/** Before every card. */
const FIRST_PLACE: Uuid = '';

/** A card as far as its reminder depends on it. */
export type Dated = Pick<Card, 'due_at' | 'completed_at' | 'reminder_minutes'>;

/** The members of a board who want another time than a day before, and what they want. */
export type OwnMinutes = ReadonlyMap<Uuid, number>;

export const NO_OWN_MINUTES: OwnMinutes = new Map();

export function ownMinutesOf(members: ReadonlyArray<Pick<Member, 'id' | 'reminder_minutes'>>): OwnMinutes {
  return new Map(members.flatMap(({ id, reminder_minutes }) => (reminder_minutes === null ? [] : [[id, reminder_minutes] as const])));
}

/** In milliseconds since the epoch, the first one first. */
export function remindersOf(card: Dated, own: OwnMinutes): number[] {
  const minutes = card.reminder_minutes === null ? [DEFAULT_MINUTES, ...own.values()] : [card.reminder_minutes];
  const times = minutes.flatMap((each) => reminderAt(card, each) ?? []);
  return [...new Set(times)].sort((a, b) => a - b);
}

export function nextReminder(card: Dated, own: OwnMinutes, after: number): number | null {
  return remindersOf(card, own).find((time) => time > after) ?? null;
}

/** Up to when the reminders of a card are done. `pending`: its timer, which may be late; null for none. */
export function remindedUntil(pending: number | null, now: number): number {
  return pending === null ? now : Math.min(pending - 1, now);
}

/**
 * What the changes mean for the timers of a board. A time that has passed when it is set is no reminder: who sets a date for this
 * afternoon knows of it, and a board that is imported or restored must not remind of what is long over. `now`: of a card that comes
 * from another board, `remindedUntil` there.
 */
export function reminderChanges(
  before: Pick<BoardView, 'get'> | null,
  changes: readonly Change[],
  now: number,
  ownMinutes: () => OwnMinutes = () => NO_OWN_MINUTES,
): TimerChange[] {
  let known: OwnMinutes | null = null;
  // One command may put a card and remove it again: with its removal its timers went, and none would ever clear another.
  const gone = new Set(changes.flatMap((change) => (change.kind === 'card' && 'remove' in change ? [change.remove] : [])));
  const timers: TimerChange[] = [];
  for (const change of changes) {
    if (!('put' in change)) continue;
    if (change.kind === 'member') {
      const was = before?.get('member', change.put.id)?.reminder_minutes ?? null;
      if (was !== change.put.reminder_minutes) timers.push(replanned(now));
    }
    if (change.kind !== 'card' || gone.has(change.put.id)) continue;
    const card = before?.get('card', change.put.id);
    if (card !== undefined && isSameDate(card, change.put)) continue;
    const due = isReminding(change.put) ? nextReminder(change.put, (known ??= ownMinutes()), now) : null;
    if (due !== null || (card !== undefined && isReminding(card))) timers.push({ target: change.put.id, kind: 'reminder', due });
  }
  return timers;
}

/** Has the timers of a board's cards set anew. */
export function replanned(now: number): TimerChange {
  return { target: FIRST_PLACE, kind: 'replan', due: now };
}

/** What is known of a board when one of its timers is due. */
export interface Reminded {
  readonly id: Uuid;
  readonly own: OwnMinutes;
  watchersOf(card: Card): readonly Uuid[];
}

/**
 * What a timer that is due means to the people of its card: those who are on it, and those who watch it, see `watchersOf`. Nothing
 * if the card has changed since a program set it that knew no timers. `next`: when others are reminded.
 */
export function remind(card: Card | null, board: Reminded, due: number, now: number): { notices: NewNotification[]; next: number | null } {
  if (card === null || !isReminding(card)) return { notices: [], next: null };
  const isOwn = card.reminder_minutes === null;
  if (!isOwn && reminderAt(card, card.reminder_minutes) !== due) return { notices: [], next: null };
  const { id: card_id, title, due_at } = card;
  const about = { kind: 'due', board_id: board.id, card_id, comment_id: null, actor_id: null, title, due_at } as const;
  const created_at = new Date(now).toISOString();
  const notices = [...new Set([...card.assignee_ids, ...board.watchersOf(card)])].flatMap((user_id): NewNotification[] => {
    const time = reminderAt(card, card.reminder_minutes ?? board.own.get(user_id) ?? DEFAULT_MINUTES);
    const isDue = time !== null && time >= due && time <= now;
    return isDue ? [{ user_id, created_at, ...about, is_late: now - time > LATE_MS }] : [];
  });
  return { notices, next: isOwn ? nextReminder(card, board.own, now) : null };
}

function isReminding({ due_at, completed_at, reminder_minutes }: Dated): boolean {
  return due_at !== null && completed_at === null && reminder_minutes !== NO_REMINDER;
}

function reminderAt({ due_at, completed_at }: Dated, minutes: number): number | null {
  if (due_at === null || completed_at !== null || minutes === NO_REMINDER) return null;
  return endOf(due_at) - minutes * MINUTE_MS;
}

function isSameDate(a: Dated, b: Dated): boolean {
  return a.due_at === b.due_at && a.completed_at === b.completed_at && a.reminder_minutes === b.reminder_minutes;
}
