/** Users: registration, profiles, passwords, and who may see whom. */
import { invalidLink } from '../account/accountLink.js';
import { foldCase, isSameProfile, NO_LOCALE, toPublicUser, type Locale, type PublicUser, type User } from '../account/user.js';
import type { DirectoryCommands, UserChanges, UserForLogin } from '../commands/directoryCommands.js';
import { AppError } from '../errors.js';
import type { DirectoryAnswer, DirectoryHandlers } from './handler.js';
import { hasFactor } from './factors.js';
import { spend, useInvitation } from './invitations.js';
import { endKeys } from './keys.js';
import {
  addUser,
  findByEmail,
  findByUsername,
  findForLogin,
  findUser,
  foldLookAlikes,
  newUser,
  renameUser,
  requireFreeToRename,
  requireUser,
} from './names.js';
import { addPending } from './outbox.js';
import type { DirectoryRows } from './rows.js';
import type { EndReason, SessionMessage } from '../account/session.js';
import { endedMessage, endSessions, keepReason, liveOf } from './sessions.js';
import { closeSetup } from './setup.js';

type UserUpdate = Omit<DirectoryCommands['user.update']['input'], 'id'>;
type UserHandlers = DirectoryHandlers<Exclude<Extract<keyof DirectoryCommands, `user.${string}`>, 'user.delete' | 'user.deletion'>>;

export const userHandlers: UserHandlers = {
  'user.create': {
    effect: 'write',
    run(rows, { invitation, ...input }) {
      if (invitation !== undefined) useInvitation(rows, invitation, input.now, input.id);
      const user = newUser({ ...input, is_verified: false });
      addUser(rows, user);
      return { value: toPublicUser(user) };
    },
  },
  'user.get': {
    effect: 'read',
    run(rows, { id, with: part }) {
      const user = findUser(rows, id);
      if (user === null || part === undefined) return { value: publicOrNull(user) };
      return { value: { ...toPublicUser(user), ...localeOf(rows, id), live: liveOf(rows, id, user) } };
    },
  },
  'user.getWithHash': { effect: 'read', run: (rows, { id }) => ({ value: findUser(rows, id) }) },
  'user.findForLogin': {
    effect: 'read',
    run(rows, { login, by }) {
      const user: UserForLogin | null = by === 'username' ? findByUsername(rows, login) : findForLogin(rows, login);
      return { value: user !== null && hasFactor(rows, user.id) ? { ...user, has_second_factor: true } : user };
    },
  },
  'user.findByEmail': {
    effect: 'read',
    run: (rows, { emails }) => ({ value: emails.map((email) => publicOrNull(findByEmail(rows, email))) }),
  },
  'user.search': {
    effect: 'read',
    run(rows, { with: part, ...search }) {
      const text = search.search ?? '';
      const found = rows.searchUsers(search, { part: foldCase(text), folded: foldLookAlikes(text) }).map(toPublicUser);
      if (part === undefined) return { value: found };
      return { value: found.map((user) => ({ ...user, has_second_factor: hasFactor(rows, user.id) })) };
    },
  },
  'user.sharesBoard': {
    effect: 'read',
    run: (rows, { user_id, other_id, boards }) => ({ value: user_id === other_id || rows.sharesBoard(user_id, other_id, boards) }),
  },
  'user.inactive': { effect: 'read', run: (rows, { ids }) => ({ value: ids.filter((id) => findUser(rows, id)?.is_active !== true) }) },
  'user.missing': { effect: 'read', run: (rows, { ids }) => ({ value: ids.filter((id) => findUser(rows, id) === null) }) },
  'user.update': { effect: 'write', run: (rows, { id, ...change }) => updateUser(rows, requireUser(rows, id), change) },
  'user.configure': {
    effect: 'write',
    run(rows, { id, locale, ...change }) {
      const answer = updateUser(rows, requireUser(rows, id), change);
      const before = localeOf(rows, id);
      const after = { ...before, ...locale };
      const value = { ...answer.value, ...after };
      if (after.language === before.language && after.time_zone === before.time_zone) return { ...answer, value };
      rows.write({ op: 'locale.put', locale: { user_id: id, ...after } });
      return { ...answer, value, changed: answer.value };
    },
  },
  'user.mayRename': {
    effect: 'read',
    run(rows, { id, names }) {
      requireOwnNames(rows, id);
      requireFreeToRename(rows, requireUser(rows, id), names);
      return { value: true };
    },
  },
  'user.rename': {
    effect: 'write',
    run(rows, { id, changes, expected, link, keep_session, now }) {
      const before = findUser(rows, id);
      const isMeant = before?.is_active === true && before.email === expected.email && before.hashed_password === expected.hashed_password;
      if (!isMeant || (link !== undefined && !spend(rows, link.hash, link.expires_at, now))) {
        throw link === undefined ? new AppError('forbidden', 'The account was changed meanwhile; try again') : invalidLink();
      }
      requireOwnNames(rows, id);
      const isNewAddress = 'email' in changes;
      const value = toPublicUser(renameUser(rows, isNewAddress ? { ...before, revoked_at: now } : before, changes, now));
      return {
        value,
        changed: value,
        // A client that knows the account by its old address may not be its user.
        ...(isNewAddress ? { sessions: endFor(rows, id, keep_session, now, 'email') } : {}),
        ...(isOnBoard(rows, id) ? { added: [addPending(rows, id, value)] } : {}),
      };
    },
  },
  'user.redeem': {
    effect: 'write',
    run(rows, { id, hash, expires_at, expected, ...change }) {
      const user = findUser(rows, id);
      const isMeant =
        user?.is_active === true && user.email === expected.email && (expected.hashed_password ?? user.hashed_password) === user.hashed_password;
      if (!isMeant || !spend(rows, hash, expires_at, change.now)) throw invalidLink();
      const answer = updateUser(rows, user, change);
      const { sessions: ended } = answer;
      if (!isTakenOver(user, change.changes) || ended?.kind !== 'ended') return answer;
      rows.write({ op: 'identity.remove', user_id: id });
      return { ...answer, sessions: { ...ended, ids: [...ended.ids, ...endKeys(rows, id)] } };
    },
  },
};

