/** Registration, login and the caller's own account. */
import * as v from 'valibot';
import { SSO_SESSION_COOKIE } from '../../../auth/cookie.js';
import { MAX_LOGIN_NETWORKS, MAX_PER_HOUR, REFUSED_BY_LIMIT } from '../../../domain/audit.js';
import { AppError } from '../../../domain/errors.js';
import type { UserForLogin } from '../../../domain/commands/directoryCommands.js';
import type { FactorProof } from '../../../domain/account/factor.js';
import type { Uuid } from '../../../domain/ids.js';
import { toAccount } from '../../../domain/account/user.js';
import { givenFields, isEmpty } from '../../../domain/givenFields.js';
import { mailPasswordChange, mailVerification } from '../../accounts/accountMail.js';
import { clientOf } from '../../operation/audited.js';
import { findInvitation, joinAtLast } from '../../accounts/inviteLinks.js';
import { isOwnPassword } from '../../accounts/ownPassword.js';
import { CodeNeeded, refuseCode, useCode, WRONG_CODE } from '../../accounts/secondFactor.js';
import { email, factorCode, languageTag, loginName, newPassword, optionalName, password, timeZone, username } from '../../schemas/fields.js';
import { answerTokens, clearingHeaders, openSession } from '../../accounts/sessionTokens.js';
import { answer, operation, type Operation, type Services } from '../../operation/operation.js';
import { changeOnce, earlierAnswer, keyedRequest } from '../../operation/keyedChange.js';
import { requireGoodPassword } from '../../accounts/requireGoodPassword.js';
import { AccessToken, Account, Detail, PublicUser } from '../../schemas/resources.js';

const tag = 'Authentication';

const LOGIN_FAILED = 'Incorrect e-mail or password';
const PASSWORD_CHANGED = { detail: 'Password changed' };

const registerUser = operation({
  name: 'auth.register',
  method: 'POST',
  path: '/auth/register',
  access: 'public',
  tag,
  summary: 'Register a user',
  description:
    'The e-mail address and the username are unique, ignoring case. An e-mail address cannot be another user’s ' +
    'username, nor a username another user’s e-mail address. A username has no invisible characters (zero-width, ' +
    'bidirectional controls, joiners, fillers), and no word of it mixes scripts that look alike, such as Latin and ' +
    'Cyrillic. Usernames that differ only in the form of their letters (`ａｎｎ` and `ann`) are equal. Consecutive ' +
    'spaces count as one. The settings of the service define what a password needs; a refusal names what is missing. ' +
    'They also define who can register (`REGISTRATION`): everyone, whoever has an `invitation`, or nobody. An invitation ' +
    'to a board makes the new user a member of it. With mail (`SMTP_URL`), a link to confirm the address is sent to it.',
  body: {
    kind: 'json',
    schema: v.object({
      email: email(),
      username: username(),
      password: newPassword(),
      firstname: optionalName(),
      lastname: optionalName(),
      invitation: v.optional(v.pipe(v.string(), v.description('The token of an invitation'))),
    }),
  },
  success: { status: 201, description: 'The new user', schema: PublicUser },
  errors: {
    403: 'Nobody can register, or the invitation is missing or not valid',
    409: 'Another user has this e-mail address or username, as either of the two',
    429: 'Too many registrations from this address are waiting; try again after `Retry-After` seconds',
    503: 'Too many passwords are waiting to be hashed; try again after `Retry-After` seconds',
  },
  async handle(call, services) {
    const { body, idempotency } = call;
    const client = clientOf(call);
    requireGoodPassword('password', body.password, services);
    // Anonymous clients must not meet each other's keys, so the key counts only together with the whole request.
    const request = keyedRequest(services, idempotency?.fingerprint() ?? '', idempotency);
    const earlier = await earlierAnswer<'user.create'>(services, request);
    if (earlier !== null) return answer(earlier.value, earlier.headers);
    const invitation = body.invitation === undefined ? null : await findInvitation(services, body.invitation);
    if (invitation === null && services.config.registration === 'invite') throw new AppError('forbidden', 'Registration is by invitation only');
    const hashed_password = await services.passwords.hash(body.password, { lane: 'registration', address: client.address() });
    const input = {
      id: services.ids.fresh(),
      email: body.email,
      username: body.username,
      hashed_password,
      firstname: body.firstname ?? null,
      lastname: body.lastname ?? null,
      is_superuser: false,
      now: services.now().toISOString(),
      ...(invitation === null ? {} : { invitation: invitation.token_hash }),
    };
    const details = invitation === null ? {} : { invitation: invitation.id };
    const event = { kind: 'user.registered', user: input, client, details } as const;
    const { value: user, headers } = await changeOnce(services, request, 'user.create', input, event);
    if (invitation !== null) await joinAtLast(services, invitation, user, client);
    if (services.mail !== null) mailVerification(services, user, client.address());
    return answer(user, headers);
  },
});

