/** The handler of logins through a provider of single sign-on. Called within a transaction. */
import type { DirectoryCommands } from '../../../domain/commands/directoryCommands.js';
import { AppError } from '../../../domain/errors.js';
import type { IdentityEntry, IdentityNewcomer, ProvidedIdentity } from '../../../domain/account/identity.js';
import type { User } from '../../../domain/account/user.js';
import { toPublicUser } from '../../../domain/account/user.js';
import type { DirectoryAnswer, DirectoryHandlers } from './directoryAnswer.js';
import type { UseInvitation } from './invitationHandlers.js';
import type { DirectoryTables } from '../tables/tables.js';

type Found = { readonly kind: 'known' | 'linked' | 'created'; readonly user: User } | { readonly kind: 'unknown' } | { readonly kind: 'email_taken' };

export interface IdentityDependencies {
  readonly updateUser: DirectoryHandlers['user.update'];
  readonly useInvitation: UseInvitation;
}

export function identityHandlers(
  { users, identities }: DirectoryTables,
  { updateUser, useInvitation }: IdentityDependencies,
): Pick<DirectoryHandlers, 'identity.enter'> {
  const link = ({ issuer, subject }: ProvidedIdentity, user: User, now: string): void => {
    identities.put({ issuer, subject, user_id: user.id, created_at: now });
  };

  const create = (identity: ProvidedIdentity, email: string, newcomer: IdentityNewcomer, now: string): User => {
    const { usernames, invitation, ...fields } = newcomer;
    const username = usernames.find((each) => users.isFree(each));
    if (username === undefined) throw new AppError('conflict', 'No username is free for this account');
    if (invitation !== undefined) useInvitation(invitation, now, newcomer.id);
    const { is_email_verified: is_verified } = identity;
    users.create({ ...fields, email, username, is_verified, is_superuser: identity.is_superuser ?? false, now });
    return users.require(newcomer.id);
  };

  const find = ({ newcomer, now, ...identity }: DirectoryCommands['identity.enter']['input']): Found => {
    const { issuer, subject, email, is_email_verified } = identity;
    const knownId = identities.find(issuer, subject);
    const known = knownId === null ? null : users.get(knownId);
    if (known !== null) return { kind: 'known', user: known };
    if (email === null) return { kind: 'unknown' };
    const owner = users.findByEmail(email);
    if (owner !== null) {
      // Both must be verified: whoever registered a stranger's address first must not get the stranger's login. A user
      // with another account at this provider is a former holder of a reassigned address.
      const isSamePerson = is_email_verified && owner.is_verified && !identities.has(owner.id, issuer);
      if (!isSamePerson) return { kind: 'email_taken' };
      // A refused login changes nothing.
      if (owner.is_active) link(identity, owner, now);
      return { kind: 'linked', user: owner };
    }
    if (!users.isFreeEmail(email)) return { kind: 'email_taken' };
    if (newcomer === undefined) return { kind: 'unknown' };
    const user = create(identity, email, newcomer, now);
    link(identity, user, now);
    return { kind: 'created', user };
  };

  return {
    'identity.enter': (input): DirectoryAnswer<IdentityEntry> => {
      identities.requireKept();
      const found = find(input);
      if (found.kind === 'unknown' || found.kind === 'email_taken') return { value: { kind: found.kind } };
      const { id, is_active, is_superuser } = found.user;
      if (!is_active) return { value: { kind: 'inactive' } };
      const rank = input.is_superuser ?? is_superuser;
      const { value: _user, ...effects } =
        rank === is_superuser ? { value: null } : updateUser({ id, now: input.now, changes: { is_superuser: rank } });
      const user = users.require(id);
      const done = {
        is_new: found.kind === 'created',
        ...(found.kind === 'linked' ? { is_linked: true as const } : {}),
        ...(rank === is_superuser ? {} : { has_new_rank: true as const }),
      };
      return { ...effects, value: { kind: 'entered', user: toPublicUser(user), revoked_at: user.revoked_at, ...done } };
    },
  };
}
