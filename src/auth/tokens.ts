/**
 * Access tokens: JWTs signed with a shared secret. Only tokens of exactly the shape that we issue are accepted.
 * Verifying a signature costs an await and tens of microseconds, so verified tokens are cached until they expire.
 */
// From the parts that are used: the whole library is four times as many modules to load at each start.
import { JOSEError, JWTExpired } from 'jose/errors';
import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';
import type { JWTPayload } from 'jose';
import type { KeyRights } from '../domain/account/apiKey.js';
import { AppError } from '../domain/errors.js';
import { parseUuid } from '../domain/ids.js';
import type { Uuid } from '../domain/ids.js';
import type { LiveSession, TokenOrigin } from '../domain/account/session.js';

export type TokenAlgorithm = 'HS256' | 'HS384' | 'HS512';

export interface TokenSettings {
  readonly secret: string;
  readonly algorithm: TokenAlgorithm;
  readonly lifetimeSeconds: number;
  readonly audience: string;
  readonly maxRemembered?: number;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

export interface VerifiedToken extends TokenOrigin {
  readonly userId: Uuid;
  /** In seconds since the epoch. From this second on the token is invalid. */
  readonly expiresAt: number;
  /** What it may do, if it is an API key. */
  readonly key: KeyRights | null;
}

export interface Tokens {
  /** Of an access token. */
  readonly lifetimeMs: number;
  /** The token of a session is the same for every call until the session is refreshed. */
  issue(userId: Uuid, session?: LiveSession): Promise<string>;
  /** Rejects with `unauthenticated`. Does not check whether the user is active and the session has not ended. */
  verify(token: string): Promise<VerifiedToken>;
  /** The cached result of `verify`, without an await. */
  peek(token: string): VerifiedToken | undefined;
}

/** Ours have about 300 characters; the rest is room for a longer audience. */
const MAX_TOKEN_CHARACTERS = 4096;
/** About 10 MB when full: twice the connections that one instance is meant to hold. */
const DEFAULT_MAX_REMEMBERED = 20_000;
/** Another instance's clock may be this far ahead. */
const CLOCK_SKEW_SECONDS = 30;

/** The alphabet is checked first, because lenient base64 decoders would accept many spellings of one token. */
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;

export function createTokens(settings: TokenSettings): Tokens {
  const { algorithm, audience, lifetimeSeconds, maxRemembered = DEFAULT_MAX_REMEMBERED, now = Date.now } = settings;
  const key = new TextEncoder().encode(settings.secret);
  const remembered = new RememberedTokens(maxRemembered);
  const nowSeconds = (): number => Math.floor(now() / 1000);

  async function verifyAnew(token: string): Promise<VerifiedToken> {
    const payload = await checkSignature(token);
    const verified = readClaims(payload, audience, nowSeconds());
    remembered.add(token, verified, nowSeconds());
    return verified;
  }

  async function checkSignature(token: string): Promise<JWTPayload> {
    try {
      const options = { algorithms: [algorithm], requiredClaims: ['exp'], currentDate: new Date(now()) };
      return (await jwtVerify(token, key, options)).payload;
    } catch (error) {
      // The library's error is not kept as the cause: it carries the claims, which belong in no log.
      if (error instanceof JWTExpired) throw refused('The token has expired');
      if (error instanceof JOSEError) throw refused();
      throw error;
    }
  }

  return {
    lifetimeMs: lifetimeSeconds * 1000,

    issue(userId, session) {
      const iat = session === undefined ? nowSeconds() : secondsOf(session.refreshed_at);
      const exp = session === undefined ? iat + lifetimeSeconds : accessExpiry(session, lifetimeSeconds);
      return new SignJWT({ sub: userId, aud: [audience], iat, exp, ...(session === undefined ? {} : { sid: session.id }) })
        .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
        .sign(key);
    },

    async verify(token) {
      if (token.length > MAX_TOKEN_CHARACTERS || !COMPACT_JWS.test(token)) throw refused();
      return remembered.find(token, nowSeconds()) ?? verifyAnew(token);
    },

    peek: (token) => remembered.find(token, nowSeconds()),
  };
}

/** When the latest access token of a session expires, in seconds since the epoch. */
export function accessExpiry({ refreshed_at, expires_at }: LiveSession, lifetimeSeconds: number): number {
  return Math.min(secondsOf(refreshed_at) + lifetimeSeconds, secondsOf(expires_at));
}

function secondsOf(time: string): number {
  return Math.floor(Date.parse(time) / 1000);
}

function readClaims(payload: JWTPayload, audience: string, nowSeconds: number): VerifiedToken {
  const { aud, exp, iat, sub, sid } = payload;
  if (!Array.isArray(aud) || aud.length !== 1 || aud[0] !== audience) throw refused();
  if (exp === undefined || !Number.isSafeInteger(exp)) throw refused();
  if (iat !== undefined && iat > nowSeconds + CLOCK_SKEW_SECONDS) throw refused();
  const userId = typeof sub === 'string' ? parseUuid(sub) : undefined;
  const sessionId = typeof sid === 'string' ? parseUuid(sid) : sid === undefined ? null : undefined;
  if (userId === undefined || sessionId === undefined) throw refused();
  return { userId, sessionId, issuedAt: iat ?? 0, expiresAt: exp, key: null };
}

function refused(detail = 'Could not validate credentials'): AppError {
  return new AppError('unauthenticated', detail);
}

/**
 * Keyed by the whole token, so only the verified string itself is found. When full, the oldest is dropped, which costs
 * its user one verification.
 */
class RememberedTokens {
  readonly #tokens = new Map<string, VerifiedToken>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  find(token: string, nowSeconds: number): VerifiedToken | undefined {
    const verified = this.#tokens.get(token);
    if (verified === undefined || verified.expiresAt > nowSeconds) return verified;
    this.#tokens.delete(token);
    return undefined;
  }

  add(token: string, verified: VerifiedToken, nowSeconds: number): void {
    for (const [oldest, { expiresAt }] of this.#tokens) {
      if (expiresAt > nowSeconds && this.#tokens.size < this.#max) break;
      this.#tokens.delete(oldest);
    }
    this.#tokens.set(token, verified);
  }
}