const register: Operation = {
  ...registerUser,
  async invoke(call, services) {
    // Refuses a caller who may not register before the input is checked.
    if (services.config.registration === 'closed') throw new AppError('forbidden', 'Registration is closed');
    return registerUser.invoke(call, services);
  },
};

const login = operation({
  name: 'auth.login',
  method: 'POST',
  path: '/auth/login',
  access: 'public',
  tag,
  summary: 'Log in',
  description:
    'Begins a session: returns a bearer token, and a refresh token for `POST /auth/refresh`. In cookie mode ' +
    '(`AUTH_MODE=cookie`, the default) the service also sets the HTTP-only cookies `svc_auth` and `svc_refresh`. ' +
    'An unknown user, a wrong password and a deactivated user get the same answer. After ten failures within a minute ' +
    'from one address the answer is 429; an account that logged in from that address recently has a count of its own. ' +
    'After ten failures for one account from any addresses, further attempts for it wait. An address that is new to ' +
    'the account waits a few seconds at most. A user with a second factor also sends a `code`: without it, or with a wrong ' +
    'one, the answer to the right password is 401 with `second_factor`. A wrong code counts as a failed login; after ten in a ' +
    'row only one an hour is checked, but recovery codes always are.',
  body: {
    kind: 'form',
    schema: v.object({
      username: v.pipe(loginName(), v.description('The e-mail address or the username')),
      password: v.string(),
      code: v.exactOptional(factorCode('Of the second factor, or a recovery code')),
    }),
  },
  isAnswerKept: false,
  success: {
    status: 200,
    description: 'The tokens',
    schema: AccessToken,
    headers: { 'Set-Cookie': 'In cookie mode: the cookies `svc_auth` and `svc_refresh` with the tokens' },
  },
  errors: {
    401: `${LOGIN_FAILED}, or a code of the second factor is needed`,
    429:
      'Too many failed logins from this address, too many wrong codes, too many waiting logins, or logins of this user from more ' +
      `than ${MAX_LOGIN_NETWORKS} networks within an hour; try again after \`Retry-After\` seconds`,
    503: 'Too many logins are waiting; try again after `Retry-After` seconds',
  },
  errorSchemas: {
    401: v.object({
      detail: v.string(),
      second_factor: v.pipe(v.exactOptional(v.literal('required')), v.description('The password was right; send a code with it')),
    }),
  },
  async handle(call, services) {
    const { body } = call;
    const client = clientOf(call);
    const address = client.address();
    const candidates = await findCandidates(services, body.username);
    // One account, whether it is named by e-mail address or username.
    const account = candidates.length === 0 ? body.username : candidates.map(({ id }) => id).join('+');
    const failed = (reason: string): void => {
      services.audit.record({ kind: 'login.failed', user: candidates[0] ?? null, client, details: { reason } });
    };
    /** What a failure is due to. */
    const due: { to: 'password' | 'code' } = { to: 'password' };
    const check = async (): Promise<Proven | null> => {
      const user = await firstMatch(services, candidates, body.password, address);
      if (user?.has_second_factor !== true) return user && { user, code: null };
      due.to = 'code';
      const code = await useCode(services, user.id, body.code ?? '');
      return code && { user, code };
    };
    let proven: Proven | null;
    try {
      proven = await services.loginGuard.attempt(account, address, check);
    } catch (error) {
      if (error instanceof CodeNeeded) return refuseCode(error.message);
      if (error instanceof AppError && error.code === 'too_many') failed(REFUSED_BY_LIMIT);
      throw error;
    }
    if (proven === null) {
      failed(due.to);
      if (due.to === 'code') return refuseCode(WRONG_CODE);
      throw new AppError('unauthenticated', LOGIN_FAILED);
    }
    const { user, code } = proven;
    const how = { method: 'password', ...(code === null ? {} : { second_factor: code }) };
    return answerTokens(services, await openSession(services, user, { ...call, ...client }, how), call);
  },
});

