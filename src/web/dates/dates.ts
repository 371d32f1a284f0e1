/** The dates of a card, as its reader sees them: a bare day begins and ends at midnight here. */
import type { Card } from '../../client/index.js';
import { formatDay, shortTime } from '../state/relativeTime.js';

export const DUE_STATES = ['overdue', 'today', 'soon', 'later', 'done'] as const;
export type DueState = (typeof DUE_STATES)[number];

export const DAY_MS = 86_400_000;
const SOON_MS = 3 * DAY_MS;
const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;

/** Null for a card without a date to keep. */
export function dueState({ due_at, completed_at }: Pick<Card, 'due_at' | 'completed_at'>, now = Date.now()): DueState | null {
  if (due_at === null) return null;
  if (completed_at !== null) return 'done';
  const end = endOf(due_at).getTime();
  if (end <= now) return 'overdue';
  // A day ends at the midnight after it, which belongs to the next.
  if (partsOf(new Date(end - 1)).day === partsOf(new Date(now)).day) return 'today';
  return end - now <= SOON_MS ? 'soon' : 'later';
}

export function formatDate(date: string): string {
  return DAY.test(date) ? formatDay(startOf(date).toISOString()) : shortTime(date);
}

/** As the fields of a form have them; the time is empty for a bare day. */
export function fieldsOf(date: string | null): { day: string; time: string } {
  if (date === null) return { day: '', time: '' };
  return DAY.test(date) ? { day: date, time: '' } : partsOf(new Date(date));
}

/** The opposite. Null without a day. */
export function dateOf(day: string, time: string): string | null {
  if (!DAY.test(day)) return null;
  return time === '' ? day : new Date(`${day}T${time}`).toISOString();
}

function startOf(day: string): Date {
  const [, year, month, date] = DAY.exec(day) ?? [];
  return new Date(Number(year), Number(month) - 1, Number(date));
}

function endOf(date: string): Date {
  if (!DAY.test(date)) return new Date(date);
  const end = startOf(date);
  end.setDate(end.getDate() + 1);
  return end;
}

function partsOf(date: Date): { day: string; time: string } {
  const two = (number: number): string => String(number).padStart(2, '0');
  const year = String(date.getFullYear()).padStart(4, '0');
  return { day: `${year}-${two(date.getMonth() + 1)}-${two(date.getDate())}`, time: `${two(date.getHours())}:${two(date.getMinutes())}` };
}
