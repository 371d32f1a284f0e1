import type { Uuid } from '../../../domain/ids.js';
import { deletedUser, toPublicUser, type PublicUser } from '../../../domain/account/user.js';
import type { DeletedUsers } from '../tables/deletedUsers.js';
import type { UserTable } from '../tables/users.js';

/** What boards should show of a user, deleted or not; null if there never was one. */
export function shownProfile({ users, deleted }: { readonly users: UserTable; readonly deleted: DeletedUsers }, id: Uuid): PublicUser | null {
  const user = users.get(id);
  if (user !== null) return toPublicUser(user);
  return deleted.get(id) === null ? null : deletedUser(id);
}
