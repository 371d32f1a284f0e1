/** The notices of users: the boards report them, and a user sees of each what their boards still show them. */
import type { Uuid } from '../ids.js';
import type { DirectoryHandlersOf } from './handler.js';
import { addNotification, isMember, shownNotification } from './memberships.js';
import type { DirectoryRows } from './rows.js';

export const notificationHandlers: DirectoryHandlersOf<'notification'> = {
  'notification.add': {
    effect: 'idempotent',
    run(rows, { notifications }) {
      const messages = notifications.flatMap((notification) => addNotification(rows, notification));
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
  return rows.count('notification', { user_id, read_at: null });
}
