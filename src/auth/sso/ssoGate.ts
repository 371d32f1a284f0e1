/**
 * Limits what visitors can make us ask of the provider: a number of exchanges at once, and of failed ones from a network
 * within a minute. Successes never count, so any number of users behind one address can log in.
 */
import { AppError } from '../../domain/errors.js';
import { networkOf } from '../guessing/network.js';
import { RecentFailures } from '../guessing/recentFailures.js';

/** As for passwords. */
const FAILURES = { limit: 10, windowMs: 60_000, maxKeys: 50_000 } as const;
/** Each is a request without an answer and a connection to the provider. */
const MAX_AT_ONCE = 64;
const MAX_AT_ONCE_PER_NETWORK = 16;
const RETRY_AFTER_SECONDS = 2;

export class SsoGate {
  readonly #now: () => number;
  readonly #failures = new RecentFailures(FAILURES);
  /** Running exchanges of each network. */
  readonly #running = new Map<string, number>();
  #total = 0;

  /** `now`: monotonic, in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Throws `too_many` if the network has failed too often. */
  check(address: string): void {
    const waitMs = this.#failures.wait(networkOf(address), this.#now());
    if (waitMs > 0) throw tooMany(Math.ceil(waitMs / 1000));
  }

  noteFailure(address: string): void {
    this.#failures.add(networkOf(address), this.#now());
  }

  /** Throws `too_many` without calling it. */
  async run<T>(address: string, exchange: () => Promise<T>): Promise<T> {
    this.check(address);
    const network = networkOf(address);
    const own = this.#running.get(network) ?? 0;
    if (own >= MAX_AT_ONCE_PER_NETWORK || this.#total >= MAX_AT_ONCE) throw tooMany(RETRY_AFTER_SECONDS);
    this.#running.set(network, own + 1);
    this.#total += 1;
    try {
      return await exchange();
    } finally {
      const rest = (this.#running.get(network) ?? 1) - 1;
      if (rest === 0) this.#running.delete(network);
      else this.#running.set(network, rest);
      this.#total -= 1;
    }
  }
}

function tooMany(retryAfter: number): AppError {
  return new AppError('too_many', 'Too many logins through the provider; try again later', { retryAfter });
}
