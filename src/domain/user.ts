import type { Uuid } from './ids.js';

/** A user as the API shows it and as boards copy it. */
export interface PublicUser {
  readonly id: Uuid;
  readonly email: string;
  readonly username: string;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly is_active: boolean;
  readonly is_verified: boolean;
  readonly is_superuser: boolean;
}

export interface User extends PublicUser {
  /** Argon2 in PHC form. It leaves the directory only for a password check. */
  readonly hashed_password: string;
  readonly created_at: string;
  readonly updated_at: string;
  /** Tokens without a session that were issued before are invalid. */
  readonly revoked_at: string | null;
}

export function toPublicUser(user: PublicUser): PublicUser {
  const { id, email, username, firstname, lastname, is_active, is_verified, is_superuser } = user;
  return { id, email, username, firstname, lastname, is_active, is_verified, is_superuser };
}

/** Whether two copies of a profile are equal. */
export function isSameProfile(a: PublicUser, b: PublicUser): boolean {
  return JSON.stringify(toPublicUser(a)) === JSON.stringify(toPublicUser(b));
}
