/**
 * Limits guessing from one address: so many failed logins within a sliding window, then none until the oldest of them
 * has aged. Successes are never counted, so any number of people behind one address can log in. Whoever logged in to
 * an account from an address lately is counted apart, so a neighbour who guesses does not lock them out.
 *
 * The limit is asked twice, before the password is checked and again when the outcome is known. Guesses sent in
 * parallel all pass the first question; the second makes them equal to guesses sent one after another: once the limit
 * is reached, the rest are refused whatever their outcome, a right one among them included. (Counting attempts under
 * way as failures would do as well, but would turn away right passwords that arrive together.)
 */
import { networkOf } from './network.js';
import { RecentFailures } from './recentFailures.js';

export interface LoginLimiter {
  /** Seconds to wait before another try, 0 when it may go ahead. */
  check(account: string, address: string): number;
  /** Takes the outcome in. Unless it answers 0 the caller must refuse, and tell nothing of the outcome. */
  settle(account: string, address: string, outcome: 'succeeded' | 'failed'): number;
  /** Whether a login to the account succeeded from this address lately. */
  isKnown(account: string, address: string): boolean;
}

export interface LoginLimiterOptions {
  readonly limit: number;
  readonly windowSeconds: number;
  /** Keys remembered of each kind. */
  readonly maxKeys?: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

/**
 * Every new key costs a checked password, and Argon2 leaves time for a few thousand of those a minute: keys age long
 * before there are so many. Full, each kind takes about 10 MB.
 */
const DEFAULT_MAX_KEYS = 50_000;
/** No e-mail address or username is longer, so accounts that exist are never taken for one another. */
const MAX_KEY_CHARACTERS = 320;
/** A week: who comes to work from the same place every day stays known. */
const KNOWN_MS = 7 * 86_400_000;

export function createLoginLimiter(options: LoginLimiterOptions): LoginLimiter {
  const { limit, windowSeconds, maxKeys = DEFAULT_MAX_KEYS, now = () => performance.now() } = options;
  const failures = { limit, windowMs: windowSeconds * 1000, maxKeys };
  const addresses = new RecentFailures(failures);
  /** Of an account from an address. */
  const pairs = new RecentFailures(failures);
  /** When each was last in; the longest ago first. */
  const known = new Map<string, number>();

  function isKnown(account: string, address: string): boolean {
    const lastIn = known.get(pairKey(account, address));
    return lastIn !== undefined && lastIn + KNOWN_MS > now();
  }

  function check(account: string, address: string): number {
    const wait = isKnown(account, address)
      ? pairs.wait(pairKey(account, address), now())
      : addresses.wait(networkOf(address), now());
    return Math.ceil(wait / 1000);
  }

  function remember(pair: string): void {
    known.delete(pair);
    const [oldest] = known.keys();
    if (known.size >= maxKeys && oldest !== undefined) known.delete(oldest);
    known.set(pair, now());
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
        // The address keeps its failures: one account of one's own must not buy endless guesses at others.
        pairs.forget(pair);
        remember(pair);
      }
      return 0;
    },
  };
}

/** The spelling makes no difference. */
export function accountKey(account: string): string {
  return account.trim().slice(0, MAX_KEY_CHARACTERS).toLowerCase();
}

function pairKey(account: string, address: string): string {
  return `${accountKey(account)}\n${networkOf(address)}`;
}
