/** The account of a user who has logged in at the provider: known, linked, or created where registration allows. */
import { randomBytes } from 'node:crypto';
import type { ProviderProfile } from '../../auth/sso/claims.js';
import type { Config } from '../../settings/config.js';
import type { DirectoryCommands } from '../../domain/commands/directoryCommands.js';
import { AppError } from '../../domain/errors.js';
import type { IdentityEntry } from '../../domain/account/identity.js';
import type { Invitation } from '../../domain/account/invitation.js';
import type { AuditClient } from '../operation/audited.js';
import { findInvitation, joinAtLast } from './inviteLinks.js';
import type { Services } from '../operation/operation.js';
import { SsoDenied } from './ssoErrors.js';
import { emailOf, nameOf, usernamesFor } from './ssoNames.js';

type Entered = Extract<IdentityEntry, { kind: 'entered' }>;

const PASSWORD_BYTES = 32;

export interface SsoArrival {
  readonly profile: ProviderProfile;
  /** Null: the provider does not decide it. */
  readonly isSuperuser: boolean | null;
  /** The token of an invitation. */
  readonly invitation: string | null;
  readonly client: AuditClient;
}

/** Throws `SsoDenied`. */
export async function enterAccount(services: Services, arrival: SsoArrival): Promise<Entered> {
  const { profile, isSuperuser } = arrival;
  const identity = {
    issuer: profile.issuer,
    subject: profile.subject,
    email: emailOf(profile),
    is_email_verified: profile.isEmailVerified,
    is_superuser: isSuperuser,
  };
  const now = (): string => services.now().toISOString();
  const found = await services.directory.ask('identity.enter', { ...identity, now: now() });
  if (found.kind !== 'unknown') return recorded(services, requireEntered(found), arrival);
  if (identity.email === null) throw new SsoDenied('email_missing');
  const invitation = await requireRegistration(services, arrival.invitation);
  const newcomer = await newcomerOf(services, arrival, invitation);
  const entry = requireEntered(await enterInvited(services, { ...identity, newcomer, now: now() }));
  if (entry.is_new && invitation !== null) await joinAtLast(services, invitation, entry.user, arrival.client);
  return recorded(services, entry, arrival);
}

/** In the audit log: what the login changed. */
function recorded({ audit }: Services, entry: Entered, { client }: SsoArrival): Entered {
  const { user, is_new, is_linked, has_new_rank } = entry;
  const details = { method: 'sso' };
  if (is_new) audit.record({ kind: 'user.registered', user, client, details });
  if (is_linked === true) audit.record({ kind: 'sso.linked', user, client });
  if (has_new_rank === true) {
    audit.record({ kind: user.is_superuser ? 'user.promoted' : 'user.demoted', user, subject: { id: user.id }, client, details });
  }
  return entry;
}

function requireEntered(entry: IdentityEntry): Entered {
  switch (entry.kind) {
    case 'entered':
      return entry;
    case 'inactive':
      throw new SsoDenied('account_disabled');
    case 'email_taken':
      throw new SsoDenied('email_taken');
    case 'unknown':
      throw new Error('an identity with a newcomer was not created');
  }
}

/** Who gets an account with the first login. */
export function ssoRegistration({ config }: Services): Config['registration'] {
  return config.oidcRegistration === 'same' ? config.registration : config.oidcRegistration;
}

/** As for a registration with a password. */
async function requireRegistration(services: Services, token: string | null): Promise<Invitation | null> {
  const registration = ssoRegistration(services);
  if (registration === 'closed') throw new SsoDenied('registration_closed');
  if (token !== null) return findInvitation(services, token).catch(asInvalidInvitation);
  if (registration === 'invite') throw new SsoDenied('invitation_needed');
  return null;
}

/** No one knows the password. Its hash takes as long to check as any other, so logins reveal nothing. */
async function newcomerOf(
  { passwords, ids }: Services,
  { profile, client }: SsoArrival,
  invitation: Invitation | null,
): Promise<NonNullable<DirectoryCommands['identity.enter']['input']['newcomer']>> {
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  return {
    id: ids.fresh(),
    usernames: usernamesFor(profile),
    hashed_password: await passwords.hash(password, { lane: 'registration', address: client.address() }),
    firstname: nameOf(profile.firstname),
    lastname: nameOf(profile.lastname),
    ...(invitation === null ? {} : { invitation: invitation.token_hash }),
  };
}

/** The invitation may have been used up since it was found. */
function enterInvited(services: Services, input: DirectoryCommands['identity.enter']['input']): Promise<IdentityEntry> {
  return services.directory.ask('identity.enter', input).catch(asInvalidInvitation);
}

function asInvalidInvitation(error: unknown): never {
  throw error instanceof AppError && error.code === 'forbidden' ? new SsoDenied('invitation_invalid') : error;
}
