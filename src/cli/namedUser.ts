/** The user that an operator names. */
import type { DirectoryPort } from '../domain/commands/directoryCommands.js';
import { parseUuid } from '../domain/ids.js';
import { toPublicUser, type PublicUser } from '../domain/user.js';
import { CommandFailure, EX_FAILURE } from './outcome.js';
import { printable } from './table.js';

export const OPERAND = 'user';
export const OPERAND_HELP = 'Name the user by e-mail address, username or id.';

export async function findUser(directory: DirectoryPort, name: string): Promise<PublicUser> {
  const id = parseUuid(name);
  const byId = id === undefined ? null : await directory.ask('user.get', { id });
  const user = byId ?? (await directory.ask('user.findForLogin', { login: name.trim() }));
  if (!user) throw new CommandFailure(EX_FAILURE, `There is no user "${printable(name)}".`);
  return toPublicUser(user);
}

export function nameOf({ username, email: address }: PublicUser): string {
  return printable(`${username} <${address}>`);
}
