/** A deleted user is gone at once; the boards follow through the outbox. */
import { deletedUser, foldCase, toPublicUser } from '../account/user.js';
import type { DirectoryCommands } from '../commands/directoryCommands.js';
import { AppError } from '../errors.js';
import type { Uuid } from '../ids.js';
import type { DirectoryHandlers } from './handler.js';
import { invitationsOf } from './invitations.js';
import { endKeys } from './keys.js';
import { forgetNoticeSettings } from './notices/noticeSettings.js';
import { findUser, foldLookAlikes, requireUser } from './names.js';
import { addPending, forgetNames } from './outbox.js';
import type { DirectoryRows } from './rows.js';
import { endedMessage, endSessions, forgetReasons } from './sessions.js';
import { closeSetup } from './setup.js';
import type { DeletedUser } from './tables.js';

export const deletionHandlers: DirectoryHandlers<'user.delete' | 'user.deletion'> = {
  'user.delete': {
    effect: 'idempotent',
    run(rows, input) {
      const { id, heir_id, now } = input;
      const known = rows.get('deleted_user', { id });
      if (known === null) requireUser(rows, id);
      requireHeir(rows, input);
      const isRepeated = known !== null && (heir_id === null || heir_id === known.heir_id);
      const record = known ?? { id, heir_id, deleted_at: now, ...keysOf(rows, id) };
      if (findUser(rows, id)?.is_superuser === true) closeSetup(rows, now);
      if (known === null) removeData(rows, id);
      if (!isRepeated) rows.write({ op: 'deleted.put', deleted: { ...record, heir_id: heir_id ?? record.heir_id } });
      const isVisiting = rows.get('membership', { user_id: id }) !== null;
      if (!isVisiting) forgetNames(rows, id);
      const user = deletedUser(id);
      const keyIds = endKeys(rows, id);
      const waiting = isRepeated ? rows.get('pending_profile', { user_id: id }) : null;
      return {
        value: true,
        changed: user,
        sessions: endedMessage(id, [...endSessions(rows, id, () => true), ...keyIds], now),
        ...(isVisiting ? { added: [waiting === null ? addPending(rows, id, user) : { id: waiting.id, user }] } : {}),
      };
    },
  },
  'user.deletion': {
    effect: 'read',
    run(rows, { user, by }) {
      const found = by === 'id' ? rows.get('deleted_user', { id: user }) : findByName(rows, user);
      if (found === null) return { value: null };
      const { id, heir_id } = found;
      const heir = heir_id === null ? null : findUser(rows, heir_id);
      const isPending = rows.get('pending_profile', { user_id: id }) !== null;
      const board_ids = rows.list('membership', { user_id: id }, { order: ['board_id'] }).map(({ board_id }) => board_id);
      return { value: { id, heir: heir && toPublicUser(heir), isPending, board_ids } };
    },
  },
};

/** Every table with data of users gives it up here; sessions and API keys end with their message. */
function removeData(rows: DirectoryRows, id: Uuid): void {
  rows.write({ op: 'audit.forget', user_id: id });
  rows.write({ op: 'factor.remove', user_id: id });
  forgetReasons(rows, id);
  if (rows.get('locale', { user_id: id }) !== null) rows.write({ op: 'locale.remove', user_id: id });
  if (rows.count('notification', { user_id: id }) > 0) rows.write({ op: 'notification.forget', user_id: id });
  rows.write({ op: 'noticeMail.forget', user_id: id });
  forgetNoticeSettings(rows, id);
  rows.write({ op: 'identity.remove', user_id: id });
  rows.write({ op: 'trashed.forget', user_id: id });
  for (const invitation of invitationsOf(rows, id)) rows.write({ op: 'invitation.remove', id: invitation.id });
  for (const { board_id } of rows.list('created_board', { user_id: id }, { order: ['board_id'] })) rows.write({ op: 'created.remove', board_id });
  rows.answers.removeAbout(id);
  rows.write({ op: 'user.remove', id });
}

function requireHeir(rows: DirectoryRows, { id, heir_id }: DirectoryCommands['user.delete']['input']): void {
  if (heir_id === null) return;
  if (heir_id === id) throw new AppError('conflict', 'The boards cannot go to the user who is deleted');
  if (findUser(rows, heir_id)?.is_active !== true) throw new AppError('conflict', 'The boards can only go to an active user');
}

function keysOf(rows: DirectoryRows, id: Uuid): Pick<DeletedUser, 'email_key' | 'username_key'> {
  const { email_key = null, username_key = null } = rows.get('user', { id }) ?? {};
  return { email_key, username_key };
}

/** The one who was deleted last. */
function findByName(rows: DirectoryRows, name: string): DeletedUser | null {
  const latest = { order: ['deleted_at'], isFalling: true, limit: 1 } as const;
  const [key, folded] = [foldCase(name), foldLookAlikes(name)];
  const names = [{ email_key: key }, { username_key: key }, { username_key: folded }];
  for (const where of names) {
    const [found] = rows.list('deleted_user', where, latest);
    if (found !== undefined) return found;
  }
  return null;
}
