/** Resolves a token or an API key to its user in the current state. */
import type { KeyRights } from '../domain/account/apiKey.js';
import type { DirectoryCommands, DirectoryPort } from '../domain/commands/directoryCommands.js';
import { AppError } from '../domain/errors.js';
import type { Uuid } from '../domain/ids.js';
import { BoundedMap } from '../flow/boundedMap.js';
import type { Remembrance } from '../domain/ports/remembrance.js';
import { isRevoked } from '../domain/account/session.js';
import { toAccount, type Account, type PublicUser } from '../domain/account/user.js';
import { isApiKey } from './apiKeys.js';
import { AUTH_COOKIE, readCookie } from './cookie.js';
import { KnownKeys, unknownKey } from './knownKeys.js';
import type { Tokens, VerifiedToken } from './tokens.js';

/** About 5 MB. Further users cost one ask each. */
const REMEMBERED_USERS = 10_000;

/** Of one user: a user who begins and ends sessions all day must not fill the memory. A forgotten one costs an ask. */
const REMEMBERED_ENDS = 1_000;

const NOT_AUTHENTICATED = 'Not authenticated';
const BEARER = 'bearer';

/** Who calls, and with which rights. */
export interface Caller {
  readonly user: Account;
  /** Null unless the credential is an API key. */
  readonly key: KeyRights | null;
}

interface Remembered {
  /** Without a key: one object for all requests. */
  readonly caller: Caller;
  readonly revokedAt: string | null;
  /** The live sessions and API keys. */
  readonly sessions: ReadonlySet<Uuid>;
  /** Sessions that were found to have ended. An id is never used again. */
  readonly ended: Set<Uuid>;
  /** The value of `#doubts` when the user was read. */
  readonly doubts: number;
  /** In milliseconds since 1970. */
  readonly readAt: number;
}

/** `unknown`: the session is newer than the cached user, or has ended. */
type Standing = 'good' | 'ended' | 'unknown';

export class Callers {
  readonly #tokens: Tokens;
  readonly #directory: DirectoryPort;
  readonly #now: () => number;
  readonly #remembrance: Remembrance | null;
  readonly #keys: KnownKeys;
  readonly #users = new BoundedMap<Uuid, Remembered>(REMEMBERED_USERS);
  /** Sessions and API keys whose tokens were used since they were last taken. */
  #seen = new Set<Uuid>();
  /** Rises with every `forget`: an answer that left the directory before a change must not be cached after it. */
  #generation = 0;
  #doubts = 0;

  /** `remembrance`: null if the directory is in this process alone. */
  constructor(tokens: Tokens, directory: DirectoryPort, remembrance: Remembrance | null = null, now = Date.now) {
    this.#tokens = tokens;
    this.#directory = directory;
    this.#now = now;
    this.#remembrance = remembrance;
    this.#keys = new KnownKeys(directory);
  }

  /**
   * The token of a request; a Bearer header takes precedence over the cookie. A header of another scheme is meant for
   * something on the way, such as a proxy with its own passwords, and is ignored.
   */
  static credential(authorization: string, cookie: string): string | null {
    const bearer = Callers.bearer(authorization);
    if (bearer !== null) return bearer;
    const token = cookie === '' ? undefined : readCookie(cookie, AUTH_COOKIE);
    return token ?? (authorization === '' ? null : '');
  }

  /** Null for a header of another scheme. */
  static bearer(authorization: string): string | null {
    const space = authorization.indexOf(' ');
    const scheme = space < 0 ? authorization : authorization.slice(0, space);
    return scheme.toLowerCase() === BEARER ? authorization.slice(scheme.length).trim() : null;
  }

  /** Answers without a promise for a known token and user: the path of nearly every request. */
  identify(credential: string | null): Caller | Promise<Caller> {
    if (credential === null) throw new AppError('unauthenticated', NOT_AUTHENTICATED);
    // Most are access tokens.
    const known = this.#tokens.peek(credential) ?? (isApiKey(credential) ? this.#keys.peek(credential) : undefined);
    const remembered = known && this.#current(known.userId);
    if (known !== undefined && remembered !== undefined && standingOf(known, remembered) === 'good') {
      return this.#accept(known, remembered);
    }
    return this.#lookUp(known ?? this.#issuerOf(credential).verify(credential));
  }

  /** The same with the token. */
  async verify(credential: string | null): Promise<{ readonly user: PublicUser; readonly token: VerifiedToken }> {
    const { user } = await this.identify(credential);
    return { user, token: await this.#issuerOf(credential ?? '').verify(credential ?? '') };
  }

  #issuerOf(credential: string): Pick<Tokens, 'verify'> {
    return isApiKey(credential) ? this.#keys : this.#tokens;
  }

