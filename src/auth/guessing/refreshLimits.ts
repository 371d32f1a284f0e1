/**
 * Limits refreshes: each writes to the directory, and a client needs one in the lifetime of an access token. Token buckets
 * for the session, its user and the network, in memory, for each instance.
 */
import { AppError } from '../../domain/errors.js';
import type { Uuid } from '../../domain/ids.js';
import { networkOf } from './network.js';
import { RecentFailures } from './recentFailures.js';

export interface BucketRule {
  /** How many at once after a pause. */
  readonly burst: number;
  /** How many in a minute thereafter. */
  readonly perMinute: number;
}

/** Thirty tabs that wake up together each send the same token. */
export const REFRESHES_PER_SESSION: BucketRule = { burst: 30, perMinute: 30 };
export const REFRESHES_PER_USER: BucketRule = { burst: 120, perMinute: 120 };
/** A company behind one address, on a Monday morning. */
export const REFRESHES_PER_NETWORK: BucketRule = { burst: 1_200, perMinute: 600 };
/** Tokens that we did not issue, from one network: a new `JWT_SECRET` makes one of each browser. */
const FORGERIES = { limit: 60, windowMs: 60_000, maxKeys: 50_000 } as const;

const MINUTE_MS = 60_000;
/** About 10 MB of each kind when full. */
const MAX_KEYS = 50_000;

export class RefreshLimits {
  readonly #now: () => number;
  readonly #sessions = new Buckets(REFRESHES_PER_SESSION);
  readonly #users = new Buckets(REFRESHES_PER_USER);
  readonly #networks = new Buckets(REFRESHES_PER_NETWORK);
  readonly #forgeries = new RecentFailures(FORGERIES);
  /** The users of sessions, the least recently refreshed first. */
  readonly #owners = new Map<Uuid, Uuid>();

  /** `now`: monotonic, in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Before the directory is asked about a token that we issued. Throws `too_many`; a refused refresh is not counted. */
  take(sessionId: Uuid, address: string): void {
    const now = this.#now();
    const owner = this.#owners.get(sessionId);
    const network = networkOf(address);
    const waitMs = Math.max(
      this.#sessions.wait(sessionId, now),
      owner === undefined ? 0 : this.#users.wait(owner, now),
      this.#networks.wait(network, now),
    );
    if (waitMs > 0) throw tooMany(waitMs);
    this.#sessions.take(sessionId, now);
    if (owner !== undefined) this.#users.take(owner, now);
    this.#networks.take(network, now);
  }

  /** The token names the session alone, so the first refresh of a session counts for its user when the directory has answered. */
  noteOwner(sessionId: Uuid, userId: Uuid): void {
    if (this.#owners.get(sessionId) !== userId) this.#users.take(userId, this.#now());
    keepLatest(this.#owners, sessionId, userId);
  }

  /** A token that we did not issue. Throws `too_many`; tokens that we issued stay good. */
  noteForgery(address: string): void {
    const [network, now] = [networkOf(address), this.#now()];
    const waitMs = this.#forgeries.wait(network, now);
    if (waitMs > 0) throw tooMany(waitMs);
    this.#forgeries.add(network, now);
  }
}

class Buckets {
  readonly #rule: BucketRule;
  /** The least recently used first. */
  readonly #levels = new Map<string, { readonly left: number; readonly at: number }>();

  constructor(rule: BucketRule) {
    this.#rule = rule;
  }

  /** Milliseconds until one can be taken. */
  wait(key: string, now: number): number {
    return (Math.max(0, 1 - this.#left(key, now)) * MINUTE_MS) / this.#rule.perMinute;
  }

  take(key: string, now: number): void {
    keepLatest(this.#levels, key, { left: Math.max(0, this.#left(key, now) - 1), at: now });
  }

  #left(key: string, now: number): number {
    const { burst, perMinute } = this.#rule;
    const { left, at } = this.#levels.get(key) ?? { left: burst, at: now };
    return Math.min(burst, left + ((now - at) * perMinute) / MINUTE_MS);
  }
}

/** Beyond the bound the least recent goes: whoever wants that needs as many sessions within a minute. */
function keepLatest<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  const [oldest] = map.keys();
  if (map.size >= MAX_KEYS && oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}

function tooMany(waitMs: number): AppError {
  return new AppError('too_many', 'Too many refreshes; try again later', { retryAfter: Math.ceil(waitMs / 1000) });
}
