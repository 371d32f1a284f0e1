/** Who is asking: from a token to the user it speaks for, as that user is now. */
import type { DirectoryPort } from '../domain/commands/directoryCommands.js';
import { AppError } from '../domain/errors.js';
import type { Uuid } from '../domain/ids.js';
import type { PublicUser } from '../domain/user.js';
import { AUTH_COOKIE, readCookie } from './cookie.js';
import type { Tokens, VerifiedToken } from './tokens.js';

/** About 5 MB. Users beyond it are asked for again, which costs one ask. */
const REMEMBERED_USERS = 10_000;

const NOT_AUTHENTICATED = 'Not authenticated';

interface Remembered {
  readonly user: PublicUser;
  /** How often all users were in doubt before. */
  readonly doubts: number;
}

export class Callers {
  readonly #tokens: Tokens;
  readonly #directory: DirectoryPort;
  readonly #users = new Map<Uuid, Remembered>();
  /** Grows with every `forget`: an answer that left the directory before a change must not be remembered after it. */
  #generation = 0;
  #doubts = 0;

  constructor(tokens: Tokens, directory: DirectoryPort) {
    this.#tokens = tokens;
    this.#directory = directory;
  }

  /**
   * The token that a request carries; the header wins over the cookie. Another scheme than `Bearer` is meant for someone
   * on the way here, such as a proxy with passwords of its own, and stands in the way of no cookie.
   */
  static credential(authorization: string, cookie: string): string | null {
    const space = authorization.indexOf(' ');
    const scheme = space < 0 ? authorization : authorization.slice(0, space);
    if (scheme.toLowerCase() === 'bearer') return authorization.slice(scheme.length).trim();
    const token = cookie === '' ? undefined : readCookie(cookie, AUTH_COOKIE);
    return token ?? (authorization === '' ? null : '');
  }

  /** Answers at once, without a promise, for a token and a user it has seen: the path of nearly every request. */
  identify(credential: string | null): PublicUser | Promise<PublicUser> {
    if (credential === null) throw new AppError('unauthenticated', NOT_AUTHENTICATED);
    const known = this.#tokens.peek(credential);
    const user = known && this.#current(known.userId);
    return user ?? this.#lookUp(known ?? this.#tokens.verify(credential));
  }

  /** The user changed: ask the directory again next time. */
  forget(userId: Uuid): void {
    this.#generation += 1;
    this.#users.delete(userId);
  }

  /**
   * Changes may have gone unheard: every user is asked for again. One who cannot be is believed to be as before, so
   * that an instance that is cut off from the directory goes on to serve its boards.
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
    const before = this.#users.get(id);
    try {
      const user = await this.#directory.ask('user.get', { id });
      this.#users.delete(id);
      if (user === null || !user.is_active) throw new AppError('unauthenticated', 'The user is unknown or deactivated');
      if (generation === this.#generation) this.#remember(user);
      return user;
    } catch (error) {
      if (before === undefined || !(error instanceof AppError) || error.code !== 'unavailable') throw error;
      return before.user;
    }
  }

  #remember(user: PublicUser): void {
    const oldest = this.#users.keys().next();
    if (this.#users.size >= REMEMBERED_USERS && !oldest.done) this.#users.delete(oldest.value);
    this.#users.set(user.id, { user, doubts: this.#doubts });
  }
}
