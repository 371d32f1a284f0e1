/** The handler of each directory command. Called within a transaction. */
import type { Database } from 'better-sqlite3';
import type {
  DirectoryCommands,
  PendingProfile,
  KeyedRequest,
  OnceCommand,
  OnceValue,
  UserForLogin,
  UserChanges,
} from '../../../domain/commands/directoryCommands.js';
import { invalidLink } from '../../../domain/account/accountLink.js';
import { answersSince, isSameRequest, keyReused } from '../../../domain/idempotency.js';
import { OUTBOX_PAGE } from '../../../domain/ports/outbox.js';
import { isSameProfile, toPublicUser, type PublicUser, type User } from '../../../domain/account/user.js';
import { deletionHandlers } from './deletionHandlers.js';
import type { DirectoryAnswer, DirectoryHandlers } from './directoryAnswer.js';
import { factorHandlers } from './factorHandlers.js';
import { apiKeyHandlers } from './apiKeyHandlers.js';
import { identityHandlers } from './identityHandlers.js';
import { invitationHandlers } from './invitationHandlers.js';
import { endedMessage, liveOf, sessionHandlers } from './sessionHandlers.js';
import { shownProfile } from './shownProfile.js';
import type { DirectoryTables } from '../tables/tables.js';

/** With each answer that is kept, up to this many old ones go. */
const SWEEP_ANSWERS = 16;

type UserUpdate = Omit<DirectoryCommands['user.update']['input'], 'id'>;