  /** The user or a session changed: the next request asks the directory again. */
  forget(userId: Uuid): void {
    this.#generation += 1;
    this.#users.delete(userId);
  }

  /**
   * Changes may have been lost: every user is read again. If the directory cannot be reached, the cached user is
   * accepted where instances share a folder, so that one that is cut off continues to serve its boards. It may honour a
   * session that has ended, until the access token expires or `Remembrance` ends. With replicated partitions it is refused.
   */
  doubtAll(): void {
    this.#generation += 1;
    this.#doubts += 1;
  }

  /** The sessions and API keys that were used since the last call. */
  takeSeen(): Uuid[] {
    const seen = [...this.#seen];
    this.#seen = new Set();
    return seen;
  }

  async #lookUp(verified: VerifiedToken | Promise<VerifiedToken>): Promise<Caller> {
    const token = await verified;
    const remembered = this.#current(token.userId);
    const standing = remembered === undefined ? 'unknown' : standingOf(token, remembered);
    if (remembered === undefined || standing === 'unknown') return this.#ask(token);
    if (standing === 'ended') throw ended(token);
    return this.#accept(token, remembered);
  }

  /** An API key has no token that expires soon: without the directory it is good for as long as a token would be. */
  #isOutlived({ key }: VerifiedToken, { readAt }: Remembered): boolean {
    return key !== null && this.#now() - readAt > this.#tokens.lifetimeMs;
  }

  #current(userId: Uuid): Remembered | undefined {
    if (this.#remembrance !== null && !this.#remembrance.isCurrent()) return undefined;
    const remembered = this.#users.get(userId);
    return remembered?.doubts === this.#doubts ? remembered : undefined;
  }

  async #ask(token: VerifiedToken): Promise<Caller> {
    const { userId: id, sessionId } = token;
    const generation = this.#generation;
    let user: DirectoryCommands['user.get']['output'];
    try {
      user = await this.#directory.ask('user.get', { id, with: 'sessions' });
    } catch (error) {
      const remembered = this.#users.get(id);
      if (remembered === undefined || !(error instanceof AppError) || error.code !== 'unavailable') throw error;
      if (this.#remembrance?.isUsable() === false) throw error;
      if (standingOf(token, remembered) !== 'good' || this.#isOutlived(token, remembered)) throw error;
      return callerOf(token, remembered);
    }
    if (user === null || !user.is_active) {
      this.#users.delete(id);
      throw new AppError('unauthenticated', 'The user is unknown or deactivated');
    }
    const { live } = user;
    const sessions = new Set([...(live?.sessions ?? []).map((session) => session.id), ...(live?.keys ?? [])]);
    const read = {
      caller: { user: toAccount(user), key: null },
      revokedAt: live?.revoked_at ?? null,
      sessions,
      ended: new Set(this.#users.get(id)?.ended),
      doubts: this.#doubts,
      readAt: this.#now(),
    };
    // Otherwise what was cached stays in doubt, for the case that the directory is out of reach at the next request.
    if (generation === this.#generation) this.#users.set(id, read);
    if (standingOf(token, read) === 'good') return this.#accept(token, read);
    if (sessionId !== null) rememberEnd(read.ended, sessionId);
    throw ended(token);
  }

  #accept(token: VerifiedToken, remembered: Remembered): Caller {
    if (token.sessionId !== null) this.#seen.add(token.sessionId);
    return callerOf(token, remembered);
  }
}

function standingOf(token: VerifiedToken, { sessions, ended, revokedAt }: Remembered): Standing {
  const { sessionId } = token;
  if (sessionId === null) return isRevoked(token, revokedAt) ? 'ended' : 'good';
  if (sessions.has(sessionId)) return 'good';
  return ended.has(sessionId) ? 'ended' : 'unknown';
}

function rememberEnd(ends: Set<Uuid>, id: Uuid): void {
  const oldest = ends.values().next();
  if (ends.size >= REMEMBERED_ENDS && !oldest.done) ends.delete(oldest.value);
  ends.add(id);
}

function callerOf({ key }: VerifiedToken, { caller }: Remembered): Caller {
  return key === null ? caller : { user: caller.user, key };
}

function ended({ key }: VerifiedToken): AppError {
  return key === null ? new AppError('unauthenticated', 'The session has ended') : unknownKey();
}
