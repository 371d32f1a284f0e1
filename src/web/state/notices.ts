/** Short messages for the user: shown for some seconds, and spoken by screen readers. */
import { signal } from '@preact/signals';
import { ApiError, StaleChange } from '../../client/index.js';

export interface Notice {
  readonly id: number;
  readonly kind: 'info' | 'failure';
  readonly text: string;
}

interface Announcement {
  readonly id: number;
  readonly text: string;
  /** On the clock of the page, in milliseconds. */
  readonly at: number;
}

const SHOWN_MS = 6_000;
/** More at once would cover the board. */
const MAX_SHOWN = 3;

export const notices = signal<readonly Notice[]>([]);
/** What screen readers say next; the number makes repeated texts distinct. */
export const announcement = signal<Announcement>({ id: 0, text: '', at: -Infinity });

let count = 0;

export function notify(kind: Notice['kind'], text: string): void {
  count += 1;
  const notice = { id: count, kind, text };
  notices.value = [...notices.value, notice].slice(-MAX_SHOWN);
  setTimeout(() => dismiss(notice.id), SHOWN_MS);
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((each) => each.id !== id);
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
  if (error instanceof ApiError) return error.detail;
  if (error instanceof InputError || error instanceof StaleChange) return error.message;
  return 'The service could not be reached.';
}

/** Runs something that may be refused, and reports the refusal. Answers whether it succeeded. */
export async function attempt(what: string, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    notify('failure', `${what}: ${reasonOf(error)}`);
    return false;
  }
}
