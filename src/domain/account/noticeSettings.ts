/** What a user wants of notices: which kinds their list shows, which are mailed, and from which boards less. */
import { DEFAULT_MINUTES } from '../content/reminderMinutes.js';
import type { Uuid } from '../ids.js';
import type { NotificationKind } from './notification.js';

/** From the least. `daily`: in one mail a day. `now`: with what else comes within a minute. */
export const NOTICE_MAILS = ['off', 'daily', 'now'] as const;
export type NoticeMail = (typeof NOTICE_MAILS)[number];

export interface NoticeWish {
  /** Whether the list of notices has it. */
  readonly app: boolean;
  readonly mail: NoticeMail;
}

export type KindWishes = { readonly [Kind in NotificationKind]: NoticeWish };

export interface NoticeSettings {
  /** How long before a date the user is reminded by a card that does not say it; -1: never. */
  readonly reminder_minutes: number;
  readonly kinds: KindWishes;
  /** They only hold back: of a kind and its board, the less counts. */
  readonly boards: Readonly<Record<Uuid, NoticeWish>>;
}

/** More than anyone is on. Each is a row. */
export const MAX_BOARD_WISHES = 1_000;

/**
 * At most one mail a day, and reminders, which are of no use a day late. What others do on a board all day long is mailed on
 * request alone.
 */
export const DEFAULT_KINDS: KindWishes = {
  assigned: { app: true, mail: 'daily' },
  mentioned: { app: true, mail: 'daily' },
  commented: { app: true, mail: 'off' },
  moved: { app: true, mail: 'off' },
  due: { app: true, mail: 'now' },
  invited: { app: true, mail: 'daily' },
};

export const DEFAULT_NOTICE_SETTINGS: NoticeSettings = { reminder_minutes: DEFAULT_MINUTES, kinds: DEFAULT_KINDS, boards: {} };
