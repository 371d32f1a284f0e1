/** The caller's password once more, before a change of what protects the account. */
import { AppError } from '../../domain/errors.js';
import type { PublicUser } from '../../domain/account/user.js';
import type { AuditClient } from '../operation/audited.js';
import type { Services } from '../operation/operation.js';

/** A wrong one counts as a failed login. */
export async function isOwnPassword(services: Services, caller: PublicUser, given: string, client: AuditClient): Promise<boolean> {
  const address = client.address();
  const found = await services.loginGuard.attempt(caller.id, address, async () => {
    const user = await services.directory.ask('user.getWithHash', { id: caller.id });
    return (await services.passwords.verify(user?.hashed_password ?? null, given, { lane: 'login', address })) || null;
  });
  if (found === null) services.audit.record({ kind: 'login.failed', user: caller, client, details: { reason: 'password', session: true } });
  return found !== null;
}

/** Refused with `forbidden`. */
export async function requireOwnPassword(services: Services, caller: PublicUser, given: string, client: AuditClient): Promise<void> {
  if (!(await isOwnPassword(services, caller, given, client))) throw new AppError('forbidden', 'The password is wrong');
}