/** A user whose password was right, and with what code. */
interface Proven {
  readonly user: UserForLogin;
  readonly code: FactorProof['kind'] | null;
}

const logout = operation({
  name: 'auth.logout',
  method: 'POST',
  path: '/auth/logout',
  access: 'user',
  tag,
  summary: 'Log out',
  description:
    'Returns `{"detail": "Successfully logged out"}`, ends the session of the token and clears the cookies. If the ' +
    'session began with single sign-on, the answer also has `logout_url`: where the browser logs out of the provider.',
  isAnswerKept: false,
  success: {
    status: 200,
    description: 'Logged out',
    schema: v.object({ detail: v.string(), logout_url: v.exactOptional(v.string()) }),
    headers: { 'Set-Cookie': 'In cookie mode: clears the cookies `svc_auth`, `svc_refresh` and `svc_sso`' },
  },
  async handle(call, services) {
    const { caller, token, cookie } = call;
    const event = { kind: 'logout', user: caller, client: clientOf(call) } as const;
    const { sessionId } = await token();
    if (sessionId === null) services.audit.record(event);
    else await services.audit.along(event, (entry) => services.directory.ask('session.end', { user_id: caller.id, id: sessionId }, entry));
    const logout_url = await providerLogout(services, cookie(SSO_SESSION_COOKIE), sessionId);
    const body = { detail: 'Successfully logged out', ...(logout_url === null ? {} : { logout_url }) };
    return answer(body, clearingHeaders(services));
  },
});

const getMe = operation({
  name: 'auth.me',
  method: 'GET',
  path: '/auth/me',
  access: 'user',
  isForAnyKey: true,
  tag,
  summary: 'Get the caller',
  success: { status: 200, description: 'The caller', schema: Account },
  handle({ caller }) {
    return answer(toAccount(caller));
  },
});

const updateMe = operation({
  name: 'auth.updateMe',
  method: 'PATCH',
  path: '/auth/me',
  access: 'user',
  tag,
  summary: 'Change the caller’s names, language or time zone',
  description:
    'An absent field stays unchanged, null clears it. All other fields are ignored. Only the caller sees their language and ' +
    'time zone. The caller’s boards show the new ' +
    'names before the answer is sent, or shortly after it if the update takes longer than a second. Because each change ' +
    'goes to all boards of the caller, there is a limit a minute (`MAX_PROFILE_CHANGES_PER_MINUTE`, 10 by default).',
  body: {
    kind: 'json',
    schema: v.object({
      firstname: optionalName(),
      lastname: optionalName(),
      language: v.optional(v.nullable(languageTag())),
      time_zone: v.optional(v.nullable(timeZone())),
    }),
  },
  success: { status: 200, description: 'The caller after the change', schema: Account },
  errors: { 429: 'The caller has changed them as often as `MAX_PROFILE_CHANGES_PER_MINUTE` allows; try again after `Retry-After` seconds' },
  async handle({ caller, body, idempotency }, services) {
    const { language, time_zone, ...names } = body;
    const input = { id: caller.id, now: services.now().toISOString(), changes: givenFields(names) };
    const locale = givenFields({ language, time_zone });
    const request = keyedRequest(services, caller.id, idempotency);
    const waitMs = services.profileChanges.wait(caller.id, performance.now());
    if (waitMs > 0) {
      // A request that is only repeated changes nothing.
      const earlier = await earlierAnswer<'user.update' | 'user.configure'>(services, request);
      if (earlier !== null) return answer(toAccount({ ...caller, ...earlier.value }), earlier.headers);
      throw tooManyProfileChanges(services, waitMs);
    }
    services.profileChanges.add(caller.id, performance.now());
    const { value: user, headers } = isEmpty(locale)
      ? await changeOnce(services, request, 'user.update', input)
      : await changeOnce(services, request, 'user.configure', { ...input, locale });
    return answer(toAccount({ ...caller, ...user }), headers);
  },
});

