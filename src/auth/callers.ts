/** Who is asking: from a token to the user it speaks for, as that user is now. */
import type { DirectoryPort } from '../domain/directoryCommands.js';
import { AppError } from '../domain/errors.js';
import type { Uuid } from '../domain/ids.js';
import type { PublicUser } from '../domain/user.js';
import { AUTH_COOKIE, readCookie } from './cookie.js';
import type { Tokens, VerifiedToken } from './tokens.js';

/** About 5 MB. Users beyond it are asked for again, which costs one ask. */
const REMEMBERED_USERS = 10_000;

const NOT_AUTHENTICATED = 'Not authenticated';

export class Callers {
  readonly #tokens: Tokens;
  readonly #directory: DirectoryPort;
  readonly #users = new Map<Uuid, PublicUser>();
  /** Grows with every `forget`: an answer that left the directory before a change must not be remembered after it. */
  #generation = 0;

  constructor(tokens: Tokens, directory: DirectoryPort) {
    this.#tokens = tokens;
    this.#directory = directory;
  }

  /** The token that a request carries; the header wins over the cookie. */
  static credential(authorization: string, cookie: string): string | null {
    if (authorization !== '') {
      const space = authorization.indexOf(' ');
      const isBearer = authorization.slice(0, space).toLowerCase() === 'bearer';
      return isBearer ? authorization.slice(space + 1).trim() : '';
    }
    return cookie === '' ? null : (readCookie(cookie, AUTH_COOKIE) ?? null);
  }

  /** Answers at once, without a promise, for a token and a user it has seen: the path of nearly every request. */
  identify(credential: string | null): PublicUser | Promise<PublicUser> {
    if (credential === null) throw new AppError('unauthenticated', NOT_AUTHENTICATED);
    const known = this.#tokens.peek(credential);
    const user = known && this.#users.get(known.userId);
    return user ?? this.#lookUp(known ?? this.#tokens.verify(credential));
  }

  /** The user changed: ask the directory again next time. */
  forget(userId: Uuid): void {
    this.#generation += 1;
    this.#users.delete(userId);
  }

  forgetAll(): void {
    this.#generation += 1;
    this.#users.clear();
  }

  async #lookUp(token: VerifiedToken | Promise<VerifiedToken>): Promise<PublicUser> {
    const { userId } = await token;
    const generation = this.#generation;
    const user = this.#users.get(userId) ?? (await this.#directory.ask('user.get', { id: userId }));
    if (user === null || !user.is_active) throw new AppError('unauthenticated', 'The user is unknown or deactivated');
    if (generation === this.#generation) this.#remember(user);
    return user;
  }

  #remember(user: PublicUser): void {
    const oldest = this.#users.keys().next();
    if (this.#users.size >= REMEMBERED_USERS && !oldest.done) this.#users.delete(oldest.value);
    this.#users.set(user.id, user);
  }
}
