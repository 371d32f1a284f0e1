/** Accounts at a provider of single sign-on. */
import type { Uuid } from '../ids.js';
import type { PublicUser } from './user.js';

/** The account `subject` of the provider `issuer` belongs to this user. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly user_id: Uuid;
  readonly created_at: string;
}

/** What a provider says about a user who has logged in there. */
export interface ProvidedIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  readonly is_email_verified: boolean;
  /** Null: the provider does not decide it. */
  readonly is_superuser: boolean | null;
}

/** The account that an unknown identity gets. */
export interface IdentityNewcomer {
  readonly id: Uuid;
  /** The first that is free counts. */
  readonly usernames: readonly string[];
  readonly hashed_password: string;
  readonly firstname: string | null;
  readonly lastname: string | null;
  /** The hash of the secret of an invitation, which is used once more. */
  readonly invitation?: string;
}

/**
 * `unknown`: the identity has no user, and none was created. `email_taken`: a user has the e-mail address who may be
 * another person.
 */
export type IdentityEntry =
  | {
      readonly kind: 'entered';
      readonly user: PublicUser;
      readonly revoked_at: string | null;
      readonly is_new: boolean;
      /** With this login the identity was linked to a user who existed. */
      readonly is_linked?: true;
      /** With this login the user became, or ceased to be, a superuser. */
      readonly has_new_rank?: true;
    }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'inactive' }
  | { readonly kind: 'email_taken' };
