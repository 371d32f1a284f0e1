/** Changes of users by requests that may have a key: see `user.once`. */
import type { UserChange, UserRequest } from '../domain/commands/directoryCommands.js';
import type { PublicUser } from '../domain/user.js';
import { REPLAYED } from './keyedAnswer.js';
import type { RequestKey } from './requestKey.js';
import type { OperationAnswer, Services } from './operation.js';

export interface ChangedUser {
  readonly user: PublicUser;
  readonly headers: NonNullable<OperationAnswer['headers']>;
}

/** `scope`: whose key it is. Null without a key. */
export function userRequest(services: Services, scope: string, key: RequestKey | null): UserRequest | null {
  return key && { scope, key: key.key, fingerprint: key.fingerprint(), now: services.now().toISOString() };
}

/** The answer to the same request, if it was carried out before. */
export async function earlierAnswer({ directory }: Services, request: UserRequest | null): Promise<ChangedUser | null> {
  const user = request && (await directory.ask('user.answer', request));
  return user && { user, headers: [REPLAYED] };
}

export async function changeUser({ directory }: Services, request: UserRequest | null, command: UserChange): Promise<ChangedUser> {
  if (request !== null) {
    const { user, isReplayed } = await directory.ask('user.once', { ...request, command });
    return { user, headers: isReplayed ? [REPLAYED] : [] };
  }
  const user =
    command.op === 'user.create' ? await directory.ask(command.op, command.input) : await directory.ask(command.op, command.input);
  return { user, headers: [] };
}
