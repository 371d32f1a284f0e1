/** The handlers of the commands that delete users. Called within a transaction. */
import type { DirectoryCommands, UserDeletion } from '../../../domain/commands/directoryCommands.js';
import { AppError } from '../../../domain/errors.js';
import type { DeletedUser } from '../../../domain/ports/directoryCommit.js';
import type { Uuid } from '../../../domain/ids.js';
import { deletedUser, toPublicUser } from '../../../domain/account/user.js';
import type { DirectoryHandlers } from './directoryAnswer.js';
import { endedMessage } from './sessionHandlers.js';
import type { DirectoryTables } from '../tables/tables.js';
import { foldCase, foldLookAlikes } from '../tables/users.js';

type Deletion = DirectoryCommands['user.delete']['input'];

export function deletionHandlers(tables: DirectoryTables): Pick<DirectoryHandlers, 'user.delete' | 'user.deletion'> {
  const { users, deleted, memberships, pending, sessions, keys } = tables;
  const requireHeir = ({ id, heir_id }: Deletion): void => {
    if (heir_id === null) return;
    if (heir_id === id) throw new AppError('conflict', 'The boards cannot go to the user who is deleted');
    if (users.get(heir_id)?.is_active !== true) throw new AppError('conflict', 'The boards can only go to an active user');
  };
  const describe = ({ id, heir_id }: DeletedUser): UserDeletion => {
    const heir = heir_id === null ? null : users.get(heir_id);
    return { id, heir: heir && toPublicUser(heir), isPending: pending.entryOf(id) !== null, board_ids: memberships.everyBoardOf(id) };
  };
  return {
    'user.delete': (input) => {
      const { id, heir_id, now } = input;
      deleted.requireKept();
      const known = deleted.get(id);
      if (known === null) users.require(id);
      requireHeir(input);
      const record: DeletedUser = known ?? { id, ...users.keysOf(id), heir_id, deleted_at: now };
      const isRepeated = known !== null && (heir_id === null || heir_id === known.heir_id);
      if (known === null) removeData(tables, id);
      if (!isRepeated) deleted.put({ ...record, heir_id: heir_id ?? record.heir_id });
      const isVisiting = memberships.everyBoardOf(id).length > 0;
      if (!isVisiting) deleted.forgetNames(id);
      const user = deletedUser(id);
      const keyIds = keys.idsOf(id);
      keys.removeAll(keyIds);
      const entry = (): number => (isRepeated ? pending.entryOf(id) : null) ?? pending.add(id);
      return {
        value: true,
        changed: user,
        sessions: endedMessage(id, [...sessions.end(id, () => true), ...keyIds], now),
        ...(isVisiting ? { added: [{ id: entry(), user }] } : {}),
      };
    },
    'user.deletion': ({ user, by }) => {
      const found = by === 'id' ? deleted.get(user) : deleted.find(foldCase(user), [foldCase(user), foldLookAlikes(user)]);
      return { value: found && describe(found) };
    },
  };
}

/** Every table with data of users gives it up here; sessions and API keys end with their message. */
function removeData({ users, invitations, quotas, answers, identities, factors, audit }: DirectoryTables, id: Uuid): void {
  audit.forget(id);
  if (factors.get(id) !== null) factors.remove(id);
  identities.removeOf(id);
  invitations.removeOf(id);
  quotas.releaseBoardsOf(id);
  answers.removeAbout(id);
  users.remove(id);
}
