/**
 * Notices on their way to a mail. The commit that adds a notice decides whether and when it is mailed. Another one takes it, and a
 * mail is made only then: a kill may lose a mail, and none is sent twice.
 */
import type { NoticeLetter, SentNoticeMail } from '../../account/noticeMail.js';
import type { StoredNotification } from '../../account/notification.js';
import { NO_LOCALE } from '../../account/user.js';
import type { Uuid } from '../../ids.js';
import type { DirectoryHandlersOf } from '../handler.js';
import { findUser } from '../names.js';
import { isMailable, isMember, queueMail, shownNotification, wishOf } from './notifications.js';
import type { DirectoryRows } from '../rows.js';

/** More than one user has, so that a page has several. */
const PAGE_ROWS = 200;

export const noticeMailHandlers: DirectoryHandlersOf<'noticeMail'> = {
  'noticeMail.take': {
    effect: 'write',
    run(rows, { now, limit }) {
      const due = rows.list('notice_mail', {}, { order: ['due_at', 'user_id'], upTo: now, limit: PAGE_ROWS });
      const users = [...new Set(due.map(({ user_id }) => user_id))].slice(0, limit);
      return { value: users.map((user_id) => ({ user_id, notices: takeOf(rows, user_id, now) })) };
    },
  },
  'noticeMail.postpone': {
    effect: 'idempotent',
    run(rows, { ids, now }) {
      for (const notice of unreadOf(rows, ids)) queueMail(rows, notice, 'daily', now);
      return { value: true };
    },
  },
  'noticeMail.read': { effect: 'read', run: (rows, { user_id, ids }) => ({ value: letterTo(rows, user_id, ids) }) },
};

function takeOf(rows: DirectoryRows, user_id: Uuid, now: string): Array<{ id: Uuid; mail: SentNoticeMail; actor_id: Uuid | null }> {
  const due = (['now', 'daily'] as const).flatMap((mail) => rows.list('notice_mail', { user_id, mail }, { order: ['due_at'], upTo: now }));
  rows.write({ op: 'noticeMail.remove', ids: due.map(({ id }) => id) });
  return due.flatMap(({ id, mail }) => unreadOf(rows, [id]).map(({ actor_id }) => ({ id, mail, actor_id })));
}

/** Null if there is nothing to say: the user is gone, has read it, does not want it, or has lost the boards. */
function letterTo(rows: DirectoryRows, user_id: Uuid, ids: readonly Uuid[]): NoticeLetter | null {
  const user = findUser(rows, user_id);
  if (user === null || !isMailable(rows, user_id)) return null;
  const wanted = unreadOf(rows, ids).filter(
    ({ kind, board_id }) => isMember(rows, user_id, board_id) && wishOf(rows, user_id, kind, board_id).mail !== 'off',
  );
  if (wanted.length === 0) return null;
  const notices = wanted.sort((a, b) => (a.created_at < b.created_at ? -1 : 1)).map((row) => shownNotification(rows, row, true));
  const { language, time_zone } = rows.get('locale', { user_id }) ?? NO_LOCALE;
  return { email: user.email, username: user.username, language, time_zone, notices };
}

function unreadOf(rows: DirectoryRows, ids: readonly Uuid[]): StoredNotification[] {
  return ids.flatMap((id) => {
    const found = rows.get('notification', { id });
    return found === null || found.read_at !== null ? [] : [found];
  });
}
