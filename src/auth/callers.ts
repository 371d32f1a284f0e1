/** Resolves a token to its user in the current state. */
import type { DirectoryPort } from '../domain/commands/directoryCommands.js';
import { AppError } from '../domain/errors.js';
import type { Uuid } from '../domain/ids.js';
import type { PublicUser } from '../domain/user.js';
import { AUTH_COOKIE, readCookie } from './cookie.js';
import type { Tokens, VerifiedToken } from './tokens.js';

/** About 5 MB. Further users cost one ask each. */
const REMEMBERED_USERS = 10_000;

const NOT_AUTHENTICATED = 'Not authenticated';

interface Remembered {
  readonly user: PublicUser;
  /** The value of `#doubts` when the user was read. */
  readonly doubts: number;
}

export class Callers {
  readonly #tokens: Tokens;
  readonly #directory: DirectoryPort;
  readonly #users = new Map<Uuid, Remembered>();
  /** Rises with every `forget`: an answer that left the directory before a change must not be cached after it. */
  #generation = 0;
  #doubts = 0;

  constructor(tokens: Tokens, directory: DirectoryPort) {
    this.#tokens = tokens;
    this.#directory = directory;
  }

  /**
   * The token of a request; a Bearer header takes precedence over the cookie. A header of another scheme is meant for
   * something on the way, such as a proxy with its own passwords, and is ignored.
   */
  static credential(authorization: string, cookie: string): string | null {
    const space = authorization.indexOf(' ');
    const scheme = space < 0 ? authorization : authorization.slice(0, space);
    if (scheme.toLowerCase() === 'bearer') return authorization.slice(scheme.length).trim();
    const token = cookie === '' ? undefined : readCookie(cookie, AUTH_COOKIE);
    return token ?? (authorization === '' ? null : '');
  }

  /** Answers without a promise for a known token and user: the path of nearly every request. */
  identify(credential: string | null): PublicUser | Promise<PublicUser> {
    if (credential === null) throw new AppError('unauthenticated', NOT_AUTHENTICATED);
    const known = this.#tokens.peek(credential);
    const user = known && this.#current(known.userId);
    return user ?? this.#lookUp(known ?? this.#tokens.verify(credential));
  }

  /** The user changed: the next request asks the directory again. */
  forget(userId: Uuid): void {
    this.#generation += 1;
    this.#users.delete(userId);
  }

  /**
   * Changes may have been lost: every user is read again. If the directory cannot be reached, the cached user is
   * accepted, so an instance that is cut off from the directory continues to serve its boards.
   */
  doubtAll(): void {
    this.#generation += 1;
    this.#doubts += 1;
  }

  async #lookUp(token: VerifiedToken | Promise<VerifiedToken>): Promise<PublicUser> {
    const { userId } = await token;
    return this.#current(userId) ?? this.#ask(userId);
  }

  #current(userId: Uuid): PublicUser | undefined {
    const remembered = this.#users.get(userId);
    return remembered?.doubts === this.#doubts ? remembered.user : undefined;
  }

  async #ask(id: Uuid): Promise<PublicUser> {
    const generation = this.#generation;
    let user: PublicUser | null;
    try {
      user = await this.#directory.ask('user.get', { id });
    } catch (error) {
      const remembered = this.#users.get(id);
      if (remembered === undefined || !(error instanceof AppError) || error.code !== 'unavailable') throw error;
      return remembered.user;
    }
    if (user === null || !user.is_active) {
      this.#users.delete(id);
      throw new AppError('unauthenticated', 'The user is unknown or deactivated');
    }
    // Otherwise what was cached stays in doubt, for the case that the directory is out of reach at the next request.
    if (generation === this.#generation) this.#remember(user);
    return user;
  }

  #remember(user: PublicUser): void {
    this.#users.delete(user.id);
    const oldest = this.#users.keys().next();
    if (this.#users.size >= REMEMBERED_USERS && !oldest.done) this.#users.delete(oldest.value);
    this.#users.set(user.id, { user, doubts: this.#doubts });
  }
}
