/** Sessions: logins that stay, their renewal and their end. */
import * as v from 'valibot';
import { REFRESH_COOKIE } from '../../../auth/cookie.js';
import { REFRESHES_PER_NETWORK, REFRESHES_PER_SESSION, REFRESHES_PER_USER } from '../../../auth/guessing/refreshLimits.js';
import type { RefreshClaim } from '../../../auth/refreshTokens.js';
import type { RefreshedSession } from '../../../domain/commands/directoryCommands.js';
import { AppError } from '../../../domain/errors.js';
import { END_REASONS, type EndReason, type Session } from '../../../domain/account/session.js';
import { clientOf } from '../../operation/audited.js';
import { changeOnce, earlierAnswer, keyedRequest } from '../../operation/keyedChange.js';
import { answer, operation, type Operation, type OperationAnswer, type Services } from '../../operation/operation.js';
import { AccessToken, LoginSession } from '../../schemas/resources.js';
import { answerTokens, clearingHeaders } from '../../accounts/sessionTokens.js';

const tag = 'Authentication';

const REFRESH_FAILED = 'The refresh token is invalid, expired or was used before';
const MAX_TOKEN_CHARACTERS = 1024;

const refresh = operation({
  name: 'auth.refresh',
  method: 'POST',
  path: '/auth/refresh',
  access: 'public',
  tag,
  summary: 'Renew the tokens of a session',
  description:
    'Answers a new access token and a new refresh token. Without `refresh_token` in the body the cookie `svc_refresh` ' +
    'counts, which in cookie mode is replaced, as is `svc_auth`. The refresh token before the current one is answered ' +
    'with the current pair for a minute, because two tabs may use the same one; its use after that, and the use of an ' +
    'older one, ends the session. A session can be refreshed for `SESSION_LIFETIME_DAYS` since its login. Open sockets ' +
    `and streams of the session stay open. A session can be refreshed ${60 * REFRESHES_PER_SESSION.perSecond} times a minute, all sessions of a user ` +
    `${60 * REFRESHES_PER_USER.perSecond} times, and those of a network ${60 * REFRESHES_PER_NETWORK.perSecond} times.`,
  body: {
    kind: 'json',
    schema: v.object({ refresh_token: v.exactOptional(v.pipe(v.string(), v.maxLength(MAX_TOKEN_CHARACTERS))) }),
  },
  isAnswerKept: false,
  success: {
    status: 200,
    description: 'New tokens',
    schema: AccessToken,
    headers: { 'Set-Cookie': 'In cookie mode: the cookies `svc_auth` and `svc_refresh` with the tokens' },
  },
  errors: { 401: REFRESH_FAILED, 429: 'Too many refreshes of this session, or from this network; try again after `Retry-After` seconds' },
  errorSchemas: {
    401: v.object({
      detail: v.string(),
      reason: v.pipe(
        v.exactOptional(v.picklist(END_REASONS)),
        v.description(
          'Why the session of this token ended: it was ended elsewhere, by a new `password`, `email` address or second `factor`, because the ' +
            '`account` was deactivated or lost rights, because an older refresh token was `reused`, by the `limit` of sessions, or it `expired`. ' +
            'Absent where that is not known',
        ),
      ),
    }),
  },
  errorHeaders: { 401: { 'Set-Cookie': 'In cookie mode, if the cookie was used: clears the cookies' } },
  async handle(call, services) {
    const { body, cookie, isForged } = call;
    const client = clientOf(call);
    const given = body.refresh_token ?? cookie(REFRESH_COOKIE) ?? '';
    const claim = services.refreshTokens.read(given);
    const session = claim && (await refreshSession(services, claim, client.address()));
    if (session !== null) return answerTokens(services, session, call);
    // A browser that was never logged in sends none.
    if (claim === null && given !== '') services.refreshLimits.noteForgery(client.address());
    if (claim !== null) services.audit.record({ kind: 'refresh.refused', user: null, subject: { id: claim.id }, client });
    // The tokens of a client that sends its own may be in another user's cookies.
    const isByCookie = body.refresh_token === undefined && !isForged;
    const reason = claim && (await services.directory.ask('session.endReason', { id: claim.id, now: services.now().toISOString() }));
    return refuse(reason, isByCookie ? clearingHeaders(services) : []);
  },
});

