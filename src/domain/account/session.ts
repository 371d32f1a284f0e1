/** Logins that stay: a session lives from a login until its end, and its refresh token is replaced with each use. */
import type { Uuid } from '../ids.js';

export interface Session extends LiveSession {
  readonly user_id: Uuid;
  /** Of the current refresh token. */
  readonly generation: number;
  /** What the client calls itself at the login. */
  readonly device: string;
  /** Of the client at the login. */
  readonly address: string;
  readonly created_at: string;
  /** At most a minute old. */
  readonly last_seen: string;
}

/** What access tokens of a session depend on. */
export interface LiveSession {
  readonly id: Uuid;
  /** When the current refresh token was issued. */
  readonly refreshed_at: string;
  readonly expires_at: string;
}

/** What decides whether the tokens of a user are good. */
export interface LiveSessions {
  /** Tokens without a session that were issued before are invalid. */
  readonly revoked_at: string | null;
  readonly sessions: readonly LiveSession[];
  /** The ids of the API keys. */
  readonly keys: readonly Uuid[];
}

/** A change of sessions, for all instances. A revoked API key is among the `ids` of those that ended. */
export type SessionMessage =
  | { readonly kind: 'ended'; readonly user_id: Uuid; readonly ids: readonly Uuid[]; readonly revoked_at: string | null }
  | { readonly kind: 'renewed'; readonly user_id: Uuid; readonly session: LiveSession };

/**
 * Why a session ended before its time: from another device, by what proves who the user is (password, address, second factor), with
 * the account's rights, by a second use of a refresh token, or by later logins. `expired` is the end at its time.
 */
export const END_REASONS = ['ended', 'password', 'email', 'factor', 'account', 'reused', 'limit', 'expired'] as const;
export type EndReason = (typeof END_REASONS)[number];

/** Kept for the client that comes back with the refresh token. */
export interface EndedSession {
  readonly id: Uuid;
  readonly user_id: Uuid;
  readonly reason: EndReason;
  readonly ended_at: string;
}

/** What a token says about its session. */
export interface TokenOrigin {
  /** The id of the API key if it is one. Null for a token of before there were sessions. */
  readonly sessionId: Uuid | null;
  /** In seconds since the epoch. */
  readonly issuedAt: number;
}

/** Beyond it, a login ends the oldest session. */
export const MAX_SESSIONS_PER_USER = 100;
/** Of a user; of the oldest it is forgotten why they ended. */
export const MAX_ENDED_PER_USER = 100;
/** How long the refresh token before the current one is answered with the current one: two tabs may use the same. */
export const ROTATION_GRACE_MS = 60_000;
/** `last_seen` is not written more often. */
export const LAST_SEEN_MS = 60_000;

/** Whether a token without a session was issued before everything was revoked. */
export function isRevoked({ issuedAt }: TokenOrigin, revokedAt: string | null): boolean {
  return revokedAt !== null && issuedAt * 1000 < Date.parse(revokedAt);
}
