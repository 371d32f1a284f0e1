/** The handler of each directory command. Called within a transaction. */
import type { Database } from 'better-sqlite3';
import type { DirectoryCommands, DirectoryOperation } from '../../domain/commands/directoryCommands.js';
import { isSameProfile, toPublicUser, type PublicUser } from '../../domain/user.js';
import type { DirectoryTables } from './tables.js';

export interface DirectoryAnswer<Value> {
  readonly value: Value;
  /** The new state of a changed user: caches drop their copy. */
  readonly changed?: PublicUser;
}

export type DirectoryHandlers = {
  readonly [Op in DirectoryOperation]: (
    input: DirectoryCommands[Op]['input'],
  ) => DirectoryAnswer<DirectoryCommands[Op]['output']>;
};

export function createHandlers(db: Database, { users, memberships, pending, quotas }: DirectoryTables): DirectoryHandlers {
  const anyUser = db.prepare('SELECT 1 FROM user LIMIT 1');
  const count = db.prepare<[], DirectoryCommands['stats']['output']>(
    `SELECT (SELECT count(*) FROM user) AS users,
            (SELECT count(*) FROM user WHERE is_active) AS active_users,
            (SELECT count(DISTINCT board_id) FROM membership WHERE position IS NOT NULL) AS boards,
            (SELECT count(*) FROM membership WHERE position IS NOT NULL) AS memberships`,
  );
  return {
    'user.create': (input) => ({ value: users.create(input) }),
    'user.get': ({ id }) => ({ value: publicOrNull(users.get(id)) }),
    'user.getWithHash': ({ id }) => ({ value: users.get(id) }),
    'user.findForLogin': ({ login, by }) => ({
      value: by === 'username' ? users.findByUsername(login) : users.findForLogin(login),
    }),
    'user.findByEmail': ({ emails }) => ({ value: emails.map((email) => publicOrNull(users.findByEmail(email))) }),
    'user.search': (input) => ({ value: users.search(input) }),
    'user.inactive': ({ ids }) => ({ value: ids.filter((id) => users.get(id)?.is_active !== true) }),
    'user.missing': ({ ids }) => ({ value: ids.filter((id) => users.get(id) === null) }),
    'user.update': ({ id, changes, now }) => {
      const before = publicOrNull(users.get(id));
      const { user, changed } = users.update(id, changes, now);
      const value = toPublicUser(user);
      if (before !== null && !isSameProfile(before, value) && memberships.boardsOf(id).length > 0) pending.add(id);
      return changed ? { value, changed: value } : { value };
    },
    'membership.apply': (changes) => {
      let outdated: PublicUser | null = null;
      if (changes.members === 'none left') quotas.releaseBoard(changes.board_id);
      for (const copied of memberships.apply(changes)) {
        // The profile changed after the board copied it and before this change made the board known here.
        const current = publicOrNull(users.get(copied.id));
        if (current === null || isSameProfile(current, copied)) continue;
        pending.add(copied.id);
        outdated = current;
      }
      // Publishing one of them wakes the courier for all pending profiles.
      return outdated === null ? { value: true } : { value: true, changed: outdated };
    },
    'membership.list': ({ user_id, limit, offset }) => ({ value: memberships.boardsOf(user_id, limit, offset) }),
    'board.reserve': (input) => {
      quotas.reserveBoard(input);
      return { value: true };
    },
    'board.release': ({ board_id }) => {
      quotas.releaseBoard(board_id);
      return { value: true };
    },
    'grant.reserve': ({ user_id, wanted, max, now }) => ({ value: quotas.reserveGrants(user_id, wanted, max, now) }),
    'grant.release': ({ user_id, count, now }) => {
      quotas.releaseGrants(user_id, count, now);
      return { value: true };
    },
    'profile.pending': ({ after, limit }) => ({
      value: pending.list(after, limit).flatMap(({ id, userId }) => {
        const user = publicOrNull(users.get(userId));
        return user === null ? [] : [{ id, user, board_ids: memberships.boardsOf(userId) }];
      }),
    }),
    'profile.isPending': ({ user_id }) => ({ value: pending.has(user_id) }),
    'profile.delivered': ({ id }) => {
      pending.remove(id);
      return { value: true };
    },
    stats: () => {
      const value = count.get();
      if (value === undefined) throw new Error('counting gave nothing');
      return { value };
    },
    'health.check': () => {
      anyUser.get();
      return { value: true };
    },
  };
}

function publicOrNull(user: PublicUser | null): PublicUser | null {
  return user && toPublicUser(user);
}
