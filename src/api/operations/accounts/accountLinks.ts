/** Forgotten passwords and the confirmation of e-mail addresses: operations by the links of mails. */
import * as v from 'valibot';
import type { AccountClaim, AccountTokenKind } from '../../../auth/accountTokens.js';
import type { Redemption } from '../../../domain/commands/directoryCommands.js';
import { INVALID_LINK, invalidLink } from '../../../domain/account/accountLink.js';
import type { AuditEvent } from '../../../domain/audit.js';
import { AppError } from '../../../domain/errors.js';
import type { PublicUser as PublicUserData, User } from '../../../domain/account/user.js';
import { mailPasswordChange, mailReset, mailVerification, needingMail, tellOldAddress, tooManyMails } from '../../accounts/accountMail.js';
import { clientOf } from '../../operation/audited.js';
import { changeOnce, earlierAnswer, keyedRequest, type Changed } from '../../operation/keyedChange.js';
import { answer, operation, type Call, type Operation, type OperationAnswer, type Services } from '../../operation/operation.js';
import type { RequestKey } from '../../operation/requestKey.js';
import { requireGoodPassword } from '../../accounts/requireGoodPassword.js';
import { email, newPassword } from '../../schemas/fields.js';
import { Detail, PublicUser } from '../../schemas/resources.js';

const tag = 'Authentication';

const NO_MAIL = 'The service sends no mail (`SMTP_URL` is not set)';
const MAX_TOKEN_CHARACTERS = 1024;

const token = () => v.pipe(v.string(), v.maxLength(MAX_TOKEN_CHARACTERS), v.description('From the link, after `#token=`'));

const forgotPassword = operation({
  name: 'auth.forgotPassword',
  method: 'POST',
  path: '/auth/forgot-password',
  access: 'public',
  tag,
  summary: 'Ask for a link to set a new password',
  description:
    'If an active user has this e-mail address, the link is mailed there. The answer is the same in any case, and is sent ' +
    'before anybody is looked for. An address gets at most one such mail in five minutes; further requests are ignored. ' +
    'The link is `PUBLIC_URL/app/reset-password#token=…`, works once and for an hour. Without mail the operator makes ' +
    'one: `switchboard user reset-link`.',
  body: { kind: 'json', schema: v.object({ email: email() }) },
  isAnswerKept: false,
  success: { status: 202, description: 'A mail is sent if there is such a user', schema: Detail },
  errors: { 403: NO_MAIL, 429: 'Too many requests from this network; try again after `Retry-After` seconds' },
  async handle(call, services) {
    const { body } = call;
    const refusal = mailReset(services, body.email, clientOf(call));
    if (refusal?.by === 'source') throw tooManyMails(refusal);
    return answer({ detail: 'If there is an account with this e-mail address, a mail is on its way' });
  },
});

const resetPassword = operation({
  name: 'auth.resetPassword',
  method: 'POST',
  path: '/auth/reset-password',
  access: 'public',
  tag,
  summary: 'Set a new password by a link',
  description:
    'All sessions of the user end. The link is not valid any more if it was used, or if the password or the e-mail address ' +
    'was changed since; a refused password does not use it up. A link that came by mail also proves the e-mail address; if it was not proved ' +
    'before, the API keys and the logins through a provider end as well. A second factor stays on: a login with the new ' +
    'password needs a code or a recovery code. Without either, the operator turns the factor off (`switchboard user reset-factor`).',
  body: { kind: 'json', schema: v.object({ token: token(), password: newPassword() }) },
  success: { status: 200, description: 'The password is changed', schema: Detail },
  errors: { 403: INVALID_LINK, 503: 'Too many passwords are waiting to be hashed; try again after `Retry-After` seconds' },
  async handle(call, services) {
    const { body, idempotency } = call;
    const client = clientOf(call);
    requireGoodPassword('password', body.password, services);
    const { headers } = await redeemOnce(services, idempotency, { kind: 'password.reset', client }, async (redeem) => {
      const valid = await readLink(services, body.token, ['mailed reset', 'handed reset']);
      const hashed_password = await services.passwords.hash(body.password, { lane: 'login', address: client.address() });
      const isProof = valid.claim.kind === 'mailed reset';
      const changed = await redeem(valid, { hashed_password, ...(isProof ? { is_verified: true } : {}) });
      mailPasswordChange(services, changed.value);
      return changed;
    });
    return answer({ detail: 'Password changed' }, headers);
  },
});

const requestVerification = operation({
  name: 'auth.requestVerification',
  method: 'POST',
  path: '/auth/verify-email/request',
  access: 'user',
  tag,
  summary: 'Ask for a mail to confirm the caller’s e-mail address',
  description:
    'Such a mail is also sent after the registration. The link is `PUBLIC_URL/app/verify-email#token=…`, works once and for ' +
    'a day. An address gets at most one such mail in five minutes, and five in a day; a network causes at most fifty in an hour.',
  isAnswerKept: false,
  success: { status: 202, description: 'The mail is on its way', schema: Detail },
  errors: {
    403: NO_MAIL,
    409: 'The address is confirmed already',
    429: 'A mail was sent recently; try again after `Retry-After` seconds',
    503: 'Too many mails are waiting to be sent; try again after `Retry-After` seconds',
  },
  async handle({ caller, address }, services) {
    if (caller.is_verified) throw new AppError('conflict', 'The e-mail address is confirmed already');
    const refusal = mailVerification(services, caller, address());
    if (refusal !== null) throw tooManyMails(refusal);
    return answer({ detail: 'The mail is on its way' });
  },
});

