/** Notices to users about what concerns them: of boards, decided in their commits and kept in the directory. */
import type { PublicUser } from './user.js';
import type { Uuid } from '../ids.js';

export const NOTIFICATION_KINDS = ['assigned', 'mentioned', 'commented', 'moved', 'due', 'invited'] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

/** The latest of each user are kept. */
export const MAX_NOTIFICATIONS = 500;
/** In one entry of an outbox: a few milliseconds of the directory. */
export const NOTIFICATIONS_AT_ONCE = 100;

/** Notices about the board itself, such as an invitation, have no card: the column of older programs takes no null. */
export const NO_CARD: Uuid = '';

/** Of these a board makes a bounded number in a time: one change may concern everyone who watches. */
export function isForWatchers(kind: NotificationKind): boolean {
  return kind === 'commented' || kind === 'moved';
}

/** As its board made it. It quotes no comment, whose text must go when it is deleted. */
export interface NewNotification {
  readonly user_id: Uuid;
  readonly kind: NotificationKind;
  readonly created_at: string;
  readonly board_id: Uuid;
  /** `NO_CARD` if there is none. */
  readonly card_id: Uuid;
  readonly comment_id: Uuid | null;
  /** Who did it; null if the time came, or a rule or the service acted. */
  readonly actor_id: Uuid | null;
  /** Of the card, or else of the board, at that time. */
  readonly title: string;
  /** The date of the card, if the notice is about it. */
  readonly due_at: string | null;
  /** Whether it comes long after its time. */
  readonly is_late: boolean;
}

/** On its way to the directory. By its id, what is delivered twice is kept once. */
export interface SentNotification extends NewNotification {
  readonly id: Uuid;
}

export interface StoredNotification extends SentNotification {
  readonly read_at: string | null;
  /** Its user wants it by mail alone. */
  readonly is_hidden: boolean;
}

/** As its user sees it. Of a board that the user has left only kind and time remain. */
export interface Notification {
  readonly id: Uuid;
  readonly kind: NotificationKind;
  readonly created_at: string;
  readonly read_at: string | null;
  readonly board_id: Uuid | null;
  readonly card_id: Uuid | null;
  readonly comment_id: Uuid | null;
  readonly user: PublicUser | null;
  readonly title: string | null;
  readonly due_at: string | null;
  readonly is_late: boolean;
}

export interface NotificationPlace {
  readonly created_at: string;
  readonly id: Uuid;
}
