/** Logins through a provider of single sign-on. One command finds, links or creates the user. */
import type { IdentityNewcomer, ProvidedIdentity } from '../account/identity.js';
import { toPublicUser, type User } from '../account/user.js';
import type { DirectoryCommands } from '../commands/directoryCommands.js';
import { AppError } from '../errors.js';
import type { DirectoryHandlersOf } from './handler.js';
import { useInvitation } from './invitations.js';
import { addUser, findByEmail, findUser, isFreeEmail, isFreeUsername, newUser, requireUser } from './names.js';
import type { DirectoryRows } from './rows.js';
import { updateUser } from './users.js';

type Found = { readonly kind: 'known' | 'linked' | 'created'; readonly user: User } | { readonly kind: 'unknown' } | { readonly kind: 'email_taken' };

export const identityHandlers: DirectoryHandlersOf<'identity'> = {
  'identity.enter': {
    effect: 'write',
    run(rows, input) {
      const found = find(rows, input);
      if (found.kind === 'unknown' || found.kind === 'email_taken') return { value: { kind: found.kind } };
      const { id, is_active, is_superuser } = found.user;
      if (!is_active) return { value: { kind: 'inactive' } };
      const rank = input.is_superuser ?? is_superuser;
      const { value: _user, ...effects } =
        rank === is_superuser ? { value: null } : updateUser(rows, found.user, { now: input.now, changes: { is_superuser: rank } });
      const user = requireUser(rows, id);
      const done = {
        is_new: found.kind === 'created',
        ...(found.kind === 'linked' ? { is_linked: true as const } : {}),
        ...(rank === is_superuser ? {} : { has_new_rank: true as const }),
      };
      return { ...effects, value: { kind: 'entered', user: toPublicUser(user), revoked_at: user.revoked_at, ...done } };
    },
  },
};

function find(rows: DirectoryRows, { newcomer, now, ...identity }: DirectoryCommands['identity.enter']['input']): Found {
  const { issuer, subject, email, is_email_verified } = identity;
  const known = rows.get('identity', { issuer, subject });
  const knownUser = known && findUser(rows, known.user_id);
  if (knownUser !== null) return { kind: 'known', user: knownUser };
  if (email === null) return { kind: 'unknown' };
  const owner = findByEmail(rows, email);
  if (owner !== null) {
    // Both must be verified: who registered another person's address first must not get that person's login. A user with
    // another account at this provider is a former holder of a reassigned address.
    const isSamePerson = is_email_verified && owner.is_verified && rows.get('identity', { user_id: owner.id, issuer }) === null;
    if (!isSamePerson) return { kind: 'email_taken' };
    // A refused login changes nothing.
    if (owner.is_active) link(rows, identity, owner, now);
    return { kind: 'linked', user: owner };
  }
  if (!isFreeEmail(rows, email)) return { kind: 'email_taken' };
  if (newcomer === undefined) return { kind: 'unknown' };
  const user = create(rows, { ...identity, email }, newcomer, now);
  link(rows, identity, user, now);
  return { kind: 'created', user };
}

function link(rows: DirectoryRows, { issuer, subject }: ProvidedIdentity, user: User, now: string): void {
  rows.write({ op: 'identity.put', identity: { issuer, subject, user_id: user.id, created_at: now } });
}

function create(rows: DirectoryRows, identity: ProvidedIdentity & { email: string }, newcomer: IdentityNewcomer, now: string): User {
  const { usernames, invitation, ...fields } = newcomer;
  const username = usernames.find((each) => isFreeUsername(rows, each));
  if (username === undefined) throw new AppError('conflict', 'No username is free for this account');
  if (invitation !== undefined) useInvitation(rows, invitation, now, newcomer.id);
  const { email, is_email_verified: is_verified } = identity;
  const user = newUser({ ...fields, email, username, is_verified, is_superuser: identity.is_superuser ?? false, now });
  addUser(rows, user);
  return user;
}
