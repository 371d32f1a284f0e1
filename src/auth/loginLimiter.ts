/**
 * Slows down guessing: so many failed logins an account and an address within a sliding window, then none until the
 * oldest of them has aged. Successes are never counted, so any number of people behind one address can log in.
 *
 * The limit is asked twice, before the password is checked and again when the outcome is known. Guesses sent in
 * parallel all pass the first question; the second makes them equal to guesses sent one after another: once the limit
 * is reached, the rest are refused whatever their outcome, a right one among them included. (Counting attempts under
 * way as failures would do as well, but would turn away right passwords that arrive together.)
 */
import { isIPv6 } from 'node:net';

export interface LoginLimiter {
  /** Seconds to wait before another try, 0 when it may go ahead. */
  check(account: string, address: string): number;
  /** Takes the outcome in. Unless it answers 0 the caller must refuse, and tell nothing of the outcome. */
  settle(account: string, address: string, outcome: 'succeeded' | 'failed'): number;
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

export function createLoginLimiter(options: LoginLimiterOptions): LoginLimiter {
  const { limit, windowSeconds, maxKeys = DEFAULT_MAX_KEYS, now = () => performance.now() } = options;
  const accounts = new RecentFailures(limit, windowSeconds * 1000, maxKeys);
  const addresses = new RecentFailures(limit, windowSeconds * 1000, maxKeys);

  function check(account: string, address: string): number {
    const time = now();
    const wait = Math.max(accounts.wait(accountKey(account), time), addresses.wait(networkOf(address), time));
    return Math.ceil(wait / 1000);
  }

  return {
    check,

    settle(account, address, outcome) {
      const wait = check(account, address);
      if (wait > 0) return wait;
      if (outcome === 'failed') {
        accounts.add(accountKey(account), now());
        addresses.add(networkOf(address), now());
      } else {
        // The address keeps its failures: one account of one's own must not buy endless guesses at others.
        accounts.forget(accountKey(account));
      }
      return 0;
    },
  };
}

/** The times of the latest failures of each key, the key with the oldest last failure first. */
class RecentFailures {
  readonly #failures = new Map<string, number[]>();
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #maxKeys: number;

  constructor(limit: number, windowMs: number, maxKeys: number) {
    this.#limit = limit;
    this.#windowMs = windowMs;
    this.#maxKeys = maxKeys;
  }

  /** Milliseconds until the key is below the limit. */
  wait(key: string, time: number): number {
    const recent = this.#recent(key, time);
    const oldest = recent[recent.length - this.#limit];
    return oldest === undefined ? 0 : oldest + this.#windowMs - time;
  }

  add(key: string, time: number): void {
    const failures = [...this.#recent(key, time), time];
    this.#failures.delete(key);
    this.#makeRoom(time);
    this.#failures.set(key, failures);
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  #recent(key: string, time: number): number[] {
    return (this.#failures.get(key) ?? []).filter((failure) => failure + this.#windowMs > time);
  }

  /**
   * Drops the oldest key that is not blocked, which is one that has aged if there is any. A blocked key goes only when
   * all are: to free one by flooding takes the limit's worth of checked passwords for every key there is room for.
   */
  #makeRoom(time: number): void {
    if (this.#failures.size < this.#maxKeys) return;
    for (const key of this.#failures.keys()) {
      if (this.wait(key, time) === 0) {
        this.#failures.delete(key);
        return;
      }
    }
    const [oldest] = this.#failures.keys();
    if (oldest !== undefined) this.#failures.delete(oldest);
  }
}

function accountKey(account: string): string {
  return account.trim().slice(0, MAX_KEY_CHARACTERS).toLowerCase();
}

/** An IPv6 customer has at least a /64 to choose addresses from, so that is what counts as one. */
function networkOf(address: string): string {
  const [bare = ''] = address.trim().slice(0, MAX_KEY_CHARACTERS).split('%');
  if (!isIPv6(bare)) return bare;
  const groups = ipv6Groups(bare);
  const [high = 0, low = 0] = groups.slice(6);
  const isMappedIPv4 = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMappedIPv4) return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
  return `${groups.slice(0, 4).map((group) => group.toString(16)).join(':')}::/64`;
}

/** The eight groups of a valid IPv6 address. */
function ipv6Groups(address: string): number[] {
  const [head = [], tail] = address.split('::').map(groupsOf);
  if (tail === undefined) return head;
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

function groupsOf(part: string): number[] {
  return part.split(':').flatMap((group) => {
    if (group === '') return [];
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [(a << 8) | b, (c << 8) | d];
  });
}