export function updateUser(rows: DirectoryRows, before: User, { changes, now, keep_session }: UserUpdate): DirectoryAnswer<PublicUser> {
  const { id } = before;
  const wanted: User = { ...before, ...changes };
  const ending = endingBy(before, wanted);
  if (before.is_superuser && !wanted.is_superuser) closeSetup(rows, now);
  const after = ending === 'none' ? wanted : { ...wanted, revoked_at: now };
  const isChanged = (Object.keys(after) as Array<keyof User>).some((field) => before[field] !== after[field]);
  if (isChanged) rows.write({ op: 'user.update', user: { ...after, updated_at: now } });
  const value = toPublicUser(after);
  const isOutdated = !isSameProfile(before, value) && isOnBoard(rows, id);
  return {
    value,
    ...(isChanged ? { changed: value } : {}),
    ...(ending === 'others' ? { sessions: endFor(rows, id, keep_session, now, 'password') } : {}),
    ...(ending === 'all' ? { sessions: endFor(rows, id, undefined, now, 'account') } : {}),
    ...(isOutdated ? { added: [addPending(rows, id, value)] } : {}),
  };
}

function localeOf(rows: DirectoryRows, user_id: User['id']): Locale {
  const { language, time_zone } = rows.get('locale', { user_id }) ?? NO_LOCALE;
  return { language, time_zone };
}

function requireOwnNames(rows: DirectoryRows, user_id: User['id']): void {
  if (rows.get('identity', { user_id }) !== null) throw new AppError('forbidden', 'The names of this account are those of its login provider');
}

function isOnBoard(rows: DirectoryRows, user_id: User['id']): boolean {
  return rows.list('membership', { user_id }, { order: ['position'], after: 0, limit: 1 }).length > 0;
}

/** The user already has `now` as the time of revocation. */
function endFor(rows: DirectoryRows, id: User['id'], keep: User['id'] | undefined, now: string, reason: EndReason): SessionMessage {
  const ended = endSessions(rows, id, (each) => each !== keep);
  keepReason(rows, id, ended, reason, now);
  return endedMessage(id, ended, now);
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
