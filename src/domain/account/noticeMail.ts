/** Notices on their way to a mail. */
import type { Uuid } from '../ids.js';
import type { NoticeMail } from './noticeSettings.js';
import type { Notification } from './notification.js';

export type SentNoticeMail = Exclude<NoticeMail, 'off'>;

/** Of a user, for the mail of the day and for the next one: what comes then is in the list alone. */
export const MAX_PENDING_MAILS = 50;
/** How long the first notice waits for others. */
export const COLLECTING_MS = 60_000;

/** They are for the caller alone to mail. */
export interface TakenNotices {
  readonly user_id: Uuid;
  readonly notices: ReadonlyArray<{ readonly id: Uuid; readonly mail: SentNoticeMail; readonly actor_id: Uuid | null }>;
}

/** What a mail says, read when it is sent. */
export interface NoticeLetter {
  readonly email: string;
  readonly username: string;
  /** A tag of BCP 47. Absent where the directory is an older program's. */
  readonly language?: string | null;
  readonly time_zone: string | null;
  /** The oldest first. */
  readonly notices: readonly Notification[];
}
