/** Changed profiles on their way to the boards of their users. */
import { deletedUser, toPublicUser, type PublicUser } from '../account/user.js';
import type { PendingProfile } from '../commands/directoryCommands.js';
import type { Uuid } from '../ids.js';
import { OUTBOX_PAGE } from '../ports/outbox.js';
import type { DirectoryHandlersOf } from './handler.js';
import { findUser } from './names.js';
import type { DirectoryRows } from './rows.js';

export const outboxHandlers: DirectoryHandlersOf<'outbox' | 'profile'> = {
  'outbox.push': {
    effect: 'read',
    run(rows, { after }) {
      const entries = rows.list('pending_profile', {}, { order: ['id'], after, limit: OUTBOX_PAGE });
      return { value: true, undelivered: { after, rows: entries.map(({ id, user_id }) => ({ id, user: shownProfile(rows, user_id) })) } };
    },
  },
  'outbox.delivered': {
    effect: 'idempotent',
    run(rows, { id }) {
      // Null if the user has changed again since: that is another id.
      const entry = rows.get('pending_profile', { id });
      if (entry === null) return { value: true };
      rows.write({ op: 'pending.remove', id });
      forgetNames(rows, entry.user_id);
      return { value: true };
    },
  },
};

/** What boards should show of a user, deleted or not; null if there never was one. */
export function shownProfile(rows: DirectoryRows, id: Uuid): PublicUser | null {
  const user = findUser(rows, id);
  if (user !== null) return toPublicUser(user);
  return rows.get('deleted_user', { id }) === null ? null : deletedUser(id);
}

/** An entry for the boards of the user, which replaces an earlier one. */
export function addPending(rows: DirectoryRows, user_id: Uuid, user: PublicUser): PendingProfile {
  const id = rows.latestPendingId() + 1;
  rows.write({ op: 'pending.add', id, user_id });
  return { id, user };
}

/** All boards of the deleted user were visited. */
export function forgetNames(rows: DirectoryRows, id: Uuid): void {
  const deleted = rows.get('deleted_user', { id });
  if (deleted === null || (deleted.email_key === null && deleted.username_key === null)) return;
  rows.write({ op: 'deleted.put', deleted: { ...deleted, email_key: null, username_key: null } });
}
