/** The caller's own e-mail address and username: both name the account at a login, so they need the password. */
import * as v from 'valibot';
import { MAX_PER_HOUR, type AuditEvent } from '../../../domain/audit.js';
import { toPublicUser, type PublicUser as User } from '../../../domain/account/user.js';
import type { Renaming } from '../../../domain/commands/directoryCommands.js';
import { AppError } from '../../../domain/errors.js';
import { mailNewAddress, tellOldAddress, tooManyMails } from '../../accounts/accountMail.js';
import { requireOwnPassword } from '../../accounts/ownPassword.js';
import { CodeNeeded, useCode, WRONG_CODE } from '../../accounts/secondFactor.js';
import { clientOf, type AuditClient } from '../../operation/audited.js';
import { changeOnce, earlierAnswer, keyedRequest } from '../../operation/keyedChange.js';
import { answer, operation, type Call, type Operation, type Services } from '../../operation/operation.js';
import { email, factorCode, password, username } from '../../schemas/fields.js';
import { PublicUser } from '../../schemas/resources.js';

const tag = 'Authentication';

const ERRORS = {
  403: 'The password or the code is wrong or missing, or the account is that of a login provider',
  409: 'The caller has this name already, or another user has it, as e-mail address or username',
  503: 'Too many passwords are waiting to be checked; try again after `Retry-After` seconds',
} as const;

const changeEmail = operation({
  name: 'auth.changeEmail',
  method: 'POST',
  path: '/auth/change-email',
  access: 'user',
  tag,
  summary: 'Change the caller’s e-mail address',
  description:
    'With mail (`SMTP_URL`), a link is sent to the new address, and the change takes effect when the caller opens it within a day ' +
    '(`POST /auth/verify-email`); until then `is_pending` is true and nothing is changed. Without mail the change takes effect at ' +
    'once, and the address counts as not confirmed. The old address is told, and all other sessions of the caller end. A user ' +
    'with a second factor also sends a `code`. A wrong password or code counts as a failed login.',
  body: {
    kind: 'json',
    schema: v.object({
      email: email(),
      current_password: password(),
      code: v.exactOptional(factorCode('Of the second factor, or a recovery code')),
    }),
  },
  success: {
    status: 200,
    description: 'The caller, and whether the new address is still to be confirmed',
    schema: v.object({ user: PublicUser, is_pending: v.boolean() }),
  },
  errors: {
    ...ERRORS,
    429: `Too many wrong passwords, mails to this address, or more than ${MAX_PER_HOUR['email.changed']} changes within an hour; try again after \`Retry-After\` seconds`,
  },
  async handle(call, services) {
    const { caller, body, idempotency } = call;
    const client = clientOf(call);
    const request = keyedRequest(services, caller.id, idempotency);
    const earlier = await earlierAnswer<'user.rename'>(services, request);
    if (earlier !== null) return answer({ user: earlier.value, is_pending: false }, earlier.headers);
    await requireOwnPassword(services, caller, body.current_password, client);
    await requireCode(services, caller, body.code ?? '', client);
    if (body.email === caller.email) throw new AppError('conflict', 'This is your e-mail address already');
    await services.directory.ask('user.mayRename', { id: caller.id, names: { email: body.email } });
    if (services.mail !== null) {
      const refusal = await mailNewAddress(services, caller, body.email);
      if (refusal !== null) throw tooManyMails(refusal);
      return answer({ user: toPublicUser(caller), is_pending: true });
    }
    const change = await renaming(services, call, { email: body.email, is_verified: false });
    const event: AuditEvent = { kind: 'email.changed', user: caller, client };
    const { value: user, headers } = await changeOnce(services, request, 'user.rename', change, event);
    tellOldAddress(services, caller);
    return answer({ user, is_pending: false }, headers);
  },
});

const changeUsername = operation({
  name: 'auth.changeUsername',
  method: 'POST',
  path: '/auth/change-username',
  access: 'user',
  tag,
  summary: 'Change the caller’s username',
  description:
    'The rules are those of the registration. The caller’s boards show the new name as after `PATCH /auth/me`, and it counts with ' +
    'those changes (`MAX_PROFILE_CHANGES_PER_MINUTE`). The old name can be taken by others at once.',
  body: { kind: 'json', schema: v.object({ username: username(), current_password: password() }) },
  success: { status: 200, description: 'The caller after the change', schema: PublicUser },
  errors: {
    ...ERRORS,
    429: `Too many wrong passwords or changed names, or more than ${MAX_PER_HOUR['username.changed']} changes within an hour; try again after \`Retry-After\` seconds`,
  },
  async handle(call, services) {
    const { caller, body, idempotency } = call;
    const client = clientOf(call);
    const request = keyedRequest(services, caller.id, idempotency);
    const earlier = await earlierAnswer<'user.rename'>(services, request);
    if (earlier !== null) return answer(earlier.value, earlier.headers);
    await requireOwnPassword(services, caller, body.current_password, client);
    if (body.username === caller.username) throw new AppError('conflict', 'This is your username already');
    const waitMs = services.profileChanges.wait(caller.id, performance.now());
    if (waitMs > 0) throw new AppError('too_many', 'Too many changes of names; try again later', { retryAfter: Math.ceil(waitMs / 1000) });
    services.profileChanges.add(caller.id, performance.now());
    const change = await renaming(services, call, { username: body.username });
    const event: AuditEvent = { kind: 'username.changed', user: caller, client };
    const { value: user, headers } = await changeOnce(services, request, 'user.rename', change, event);
    return answer(user, headers);
  },
});

export const nameOperations: readonly Operation[] = [changeEmail, changeUsername];

/** For the account as it is now: if it changes until then, the change is refused. */
async function renaming(
  services: Services,
  { caller, token }: Pick<Call<User, unknown, unknown>, 'caller' | 'token'>,
  changes: Renaming['changes'],
): Promise<Renaming> {
  const { sessionId } = await token();
  const user = await services.directory.ask('user.getWithHash', { id: caller.id });
  if (user === null) throw new AppError('not_found', 'User not found');
  const { email, hashed_password } = user;
  const now = services.now().toISOString();
  return { id: caller.id, changes, expected: { email, hashed_password }, now, ...(sessionId === null ? {} : { keep_session: sessionId }) };
}

/** Of a user with a second factor. Refused with `forbidden`; a wrong one counts as a failed login. */
async function requireCode(services: Services, caller: User, code: string, client: AuditClient): Promise<void> {
  const factor = await services.directory.ask('factor.get', { user_id: caller.id });
  if (factor === null || factor.confirmed_at === null) return;
  try {
    const used = await services.loginGuard.attempt(caller.id, client.address(), () => useCode(services, caller.id, code));
    if (used !== null) return;
  } catch (error) {
    if (error instanceof CodeNeeded) throw new AppError('forbidden', error.message);
    throw error;
  }
  services.audit.record({ kind: 'login.failed', user: caller, client, details: { reason: 'code', session: true } });
  throw new AppError('forbidden', WRONG_CODE);
}
