/** The notices of users: the boards report them, and a user sees of each what their boards still show them. */
import type { FeedMessage } from '../feed.js';
import type { Uuid } from '../ids.js';
import { MAX_NOTIFICATIONS, type Notification, type SentNotification, type StoredNotification } from '../account/notification.js';
import { toPublicUser } from '../account/user.js';
import type { DirectoryHandlersOf } from './handler.js';
import { findUser } from './names.js';
import type { DirectoryRows } from './rows.js';

export const notificationHandlers: DirectoryHandlersOf<'notification'> = {
  'notification.add': {
    effect: 'idempotent',
    run(rows, { notifications }) {
      const messages = notifications.flatMap((notification) => add(rows, notification));
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
          notifications: shown.map((row) => toShown(rows, row, boards.has(row.board_id))),
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

/** Returns the message to the user; none if it is here already, or the user is gone or not on the board. */
function add(rows: DirectoryRows, notification: SentNotification): FeedMessage[] {
  const { id, user_id, board_id } = notification;
  if (findUser(rows, user_id) === null || rows.get('notification', { id }) !== null) return [];
  const row: StoredNotification = { ...notification, read_at: null };
  rows.write({ op: 'notification.add', notification: row });
  const excess = rows.count('notification', { user_id }) - MAX_NOTIFICATIONS;
  if (excess > 0) {
    const oldest = rows.list('notification', { user_id }, { order: ['created_at', 'id'], limit: excess });
    rows.write({ op: 'notification.remove', ids: oldest.map((old) => old.id) });
  }
  if (!isMember(rows, user_id, board_id)) return [];
  return [{ user_ids: [user_id], event: { type: 'user.notification', board_id, notification: toShown(rows, row, true) } }];
}

function isMember(rows: DirectoryRows, user_id: Uuid, board_id: Uuid): boolean {
  return (rows.get('membership', { user_id, board_id })?.position ?? null) !== null;
}

function countUnread(rows: DirectoryRows, user_id: Uuid): number {
  return rows.count('notification', { user_id, read_at: null });
}

function toShown(rows: DirectoryRows, row: StoredNotification, isMember: boolean): Notification {
  const { id, kind, created_at, read_at, is_late } = row;
  const own = { id, kind, created_at, read_at, is_late };
  if (!isMember) return { ...own, board_id: null, card_id: null, comment_id: null, user: null, title: null, due_at: null };
  const { board_id, card_id, comment_id, actor_id, title, due_at } = row;
  const actor = actor_id === null ? null : findUser(rows, actor_id);
  return { ...own, board_id, card_id, comment_id, user: actor && toPublicUser(actor), title, due_at };
}
