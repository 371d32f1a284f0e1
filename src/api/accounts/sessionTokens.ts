/** The tokens of a session, as a login or a refresh answers them. */
import { authCookie, clearedCookies, clearedSsoSessionCookies, refreshCookies } from '../../auth/cookie.js';
import type { AuditDetails } from '../../domain/audit.js';
import type { RefreshedSession } from '../../domain/commands/directoryCommands.js';
import type { User } from '../../domain/account/user.js';
import { clientOf } from '../operation/audited.js';
import { answer, type OperationAnswer, type Services } from '../operation/operation.js';
import { DAY_MS } from '../../domain/content/time.js';

const MAX_DEVICE_CHARACTERS = 200;

type Headers = NonNullable<OperationAnswer['headers']>;

/** Who gets a session. `revoked_at`: as it was when the user was identified. */
export type SessionUser = Pick<User, 'id' | 'username' | 'is_superuser' | 'revoked_at'>;

export interface Client {
  readonly userAgent: string;
  readonly address: () => string;
  readonly isForged: boolean;
}

/** The new session of a user who has proven who they are; `how` is for the audit log. */
export async function openSession(services: Services, user: SessionUser, call: Client, how: AuditDetails): Promise<RefreshedSession> {
  const client = clientOf(call);
  const event = { kind: 'login', user, client, details: how } as const;
  const { directory, config, ids } = services;
  const now = services.now();
  const expires_at = new Date(now.getTime() + config.sessionLifetimeDays * DAY_MS).toISOString();
  const session = { id: ids.fresh(), user_id: user.id, expires_at };
  const input = {
    ...session,
    device: client.userAgent.slice(0, MAX_DEVICE_CHARACTERS),
    address: client.address(),
    revoked_at: user.revoked_at,
    now: now.toISOString(),
  };
  await services.audit.along(event, (entry) => directory.ask('session.create', input, entry));
  return { ...session, generation: 1, refreshed_at: now.toISOString() };
}

interface SessionTokens {
  readonly access: string;
  readonly refresh: string;
  /** Until the session expires. */
  readonly restSeconds: number;
}

export async function answerTokens(services: Services, session: RefreshedSession, { isForged }: Client): Promise<OperationAnswer> {
  const issued = await issueTokens(services, session);
  const body = { access_token: issued.access, token_type: 'bearer', refresh_token: issued.refresh };
  return answer(body, tokenHeaders(services, issued, isForged));
}

/** For a login that ends with a redirect, which has no body. */
export async function sessionCookies(services: Services, session: RefreshedSession): Promise<{ cookies: Headers; restSeconds: number }> {
  const issued = await issueTokens(services, session);
  return { cookies: tokenHeaders(services, issued, false), restSeconds: issued.restSeconds };
}

async function issueTokens({ tokens, refreshTokens }: Services, session: RefreshedSession): Promise<SessionTokens> {
  const restSeconds = Math.floor((Date.parse(session.expires_at) - Date.parse(session.refreshed_at)) / 1000);
  return { access: await tokens.issue(session.user_id, session), refresh: refreshTokens.issue(session), restSeconds };
}

function tokenHeaders(services: Services, { access, refresh, restSeconds }: SessionTokens, isForged: boolean): Headers {
  return cookieHeaders(services, isForged, (secure) => [
    authCookie(access, { secure, maxAge: Math.min(services.config.jwtLifetimeSeconds, restSeconds) }),
    ...refreshCookies(refresh, { secure, maxAge: restSeconds }),
  ]);
}

export function clearingHeaders(services: Services): Headers {
  return cookieHeaders(services, false, (secure) => [
    ...clearedCookies({ secure }),
    ...(services.sso === null ? [] : clearedSsoSessionCookies({ secure })),
  ]);
}

/** A page of another origin must not log its visitor in to the account of an attacker. */
function cookieHeaders({ config }: Services, isForged: boolean, cookies: (secure: boolean) => string[]): Headers {
  if (config.authMode !== 'cookie' || isForged) return [];
  return cookies(config.environment === 'production').map((cookie) => ['Set-Cookie', cookie] as const);
}
