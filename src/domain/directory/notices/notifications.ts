/** The notices of users: the boards report them, their settings decide about them, and a user sees of each what their boards still show them. */
import { COLLECTING_MS, MAX_PENDING_MAILS, type SentNoticeMail } from '../../account/noticeMail.js';
import { DEFAULT_KINDS, DEFAULT_NOTICE_SETTINGS, NOTICE_MAILS, type NoticeSettings, type NoticeWish } from '../../account/noticeSettings.js';
import {
  MAX_NOTIFICATIONS,
  NO_CARD,
  type Notification,
  type NotificationKind,
  type SentNotification,
  type StoredNotification,
} from '../../account/notification.js';
import { toPublicUser } from '../../account/user.js';
import { nextDigest } from '../../content/digestTime.js';
import { DEFAULT_MINUTES } from '../../content/reminderMinutes.js';
import type { FeedMessage } from '../../feed.js';
import type { Uuid } from '../../ids.js';
import type { DirectoryHandlersOf } from '../handler.js';
import { findUser } from '../names.js';
import type { DirectoryRows } from '../rows.js';

export const notificationHandlers: DirectoryHandlersOf<'notification'> = {
  'notification.add': {
    effect: 'idempotent',
    run(rows, { notifications, is_mailing = false }) {
      const messages = notifications.flatMap((notification) => addNotification(rows, notification, is_mailing));
      return { value: true, ...(messages.length > 0 ? { messages } : {}) };
    },
  },
  'notification.list': {
    effect: 'read',
    run(rows, { user_id, unread, before, limit }) {
      const found = rows.notificationPage({ user_id, unread, before, limit: limit + 1 });
      const shown = found.slice(0, limit);
      const boards = new Set([...new Set(shown.map(({ board_id }) => board_id))].filter((board) => isMember(rows, user_id, board)));
      const last = shown.at(-1);
      return {
        value: {
          notifications: shown.map((row) => shownNotification(rows, row, boards.has(row.board_id))),
          unread: countUnread(rows, user_id),
          next: found.length > limit && last !== undefined ? { created_at: last.created_at, id: last.id } : null,
        },
      };
    },
  },
  'notification.read': {
    effect: 'idempotent',
    run(rows, { user_id, ids, now }) {
      rows.write({ op: 'notification.read', user_id, ids, at: now });
      return { value: countUnread(rows, user_id) };
    },
  },
};

function countUnread(rows: DirectoryRows, user_id: Uuid): number {
  return rows.count('notification', { user_id, read_at: null, is_hidden: false });
}

/**
 * Keeps a notice, and queues its mail if the service sends mails. Returns the message to the user; none if it is here already, if
 * the user does not want it, is gone or is not on the board.
 */
export function addNotification(rows: DirectoryRows, notification: SentNotification, isMailing: boolean): FeedMessage[] {
  const { id, user_id, kind, board_id } = notification;
  if (findUser(rows, user_id) === null || rows.get('notification', { id }) !== null) return [];
  const { app, mail } = wishOf(rows, user_id, kind, board_id);
  const mailed = isMailing && isMailable(rows, user_id) ? mail : 'off';
  if (!app && mailed === 'off') return [];
  const row: StoredNotification = { ...notification, read_at: null, is_hidden: !app };
  rows.write({ op: 'notification.add', notification: row });
  if (mailed !== 'off') queueMail(rows, row, mailed, row.created_at);
  removeOldest(rows, user_id, !app);
  if (!app || !isMember(rows, user_id, board_id)) return [];
  return [{ user_ids: [user_id], event: { type: 'user.notification', board_id, notification: shownNotification(rows, row, true) } }];
}

