/** Every check of a given password passes here: limited by address, slowed down by account. */
import { AppError } from '../../domain/errors.js';
import type { GuessGate } from './guessGate.js';
import { accountKey, type LoginLimiter } from './loginLimiter.js';

export class LoginGuard {
  readonly #limiter: LoginLimiter;
  readonly #gate: GuessGate;

  constructor(limiter: LoginLimiter, gate: GuessGate) {
    this.#limiter = limiter;
    this.#gate = gate;
  }

  /** Calls `check` when it may run and returns its result; null means a wrong password. Throws `too_many`. */
  async attempt<Found>(account: string, address: string, check: () => Promise<Found | null>): Promise<Found | null> {
    const key = accountKey(account);
    refuse(this.#limiter.check(key, address));
    const decide = async (): Promise<Found | null> => {
      const found = await check().catch((error: unknown) => {
        // At the limit, the answer also hides that a password was right and a code is missing.
        refuse(this.#limiter.check(key, address));
        throw error;
      });
      refuse(this.#limiter.settle(key, address, found === null ? 'failed' : 'succeeded'));
      return found;
    };
    return this.#limiter.isKnown(key, address) ? decide() : this.#inTurn(key, address, decide);
  }

  /** Refuses everything that waits, and all later calls. */
  close(): void {
    this.#gate.close();
  }

  async #inTurn<Found>(account: string, address: string, decide: () => Promise<Found | null>): Promise<Found | null> {
    await this.#gate.enter(account, address);
    let outcome: 'succeeded' | 'failed' | 'unknown' = 'unknown';
    try {
      // The limit may have been reached during the wait, and the check would be wasted.
      refuse(this.#limiter.check(account, address));
      const found = await decide();
      outcome = found === null ? 'failed' : 'succeeded';
      return found;
    } finally {
      // Other attempts from there need not wait: they are now known, or the limit refuses them.
      const isDecided = outcome === 'succeeded' || this.#limiter.check(account, address) > 0;
      if (isDecided) this.#gate.release(account, address);
      this.#gate.leave(account, address, outcome);
    }
  }
}

function refuse(waitSeconds: number): void {
  if (waitSeconds === 0) return;
  throw new AppError('too_many', 'Too many wrong passwords; try again later', { retryAfter: waitSeconds });
}