export function createHandlers(db: Database, tables: DirectoryTables): DirectoryHandlers {
  const { users, memberships, pending, quotas, answers, sessions, keys, spent, factors, audit, deleted, identities } = tables;
  const { handlers: onInvitations, useInvitation } = invitationHandlers(tables);
  const anyUser = db.prepare('SELECT 1 FROM user LIMIT 1');
  const count = db.prepare<[], DirectoryCommands['stats']['output']>(
    `SELECT (SELECT count(*) FROM user) AS users,
            (SELECT count(*) FROM user WHERE is_active) AS active_users,
            (SELECT count(DISTINCT board_id) FROM membership WHERE position IS NOT NULL) AS boards,
            (SELECT count(*) FROM membership WHERE position IS NOT NULL) AS memberships`,
  );
  const findKept = (request: KeyedRequest): { value: OnceValue } | null => {
    const kept = answers.find(request.scope, request.key, request.now);
    if (kept === null) return null;
    if (!isSameRequest(kept, request)) throw keyReused();
    return { value: JSON.parse(kept.body ?? 'null') as OnceValue };
  };
  const forLogin = (user: User | null): UserForLogin | null =>
    user !== null && factors.isActive(user.id) ? { ...user, has_second_factor: true } : user;
  const carryOut = (command: OnceCommand): DirectoryAnswer<OnceValue> => {
    switch (command.op) {
      case 'user.create':
        return handlers['user.create'](command.input);
      case 'user.update':
        return handlers['user.update'](command.input);
      case 'user.redeem':
        return handlers['user.redeem'](command.input);
      case 'user.delete':
        return handlers['user.delete'](command.input);
      case 'invitation.remove':
        return handlers['invitation.remove'](command.input);
      case 'session.end':
        return handlers['session.end'](command.input);
      case 'session.endOthers':
        return handlers['session.endOthers'](command.input);
      case 'key.remove':
        return handlers['key.remove'](command.input);
    }
  };
  const updateUser = (before: User, { changes, now, keep_session }: UserUpdate): DirectoryAnswer<PublicUser> => {
    const { id } = before;
    const ending = endingBy(before, { ...before, ...changes });
    const { user, changed } = users.update(before, ending === 'none' ? changes : { ...changes, revoked_at: now }, now);
    const kept = ending === 'others' ? keep_session : undefined;
    const value = toPublicUser(user);
    const isOutdated = !isSameProfile(before, value) && memberships.boardsOf(id, 1).length > 0;
    return {
      value,
      ...(changed ? { changed: value } : {}),
      ...(ending === 'none'
        ? {}
        : {
            sessions: endedMessage(
              id,
              sessions.end(id, (each) => each !== kept),
              now,
            ),
          }),
      ...(isOutdated ? { added: [{ id: pending.add(id), user: value }] } : {}),
    };
  };
  const handlers: DirectoryHandlers = {
    'user.create': ({ invitation, ...input }) => {
      if (invitation !== undefined) useInvitation(invitation, input.now, input.id);
      return { value: users.create(input) };
    },
    'user.get': ({ id, with: part }) => {
      const user = users.get(id);
      if (user === null || part === undefined) return { value: publicOrNull(user) };
      return { value: { ...toPublicUser(user), live: liveOf(tables, id) } };
    },
    'user.getWithHash': ({ id }) => ({ value: users.get(id) }),
    'user.findForLogin': ({ login, by }) => ({
      value: forLogin(by === 'username' ? users.findByUsername(login) : users.findForLogin(login)),
    }),
    'user.findByEmail': ({ emails }) => ({ value: emails.map((email) => publicOrNull(users.findByEmail(email))) }),
    'user.search': ({ with: part, ...search }) => {
      const found = users.search(search);
      if (part === undefined) return { value: found };
      return { value: found.map((user) => ({ ...user, has_second_factor: factors.isActive(user.id) })) };
    },
    'user.sharesBoard': ({ user_id, other_id, boards }) => ({ value: memberships.shareBoard(user_id, other_id, boards) }),
    'user.inactive': ({ ids }) => ({ value: ids.filter((id) => users.get(id)?.is_active !== true) }),
    'user.missing': ({ ids }) => ({ value: ids.filter((id) => users.get(id) === null) }),
    'user.update': ({ id, ...change }) => updateUser(users.require(id), change),
    'user.redeem': ({ id, hash, expires_at, expected, ...change }) => {
      const user = users.get(id);
      const isMeant =
        user?.is_active === true && user.email === expected.email && (expected.hashed_password ?? user.hashed_password) === user.hashed_password;
      if (!isMeant || !spent.spend(hash, expires_at, change.now)) throw invalidLink();
      const answer = updateUser(user, change);
      const { sessions: ended } = answer;
      if (!isTakenOver(user, change.changes) || ended?.kind !== 'ended') return answer;
      identities.requireKept();
      identities.removeOf(id);
      const revoked = keys.idsOf(id);
      keys.removeAll(revoked);
      return { ...answer, sessions: { ...ended, ids: [...ended.ids, ...revoked] } };
    },
    once: ({ command, ...request }) => {
      const kept = findKept(request);
      if (kept !== null) return { value: { ...kept, isReplayed: true }, isRefused: true };
      const { value, ...rest } = carryOut(command);
      const { now, ...own } = request;
      if (value !== false) {
        answers.keep({ ...own, body: JSON.stringify(value), shows: null, position: null, outboxId: null }, now);
        answers.removeOlderThan(answersSince(now), SWEEP_ANSWERS);
      }
      return { ...rest, value: { value, isReplayed: false } };
    },
    'once.find': (request) => ({ value: findKept(request) }),
    ...sessionHandlers(tables),
    ...factorHandlers(tables),
    'audit.add': ({ entries }) => {
      audit.requireKept();
      audit.add(entries);
      return { value: true };
    },
    'audit.list': (search) => ({ value: audit.list(search) }),
    ...apiKeyHandlers(tables),
    'token.spend': ({ hash, expires_at, now }) => ({ value: spent.spend(hash, expires_at, now) }),
    ...identityHandlers(tables, { updateUser: (input) => handlers['user.update'](input), useInvitation }),
    ...deletionHandlers(tables),
    'membership.apply': (changes) => {
      const added: PendingProfile[] = [];
      if (changes.members === 'none left') quotas.releaseBoard(changes.board_id);
      const { copies, lists } = memberships.apply(changes);
      for (const copied of copies) {
        // The profile changed, or the user was deleted, after the board copied it and before this change made the board
        // known here.
        const current = shownProfile(tables, copied.id);
        if (current === null || isSameProfile(current, copied)) continue;
        added.push({ id: pending.add(copied.id), user: current });
      }
      return { value: true, ...(added.length > 0 ? { added } : {}), ...(lists.length > 0 ? { lists } : {}) };
    },
    'membership.list': ({ user_id, limit, offset, boards }) => ({
      value: boards === undefined ? memberships.boardsOf(user_id, limit, offset) : memberships.ofThese(user_id, boards),
    }),
    'board.reserve': (input) => {
      quotas.reserveBoard(input);
      return { value: true };
    },
    'board.wasDeleted': ({ board_id }) => ({ value: memberships.wasDeleted(board_id) }),
    'board.release': ({ board_id }) => {
      quotas.releaseBoard(board_id);
      return { value: true };
    },
    'grant.reserve': ({ user_id, wanted, max, now }) => ({ value: quotas.reserveGrants(user_id, wanted, max, now) }),
    'grant.release': ({ user_id, count, now }) => {
      quotas.releaseGrants(user_id, count, now);
      return { value: true };
    },
    ...onInvitations,
    'outbox.push': ({ after }) => {
      const rows = pending.list(after, OUTBOX_PAGE).map(({ id, userId }) => ({ id, user: shownProfile(tables, userId) }));
      return { value: true, undelivered: { after, rows } };
    },
    'outbox.delivered': ({ id }) => {
      const userId = pending.userOf(id);
      pending.remove(id);
      if (userId !== null) deleted.forgetNames(userId);
      return { value: true };
    },
    'profile.pending': () => ({ value: [] }),
    stats: () => {
      const value = count.get();
      if (value === undefined) throw new Error('counting gave nothing');
      return { value };
    },
    'users.lease': () => ({ value: { ms: 0, by: '' } }),
    'health.check': () => {
      anyUser.get();
      return { value: true };
    },
  };
  return handlers;
}

/** Which sessions end with this change of their user. */
function endingBy(before: User, after: User): 'none' | 'others' | 'all' {
  if ((before.is_active && !after.is_active) || (before.is_superuser && !after.is_superuser)) return 'all';
  return before.hashed_password === after.hashed_password ? 'none' : 'others';
}

/**
 * Whether the owner of the e-mail address sets the password of an account that another person may have created with it.
 * That person must not keep a way in: sessions, identities and API keys end. The second factor stays: it gives no access by
 * itself, and without it a mailbox alone would open an account with a factor whose address was never confirmed.
 */
function isTakenOver({ is_verified }: User, changes: UserChanges): boolean {
  return !is_verified && changes.is_verified === true && changes.hashed_password !== undefined;
}

function publicOrNull(user: PublicUser | null): PublicUser | null {
  return user && toPublicUser(user);
}
