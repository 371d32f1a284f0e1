/**
 * Limits refreshes: each writes to the directory, and a client needs one in the lifetime of an access token. Token buckets
 * for the session, its user and the network, in memory, for each instance.
 */
import { AppError } from '../../domain/errors.js';
import type { Uuid } from '../../domain/ids.js';
import { BoundedMap } from '../../flow/boundedMap.js';
import { TokenBuckets, type Rate } from '../../flow/tokenBuckets.js';
import { networkOf } from './network.js';
import { RecentFailures } from './recentFailures.js';

/** Thirty tabs that wake up together each send the same token. */
export const REFRESHES_PER_SESSION: Rate = { burst: 30, perSecond: 30 / 60 };
export const REFRESHES_PER_USER: Rate = { burst: 120, perSecond: 120 / 60 };
/** A company behind one address, on a Monday morning. */
export const REFRESHES_PER_NETWORK: Rate = { burst: 1_200, perSecond: 600 / 60 };
/** Tokens that we did not issue, from one network: a new `JWT_SECRET` makes one of each browser. */
const FORGERIES = { limit: 60, windowMs: 60_000, maxKeys: 50_000 } as const;

/** About 10 MB of each kind when full. Beyond it the least recent goes: to cause that, an attacker needs as many sessions within a minute. */
const MAX_KEYS = 50_000;

export class RefreshLimits {
  readonly #now: () => number;
  readonly #sessions: TokenBuckets;
  readonly #users: TokenBuckets;
  readonly #networks: TokenBuckets;
  readonly #forgeries = new RecentFailures(FORGERIES);
  /** The users of sessions, the least recently refreshed first. */
  readonly #owners = new BoundedMap<Uuid, Uuid>(MAX_KEYS);

  /** `now`: monotonic, in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    const options = { now, maxOwners: MAX_KEYS };
    this.#sessions = new TokenBuckets(REFRESHES_PER_SESSION, options);
    this.#users = new TokenBuckets(REFRESHES_PER_USER, options);
    this.#networks = new TokenBuckets(REFRESHES_PER_NETWORK, options);
  }

  /** Before the directory is asked about a token that we issued. Throws `too_many`; a refused refresh is not counted. */
  take(sessionId: Uuid, address: string): void {
    const owner = this.#owners.get(sessionId);
    const network = networkOf(address);
    const wait = Math.max(this.#sessions.wait(sessionId), owner === undefined ? 0 : this.#users.wait(owner), this.#networks.wait(network));
    if (wait > 0) throw tooMany(wait);
    this.#sessions.spend(sessionId);
    if (owner !== undefined) this.#users.spend(owner);
    this.#networks.spend(network);
  }

  /** The token names the session alone, so the first refresh of a session counts for its user when the directory has answered. */
  noteOwner(sessionId: Uuid, userId: Uuid): void {
    if (this.#owners.get(sessionId) !== userId) this.#users.spend(userId);
    this.#owners.set(sessionId, userId);
  }

  /** A token that we did not issue. Throws `too_many`; tokens that we issued stay good. */
  noteForgery(address: string): void {
    const [network, now] = [networkOf(address), this.#now()];
    const waitMs = this.#forgeries.wait(network, now);
    if (waitMs > 0) throw tooMany(waitMs / 1000);
    this.#forgeries.add(network, now);
  }
}

function tooMany(seconds: number): AppError {
  return new AppError('too_many', 'Too many refreshes; try again later', { retryAfter: Math.ceil(seconds) });
}