const verifyEmail = operation({
  name: 'auth.verifyEmail',
  method: 'POST',
  path: '/auth/verify-email',
  access: 'user',
  tag,
  summary: 'Confirm an e-mail address by a link',
  description:
    'Sets `is_verified` of the caller. By the link of `POST /auth/change-email` the address becomes the caller’s, the old one is told, and all ' +
    'other sessions end. The link works once, and is not valid any more if the address was changed since. It needs a ' +
    'session of its user: the owner of an address does not confirm, by a click, an account that somebody else registered with it.',
  body: { kind: 'json', schema: v.object({ token: token() }) },
  success: { status: 200, description: 'The user after the change', schema: PublicUser },
  errors: { 403: INVALID_LINK, 409: 'Another user has the new address by now' },
  async handle(call, services) {
    const { caller, body, idempotency } = call;
    if (services.accountTokens.read(body.token, services.now())?.kind === 'new address') return takeNewAddress(call, services);
    const event = { kind: 'email.verified', client: clientOf(call) } as const;
    const { value, headers } = await redeemOnce(services, idempotency, event, async (redeem) => {
      const link = await readLink(services, body.token, ['verification']);
      if (link.user.id !== caller.id) throw invalidLink();
      return redeem(link, { is_verified: true });
    });
    return answer(value, headers);
  },
});

export const accountLinkOperations: readonly Operation[] = [
  needingMail(forgotPassword),
  resetPassword,
  needingMail(requestVerification),
  verifyEmail,
];

/** The caller has proved the new address of the account. */
async function takeNewAddress(
  call: Pick<
    Call<PublicUserData, unknown, { readonly token: string }>,
    'caller' | 'body' | 'idempotency' | 'token' | 'address' | 'userAgent' | 'key'
  >,
  services: Services,
): Promise<OperationAnswer> {
  const { caller, body, idempotency, token } = call;
  const client = clientOf(call);
  const request = keyedRequest(services, caller.id, idempotency);
  const earlier = await earlierAnswer<'user.rename'>(services, request);
  if (earlier !== null) return answer(earlier.value, earlier.headers);
  const { claim, user } = await readLink(services, body.token, ['new address']);
  if (user.id !== caller.id || claim.newEmail === null) throw invalidLink();
  const { sessionId } = await token();
  const input = {
    id: user.id,
    changes: { email: claim.newEmail, is_verified: true },
    expected: { email: user.email, hashed_password: user.hashed_password },
    link: { hash: claim.hash, expires_at: claim.expiresAt },
    now: services.now().toISOString(),
    ...(sessionId === null ? {} : { keep_session: sessionId }),
  };
  const { value, headers } = await changeOnce(services, request, 'user.rename', input, { kind: 'email.changed', user: caller, client });
  tellOldAddress(services, caller);
  return answer(value, headers);
}

interface ValidLink {
  readonly claim: AccountClaim;
  readonly expected: Redemption['expected'];
  readonly user: User;
}

/** Refused with `forbidden`, the same for every cause. */
async function readLink(services: Services, text: string, kinds: readonly AccountTokenKind[]): Promise<ValidLink> {
  const { accountTokens, directory, now } = services;
  const claim = accountTokens.read(text, now());
  if (claim === null || !kinds.includes(claim.kind)) throw invalidLink();
  const user = await directory.ask('user.getWithHash', { id: claim.userId });
  const expected = user?.is_active === true ? accountTokens.expected(claim, user) : null;
  if (user === null || expected === null) throw invalidLink();
  return { claim, expected, user };
}

type Redeem = (link: ValidLink, changes: Redemption['changes']) => Promise<Changed<'user.redeem'>>;

/** A repetition with the same key gets the first answer, although the link is used up. */
async function redeemOnce(
  services: Services,
  key: RequestKey | null,
  event: Pick<AuditEvent, 'kind' | 'client'>,
  work: (redeem: Redeem) => Promise<Changed<'user.redeem'>>,
): Promise<Changed<'user.redeem'>> {
  // Anonymous clients must not meet each other's keys, so the key counts only together with the whole request.
  const request = keyedRequest(services, key?.fingerprint() ?? '', key);
  const earlier = await earlierAnswer<'user.redeem'>(services, request);
  if (earlier !== null) return earlier;
  try {
    return await work(({ claim, expected, user }, changes) => {
      const { userId: id, hash, expiresAt: expires_at } = claim;
      const input = { id, hash, expires_at, expected, changes, now: services.now().toISOString() };
      return changeOnce(services, request, 'user.redeem', input, { ...event, user });
    });
  } catch (error) {
    // The same request may have used the link meanwhile.
    const meanwhile = error instanceof AppError && error.code === 'forbidden' ? await earlierAnswer<'user.redeem'>(services, request) : null;
    if (meanwhile === null) throw error;
    return meanwhile;
  }
}
