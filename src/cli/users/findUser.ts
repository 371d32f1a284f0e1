import type { DirectoryPort } from '../../domain/commands/directoryCommands.js';
import { parseUuid } from '../../domain/ids.js';
import { toPublicUser, type PublicUser } from '../../domain/account/user.js';
import { CommandFailure, EX_FAILURE } from '../outcome.js';
import { printable } from '../table.js';

/** What commands about one user take. */
export const OPERAND = 'user';
export const USER_HELP = 'Name the user by e-mail address, username or id.';

/** By e-mail address, username or id. */
export async function findUser(directory: DirectoryPort, name: string): Promise<PublicUser> {
  const user = await lookUpUser(directory, name);
  if (user === null) throw noSuchUser(name);
  return user;
}

export async function lookUpUser(directory: DirectoryPort, name: string): Promise<PublicUser | null> {
  const id = parseUuid(name);
  const byId = id === undefined ? null : await directory.ask('user.get', { id });
  const user = byId ?? (await directory.ask('user.findForLogin', { login: name.trim() }));
  return user && toPublicUser(user);
}

export function noSuchUser(name: string): CommandFailure {
  return new CommandFailure(EX_FAILURE, `There is no user "${printable(name)}".`);
}

export function nameOf({ username, email }: PublicUser): string {
  return printable(`${username} <${email}>`);
}
