/** Short messages for the user, also spoken by screen readers. Good news goes after some seconds, bad news when it is dismissed. */
import { signal } from '@preact/signals';
import { ApiError, OvertakenChange, StaleChange } from '../../client/index.js';
import { say, spoken } from '../words/catalogue.js';

export interface Notice {
  readonly id: number;
  readonly kind: 'info' | 'failure';
  readonly text: string;
  readonly action?: NoticeAction;
  /** A later notice with the same slot takes its place. */
  readonly slot?: string;
}

export interface NoticeAction {
  readonly name: string;
  readonly run: () => void;
}

interface Announcement {
  readonly id: number;
  readonly text: string;
  /** On the clock of the page, in milliseconds. */
  readonly at: number;
}

const SHOWN_MS = 6_000;
/** More at once would cover the board. */
const MAX_NEWS = 3;
/** A user with so many failures no longer reads the first ones. */
const MAX_FAILURES = 10;

export const notices = signal<readonly Notice[]>([]);
/** What screen readers say next; the number makes repeated texts distinct. */
export const announcement = signal<Announcement>({ id: 0, text: '', at: -Infinity });

let count = 0;

export function notify(kind: Notice['kind'], text: string, action?: NoticeAction, slot?: string): void {
  count += 1;
  const notice: Notice = { id: count, kind, text, ...(action === undefined ? {} : { action }), ...(slot === undefined ? {} : { slot }) };
  const all = [...notices.value.filter((each) => slot === undefined || each.slot !== slot), notice];
  const kept = new Set([...all.filter(isNews).slice(-MAX_NEWS), ...all.filter((each) => !isNews(each)).slice(-MAX_FAILURES)]);
  notices.value = all.filter((each) => kept.has(each));
  if (isNews(notice)) setTimeout(() => dismiss(notice.id), SHOWN_MS);
}

function isNews({ kind }: Notice): boolean {
  return kind === 'info';
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((each) => each.id !== id);
}

/** What others changed, said when the reader has a pause. */
export const politeAnnouncement = signal<Announcement>({ id: 0, text: '', at: -Infinity });

export function announcePolitely(text: string): void {
  politeAnnouncement.value = { id: politeAnnouncement.value.id + 1, text, at: performance.now() };
}

export function announce(text: string): void {
  announcement.value = { id: announcement.value.id + 1, text, at: performance.now() };
}

/** Something that the user typed cannot be meant. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

/** The reason of a failure, for people. */
export function reasonOf(error: unknown): string {
  if (error instanceof ApiError) return spoken(error.detail);
  if (error instanceof StaleChange) return say('unsaved.stale');
  if (error instanceof OvertakenChange) return say('unsaved.overtaken');
  if (error instanceof InputError) return error.message;
  return say('common.unreachable');
}

/** Runs something that may be refused, and reports the refusal. Answers whether it succeeded. */
export async function attempt(what: string, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    notify('failure', say('common.failed', { what, reason: reasonOf(error) }));
    return false;
  }
}