/** Null if the session has ended, or the token is an older one. */
async function refreshSession({ directory, refreshLimits, now }: Services, claim: RefreshClaim, address: string): Promise<RefreshedSession | null> {
  refreshLimits.take(claim.id, address);
  const session = await directory.ask('session.refresh', { ...claim, now: now().toISOString() });
  if (session !== null) refreshLimits.noteOwner(session.id, session.user_id);
  return session;
}

function refuse(reason: EndReason | null, headers: NonNullable<OperationAnswer['headers']>): OperationAnswer {
  return { ...answer({ detail: REFRESH_FAILED, ...(reason === null ? {} : { reason }) }, [['WWW-Authenticate', 'Bearer'], ...headers]), status: 401 };
}

const list = operation({
  name: 'auth.listSessions',
  method: 'GET',
  path: '/auth/sessions',
  access: 'user',
  tag,
  summary: 'List the caller’s sessions',
  description: 'Oldest first. A user has at most 100 sessions; a further login ends the oldest.',
  success: { status: 200, description: 'The sessions', schema: v.array(LoginSession) },
  async handle({ caller, token }, services) {
    const { sessionId } = await token();
    const sessions = await sessionsOf(services, caller.id);
    return answer(
      sessions.map(({ id, device, address, created_at, last_seen, expires_at }) => {
        return { id, device, address, created_at, last_seen, expires_at, current: id === sessionId };
      }),
    );
  },
});

const endOne = operation({
  name: 'auth.endSession',
  method: 'DELETE',
  path: '/auth/sessions/{session_id}',
  access: 'user',
  tag,
  summary: 'End a session',
  description: 'Its tokens are refused from here on, and its sockets and streams are closed with the code 1008.',
  success: { status: 204, description: 'The session has ended' },
  errors: { 404: 'The caller has no such session' },
  async handle(call, services) {
    const { caller, params, idempotency } = call;
    const client = clientOf(call);
    const id = params['session_id'] ?? '';
    const request = keyedRequest(services, caller.id, idempotency);
    const earlier = await earlierAnswer<'session.end'>(services, request);
    if (earlier !== null) return { json: null, headers: earlier.headers };
    const sessions = await sessionsOf(services, caller.id);
    if (!sessions.some((session) => session.id === id)) throw new AppError('not_found', 'Session not found');
    const event = { kind: 'session.ended', user: caller, client, subject: { id } } as const;
    const input = { user_id: caller.id, id, ended_at: services.now().toISOString() };
    const { headers } = await changeOnce(services, request, 'session.end', input, event);
    return { json: null, headers };
  },
});

const endOthers = operation({
  name: 'auth.endOtherSessions',
  method: 'DELETE',
  path: '/auth/sessions',
  access: 'user',
  tag,
  summary: 'End all other sessions',
  description:
    'Every session of the caller but that of the request ends, as with `DELETE /auth/sessions/{session_id}`, and so do ' +
    'tokens of before there were sessions.',
  success: { status: 204, description: 'The sessions have ended' },
  async handle(call, services) {
    const { caller, token, idempotency } = call;
    const client = clientOf(call);
    const { sessionId } = await token();
    const request = keyedRequest(services, caller.id, idempotency);
    const input = { user_id: caller.id, keep: sessionId, now: services.now().toISOString() };
    const { headers } = await changeOnce(services, request, 'session.endOthers', input, { kind: 'sessions.ended', user: caller, client });
    return { json: null, headers };
  },
});

export const sessionOperations: readonly Operation[] = [refresh, list, endOne, endOthers];

function sessionsOf({ directory, now }: Services, user_id: string): Promise<Session[]> {
  return directory.ask('session.list', { user_id, now: now().toISOString() });
}