const changePassword = operation({
  name: 'auth.changePassword',
  method: 'POST',
  path: '/auth/change-password',
  access: 'user',
  tag,
  summary: 'Change the caller’s password',
  description: 'Returns `{"detail": "Password changed"}`. A wrong current password counts as a failed login. All other sessions of the caller end.',
  body: { kind: 'json', schema: v.object({ current_password: password(), new_password: newPassword() }) },
  success: { status: 200, description: 'The password is changed', schema: Detail },
  errors: {
    403: 'The current password is wrong',
    429: `Too many wrong passwords, or ${MAX_PER_HOUR['password.changed']} changes within an hour; try again after \`Retry-After\` seconds`,
    503: 'Too many passwords are waiting to be hashed; try again after `Retry-After` seconds',
  },
  async handle(call, services) {
    const { caller, body, idempotency, token } = call;
    const client = clientOf(call);
    requireGoodPassword('new_password', body.new_password, services);
    const request = keyedRequest(services, caller.id, idempotency);
    // After the change the current password is another one.
    const earlier = await earlierAnswer(services, request);
    if (earlier !== null) return answer(PASSWORD_CHANGED, earlier.headers);
    if (!(await isOwnPassword(services, caller, body.current_password, client))) {
      // The same request may have changed it meanwhile.
      const meanwhile = await earlierAnswer(services, request);
      if (meanwhile !== null) return answer(PASSWORD_CHANGED, meanwhile.headers);
      throw new AppError('forbidden', 'The current password is wrong');
    }
    const hashed_password = await services.passwords.hash(body.new_password, { lane: 'login', address: client.address() });
    const { sessionId } = await token();
    const now = services.now().toISOString();
    const input = { id: caller.id, now, changes: { hashed_password }, ...(sessionId === null ? {} : { keep_session: sessionId }) };
    const { headers } = await changeOnce(services, request, 'user.update', input, { kind: 'password.changed', user: caller, client });
    mailPasswordChange(services, caller);
    return answer(PASSWORD_CHANGED, headers);
  },
});

export const authOperations: readonly Operation[] = [register, login, logout, getMe, updateMe, changePassword];

function tooManyProfileChanges({ config }: Services, waitMs: number): AppError {
  const most = `${config.maxProfileChangesPerMinute} times a minute (MAX_PROFILE_CHANGES_PER_MINUTE)`;
  return new AppError('too_many', `A user can change their names at most ${most}`, { retryAfter: Math.ceil(waitMs / 1000) });
}

/** The session here has ended, so a provider that is away is no failure of the logout. */
async function providerLogout({ sso, report }: Services, signedOn: string | undefined, sessionId: Uuid | null): Promise<string | null> {
  if (sso === null || signedOn === undefined) return null;
  return sso.logoutUrl(signedOn, sessionId).catch((error: unknown) => {
    report(error, 'a user could not be led to the logout of the provider');
    return null;
  });
}

/**
 * The users that a login name may mean: by e-mail address and by username. They differ only if one of them registered
 * before the two were kept apart.
 */
async function findCandidates({ directory }: Services, login: string): Promise<UserForLogin[]> {
  const [first, second] = await Promise.all([
    directory.ask('user.findForLogin', { login }),
    // Without an @ it is not an e-mail address.
    login.includes('@') ? directory.ask('user.findForLogin', { login, by: 'username' }) : null,
  ]);
  if (first === null) return [];
  return second === null || second.id === first.id ? [first] : [first, second];
}

/** Checks every hash, also after a match, so that the time reveals nothing. */
async function firstMatch(
  { passwords }: Services,
  candidates: readonly UserForLogin[],
  given: string,
  address: string,
): Promise<UserForLogin | null> {
  const hashes = candidates.length === 0 ? [null] : candidates.map(({ hashed_password }) => hashed_password);
  const client = { lane: 'login', address } as const;
  const fits = await Promise.all(hashes.map((hash) => passwords.verify(hash, given, client)));
  return candidates.find((user, index) => fits[index] === true && user.is_active) ?? null;
}
