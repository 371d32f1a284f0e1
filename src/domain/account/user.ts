import type { Uuid } from '../ids.js';

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

/** What a user set for the page and for mails. Only the user sees it. */
export interface Locale {
  /** A tag of BCP 47; null: the browser's language. */
  readonly language: string | null;
  /** A name of IANA; null: the browser's time zone, or UTC where there is none. */
  readonly time_zone: string | null;
}

/** A user as they see themself. */
export interface Account extends PublicUser, Locale {}

export const NO_LOCALE: Locale = { language: null, time_zone: null };

/** Written out: every read of the caller's account makes one, and copies of copies cost it a third. */
export function toAccount(user: PublicUser & Partial<Locale>): Account {
  const { id, email, username, firstname, lastname, is_active, is_verified, is_superuser, language = null, time_zone = null } = user;
  return { id, email, username, firstname, lastname, is_active, is_verified, is_superuser, language, time_zone };
}

export function toPublicUser(user: PublicUser): PublicUser {
  const { id, email, username, firstname, lastname, is_active, is_verified, is_superuser } = user;
  return { id, email, username, firstname, lastname, is_active, is_verified, is_superuser };
}

/** Whether two copies of a profile are equal. */
export function isSameProfile(a: PublicUser, b: PublicUser): boolean {
  return JSON.stringify(toPublicUser(a)) === JSON.stringify(toPublicUser(b));
}

/** No mail can reach this domain (RFC 2606), and no one can register with it. */
const DELETED_EMAIL = 'deleted@user.invalid';
const DELETED_USERNAME = 'deleted user';

/** What is shown in the place of a user who was deleted. The id identifies no one any more. */
export function deletedUser(id: Uuid): PublicUser {
  return {
    id,
    email: DELETED_EMAIL,
    username: DELETED_USERNAME,
    firstname: null,
    lastname: null,
    is_active: false,
    is_verified: false,
    is_superuser: false,
  };
}

export function isDeletedUser({ email }: PublicUser): boolean {
  return email === DELETED_EMAIL;
}

/** Whether a user with this folded address or name would look like a deleted user. */
export function looksDeleted(emailKey: string, usernameKey: string): boolean {
  return emailKey === DELETED_EMAIL || usernameKey === DELETED_USERNAME;
}

/** Names that differ only in case are equal. Composed first, so that both encodings of an accented letter are equal, too. */
export function foldCase(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
