/** Users by the names that they log in with. Names are folded here, because SQLite folds ASCII only. */
import { foldCase, looksDeleted, type User } from '../account/user.js';
import { AppError } from '../errors.js';
import type { Uuid } from '../ids.js';
import type { DirectoryCommands } from '../commands/directoryCommands.js';
import type { DirectoryRows } from './rows.js';
import type { UserRow } from './tables.js';

type NewUser = Omit<DirectoryCommands['user.create']['input'], 'invitation'> & { readonly is_verified: boolean };

type NameKeys = Pick<UserRow, 'email_key' | 'username_key'>;

/** Letters that differ only in form are equal too: full-width, ligatures, mathematical letters. */
export function foldLookAlikes(text: string): string {
  return text.normalize('NFKC').toLowerCase().normalize('NFKC');
}

export function findUser(rows: DirectoryRows, id: Uuid): User | null {
  return toUser(rows.get('user', { id }));
}

export function requireUser(rows: DirectoryRows, id: Uuid): User {
  const user = findUser(rows, id);
  if (user === null) throw new AppError('not_found', 'User not found');
  return user;
}

/** An e-mail address takes precedence over a username that looks like one. */
export function findForLogin(rows: DirectoryRows, login: string): User | null {
  return findByEmail(rows, login) ?? findByUsername(rows, login);
}

export function findByEmail(rows: DirectoryRows, email: string): User | null {
  return toUser(rows.get('user', { email_key: foldCase(email) }));
}

/** Users who registered before look-alike names were equal keep their older key, which is tried first. */
export function findByUsername(rows: DirectoryRows, username: string): User | null {
  const [key, folded] = [foldCase(username), foldLookAlikes(username)];
  const row = rows.get('user', { username_key: key }) ?? (folded === key ? null : rows.get('user', { username_key: folded }));
  return toUser(row);
}

/** Whether a new user can have this username. */
export function isFreeUsername(rows: DirectoryRows, username: string): boolean {
  return !looksDeleted('', foldLookAlikes(username)) && findForLogin(rows, username) === null;
}

/** Whether a new user can have this e-mail address. */
export function isFreeEmail(rows: DirectoryRows, email: string): boolean {
  return !looksDeleted(foldCase(email), '') && findForLogin(rows, email) === null;
}

export function newUser({ now, ...fields }: NewUser): User {
  return { ...fields, is_active: true, created_at: now, updated_at: now, revoked_at: null };
}

/** Refused with `conflict` if a name is taken. */
export function addUser(rows: DirectoryRows, user: User): void {
  const keys = { email_key: foldCase(user.email), username_key: foldLookAlikes(user.username) };
  requireFreeNames(rows, user, keys, null);
  rows.write({ op: 'user.insert', user, ...keys });
}

type ChangedNames = { readonly email?: string; readonly username?: string; readonly is_verified?: boolean };

/** Refused with `conflict` if another user has the name. */
export function renameUser(rows: DirectoryRows, before: User, names: ChangedNames, now: string): User {
  const keys = requireFreeToRename(rows, before, names);
  const user: User = { ...before, ...names, updated_at: now };
  rows.write({ op: 'user.rename', user, ...keys });
  return user;
}

/** The keys of the user with these names. A key stays as long as its name does. */
export function requireFreeToRename(rows: DirectoryRows, before: User, names: ChangedNames): NameKeys {
  const row = rows.get('user', { id: before.id });
  if (row === null) throw new AppError('not_found', 'User not found');
  const keys = {
    email_key: names.email === undefined ? row.email_key : foldCase(names.email),
    username_key: names.username === undefined ? row.username_key : foldLookAlikes(names.username),
  };
  requireFreeNames(rows, { ...before, ...names }, keys, before.id);
  return keys;
}

/** `own`: the user who has these names already, if any. */
function requireFreeNames(
  rows: DirectoryRows,
  { email, username }: Pick<User, 'email' | 'username'>,
  { email_key, username_key }: NameKeys,
  own: Uuid | null,
): void {
  if (looksDeleted(email_key, username_key)) throw new AppError('conflict', 'This name is reserved for deleted users');
  const isAnothers = (found: User | null): boolean => found !== null && found.id !== own;
  if (isAnothers(findByEmail(rows, email))) throw new AppError('conflict', 'A user with this e-mail address is already registered');
  if (isAnothers(findByUsername(rows, username))) throw new AppError('conflict', 'This username is already taken');
  // Both name an account at login, so one user's e-mail address cannot be another's username or the reverse.
  if (isAnothers(findByUsername(rows, email))) throw new AppError('conflict', 'This e-mail address is the username of another user');
  if (isAnothers(findByEmail(rows, username))) throw new AppError('conflict', 'This username is the e-mail address of another user');
}

export function toUser(row: UserRow | null): User | null {
  if (row === null) return null;
  const { email_key: _email, username_key: _username, ...user } = row;
  return user;
}
