/** Creates an account from options of the command line. */
import * as v from 'valibot';
import { email, optionalName, username } from '../../api/schemas/fields.js';
import { createPasswords } from '../../auth/passwords.js';
import type { Config } from '../../settings/config.js';
import { IdSource } from '../../domain/ids.js';
import type { PublicUser } from '../../domain/account/user.js';
import { withDirectory } from './directoryAccess.js';
import { operatorEntry } from './operatorEntry.js';
import { UsageError } from '../outcome.js';

const NewAccount = v.object({
  email: email(),
  username: username(),
  firstname: optionalName(),
  lastname: optionalName(),
});
export type NewAccount = v.InferOutput<typeof NewAccount>;

/** Throws a `UsageError` that names the option. */
export function parseAccount(options: Readonly<Record<string, unknown>>): NewAccount {
  const parsed = v.safeParse(NewAccount, options);
  if (!parsed.success) throw new UsageError(`--${v.getDotPath(parsed.issues[0])} ${parsed.issues[0].message}.`);
  return parsed.output;
}

export async function createAccount(config: Config, account: NewAccount, password: string, is_superuser: boolean): Promise<PublicUser> {
  const hashed_password = await hashPassword(password);
  const input = {
    id: new IdSource().fresh(),
    email: account.email,
    username: account.username,
    hashed_password,
    firstname: account.firstname ?? null,
    lastname: account.lastname ?? null,
    is_superuser,
    now: new Date().toISOString(),
  };
  return withDirectory(config, (directory) => directory.ask('user.create', input, operatorEntry('user.created', input)));
}

export async function hashPassword(password: string): Promise<string> {
  const passwords = createPasswords({ threads: 1 });
  try {
    return await passwords.hash(password);
  } finally {
    await passwords.close();
  }
}
