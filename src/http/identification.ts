/** Who calls an operation, and whether the request is really the caller's own. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Operation, OperationAccess } from '../api/operation/operation.js';
import { Callers, type Caller } from '../auth/callers.js';
import type { VerifiedToken } from '../auth/tokens.js';
import { AppError } from '../domain/errors.js';
import type { PublicUser } from '../domain/account/user.js';
import type { Cors } from './cors.js';
import type { Exchange } from './exchange.js';
import type { RequestHead } from './head.js';
import type { OwnOrigin } from './ownOrigin.js';

export interface IdentificationOptions {
  readonly callers: Callers;
  readonly metricsToken: string | null;
  readonly cors: Cors;
  readonly ownOrigin: OwnOrigin;
}

export class Identification {
  readonly #options: IdentificationOptions;

  constructor(options: IdentificationOptions) {
    this.#options = options;
  }

  /** Null if the operation is open to everyone, or has its own secret. */
  identify(head: RequestHead, { access }: Operation, isForged: boolean): Caller | null | Promise<Caller> {
    const { callers, metricsToken } = this.#options;
    const credential = Callers.credential(head.authorization, isForged ? '' : head.cookie);
    if (isOpenTo(access, credential, metricsToken)) return null;
    const caller = callers.identify(credential);
    return head.expectedUser === '' ? caller : expected(caller, head.expectedUser);
  }

  /** Checks the caller again. */
  async tokenOf(head: RequestHead, isForged: boolean): Promise<VerifiedToken> {
    const credential = Callers.credential(head.authorization, isForged ? '' : head.cookie);
    return (await this.#options.callers.verify(credential)).token;
  }

  /**
   * Whether a foreign page tries to change something with its visitor's cookie. A form and a file need no preflight,
   * and `SameSite` keeps out other sites only, not other hosts of the same site. Browsers send `Sec-Fetch-Site`, except
   * older ones and over plain HTTP: then the origin is compared with the requested address. So it is with `none`, which
   * says that no page sent the request: an origin contradicts it.
   */
  isForged(exchange: Exchange): boolean {
    const { cors, ownOrigin } = this.#options;
    const { method, fetchSite, origin } = exchange.head;
    if (method === 'GET' || method === 'HEAD' || fetchSite === 'same-origin') return false;
    // Without either header the request came from no browser, or from one that only `SameSite` protects against.
    if ((fetchSite === '' || fetchSite === 'none') && (origin === '' || ownOrigin.is(exchange))) return false;
    return !cors.names(origin);
  }
}

/** The cookie of a browser belongs to the user who logged in last, in any of its windows. */
function expected(caller: Caller | Promise<Caller>, userId: string): Caller | Promise<Caller> {
  if (caller instanceof Promise) return caller.then((given) => expected(given, userId));
  if (caller.user.id !== userId) throw new AppError('unauthenticated', 'The session is that of another user');
  return caller;
}

/** Whether the operation can be called without a user. */
function isOpenTo(access: OperationAccess, credential: string | null, metricsToken: string | null): boolean {
  if (access !== 'metrics') return access === 'public';
  return metricsToken !== null && credential !== null && isSameSecret(credential, metricsToken);
}

export function requireRank(caller: PublicUser, access: OperationAccess): void {
  const isForSuperusers = access === 'superuser' || access === 'metrics';
  if (isForSuperusers && !caller.is_superuser) throw new AppError('forbidden', 'This is for superusers');
}

/** Constant time, however much of it matches. */
function isSameSecret(given: string, secret: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}
