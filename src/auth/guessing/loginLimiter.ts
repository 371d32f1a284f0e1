/**
 * Limits guesses from one address: a number of failed logins within a sliding window, then none until the oldest has
 * expired. Successes never count, so any number of users behind one address can log in. Accounts that recently logged
 * in from the address are counted separately, so a neighbour's guesses do not lock them out.
 *
 * The limit is checked twice, before the password check and when its result is known. Parallel guesses all pass the
 * first check; the second makes them equal to consecutive guesses: once the limit is reached the rest are refused, even
 * a correct one. (Counting running attempts as failures would also work, but would refuse correct passwords that arrive
 * together.)
 */
import { BoundedMap } from '../../flow/boundedMap.js';
import { networkOf } from './network.js';
import { RecentFailures } from './recentFailures.js';
import { DAY_MS } from '../../domain/content/time.js';

export interface LoginLimiter {
  /** Seconds until the next try; 0 if it may proceed. */
  check(account: string, address: string): number;
  /** Records the result. Unless it returns 0, the caller must refuse without revealing the result. */
  settle(account: string, address: string, outcome: 'succeeded' | 'failed'): number;
  /** Whether a login to the account recently succeeded from this address. */
  isKnown(account: string, address: string): boolean;
}

export interface LoginLimiterOptions {
  readonly limit: number;
  readonly windowSeconds: number;
  /** Bound of remembered keys of each kind. */
  readonly maxKeys?: number;
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
}

/**
 * Every new key costs a password check, and Argon2 allows a few thousand of those a minute: keys expire long before
 * there are so many. Each kind takes about 10 MB when full.
 */
const DEFAULT_MAX_KEYS = 50_000;
/** No e-mail address or username is longer, so two existing accounts never share a key. */
const MAX_KEY_CHARACTERS = 320;
/** A week: a user who works at the same place every day stays known. */
const KNOWN_MS = 7 * DAY_MS;

export function createLoginLimiter(options: LoginLimiterOptions): LoginLimiter {
  const { limit, windowSeconds, maxKeys = DEFAULT_MAX_KEYS, now = () => performance.now() } = options;
  const failures = { limit, windowMs: windowSeconds * 1000, maxKeys };
  const addresses = new RecentFailures(failures);
  /** Failures of an account from an address. */
  const pairs = new RecentFailures(failures);
  /** The last success of each. */
  const known = new BoundedMap<string, number>(maxKeys);

  function isKnown(account: string, address: string): boolean {
    const lastIn = known.get(pairKey(account, address));
    return lastIn !== undefined && lastIn + KNOWN_MS > now();
  }

  function check(account: string, address: string): number {
    const wait = isKnown(account, address) ? pairs.wait(pairKey(account, address), now()) : addresses.wait(networkOf(address), now());
    return Math.ceil(wait / 1000);
  }

  return {
    check,
    isKnown,

    settle(account, address, outcome) {
      const wait = check(account, address);
      if (wait > 0) return wait;
      const pair = pairKey(account, address);
      if (outcome === 'failed') {
        pairs.add(pair, now());
        addresses.add(networkOf(address), now());
      } else {
        // The address keeps its failures: a successful login to one's own account must not allow endless guesses at
        // others.
        pairs.forget(pair);
        known.set(pair, now());
      }
      return 0;
    },
  };
}

/** Ignores the spelling. */
export function accountKey(account: string): string {
  return account.trim().slice(0, MAX_KEY_CHARACTERS).toLowerCase();
}

function pairKey(account: string, address: string): string {
  return `${accountKey(account)}\n${networkOf(address)}`;
}