/** What is mailed alone pushes nothing out of the list. */
function removeOldest(rows: DirectoryRows, user_id: Uuid, is_hidden: boolean): void {
  const excess = rows.count('notification', { user_id, is_hidden }) - MAX_NOTIFICATIONS;
  if (excess <= 0) return;
  const ids = rows.list('notification', { user_id, is_hidden }, { order: ['created_at', 'id'], limit: excess }).map(({ id }) => id);
  rows.write({ op: 'notification.remove', ids });
  rows.write({ op: 'noticeMail.remove', ids });
}

/** How long before a date the user is reminded; null: as by default. Their boards have a copy, which comes with the profile. */
export function ownReminder(rows: DirectoryRows, user_id: Uuid): number | null {
  const own = rows.get('notice_settings', { user_id })?.reminder_minutes ?? DEFAULT_MINUTES;
  return own === DEFAULT_MINUTES ? null : own;
}

/** What the user wants of a notice of this kind from this board. */
export function wishOf(rows: DirectoryRows, user_id: Uuid, kind: NotificationKind, board_id: Uuid): NoticeWish {
  const { kinds } = kindSettings(rows, user_id);
  return bothWishes(kinds[kind], rows.get('board_notices', { user_id, board_id }));
}

/** The less of both. */
function bothWishes(kind: NoticeWish, board: NoticeWish | null): NoticeWish {
  if (board === null) return kind;
  const mail = NOTICE_MAILS.indexOf(board.mail) < NOTICE_MAILS.indexOf(kind.mail) ? board.mail : kind.mail;
  return { app: kind.app && board.app, mail };
}

export function kindSettings(rows: DirectoryRows, user_id: Uuid): Omit<NoticeSettings, 'boards'> {
  const { reminder_minutes, kinds } = rows.get('notice_settings', { user_id }) ?? DEFAULT_NOTICE_SETTINGS;
  // A kind that came later than the row has its default.
  return { reminder_minutes, kinds: { ...DEFAULT_KINDS, ...kinds } };
}

/** An unverified address may be another person's. */
export function isMailable(rows: DirectoryRows, user_id: Uuid): boolean {
  const user = findUser(rows, user_id);
  return user?.is_active === true && user.is_verified;
}

/** With what waits already. At most `MAX_PENDING_MAILS` wait, so that no one's mails take long to make. `at`: of the notice, or now. */
export function queueMail(rows: DirectoryRows, { id, user_id }: Pick<StoredNotification, 'id' | 'user_id'>, mail: SentNoticeMail, at: string): void {
  if (rows.count('notice_mail', { user_id, mail }) >= MAX_PENDING_MAILS) return;
  const [first] = rows.list('notice_mail', { user_id, mail }, { order: ['due_at'], limit: 1 });
  rows.write({ op: 'noticeMail.add', pending: { id, user_id, mail, due_at: first?.due_at ?? dueAt(rows, user_id, mail, at) } });
}

function dueAt(rows: DirectoryRows, user_id: Uuid, mail: SentNoticeMail, at: string): string {
  if (mail === 'now') return new Date(Date.parse(at) + COLLECTING_MS).toISOString();
  return nextDigest(at, rows.get('locale', { user_id })?.time_zone ?? null);
}

export function isMember(rows: DirectoryRows, user_id: Uuid, board_id: Uuid): boolean {
  return (rows.get('membership', { user_id, board_id })?.position ?? null) !== null;
}

/** Of a board that the user has left only kind and time remain. */
export function shownNotification(rows: DirectoryRows, row: StoredNotification, isMember: boolean): Notification {
  const { id, kind, created_at, read_at, is_late } = row;
  const own = { id, kind, created_at, read_at, is_late };
  if (!isMember) return { ...own, board_id: null, card_id: null, comment_id: null, user: null, title: null, due_at: null };
  const { board_id, comment_id, actor_id, title, due_at } = row;
  const card_id = row.card_id === NO_CARD ? null : row.card_id;
  const actor = actor_id === null ? null : findUser(rows, actor_id);
  return { ...own, board_id, card_id, comment_id, user: actor && toPublicUser(actor), title, due_at };
}
