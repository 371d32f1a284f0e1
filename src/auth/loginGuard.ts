/** Every check of a password that someone gave goes through here: limited by address, slowed down by account. */
import { AppError } from '../domain/errors.js';
import type { GuessGate } from './guessGate.js';
import { accountKey, type LoginLimiter } from './loginLimiter.js';

export class LoginGuard {
  readonly #limiter: LoginLimiter;
  readonly #gate: GuessGate;

  constructor(limiter: LoginLimiter, gate: GuessGate) {
    this.#limiter = limiter;
    this.#gate = gate;
  }

  /** Answers as `check` does, which is called when it may run, and answers null to a wrong password. Throws `too_many`. */
  async attempt<Found>(account: string, address: string, check: () => Promise<Found | null>): Promise<Found | null> {
    const key = accountKey(account);
    refuse(this.#limiter.check(key, address));
    const decide = async (): Promise<Found | null> => {
      const found = await check();
      refuse(this.#limiter.settle(key, address, found === null ? 'failed' : 'succeeded'));
      return found;
    };
    return this.#limiter.isKnown(key, address) ? decide() : this.#inTurn(key, address, decide);
  }

  /** What waits is refused, and whatever comes. */
  close(): void {
    this.#gate.close();
  }

  async #inTurn<Found>(account: string, address: string, decide: () => Promise<Found | null>): Promise<Found | null> {
    await this.#gate.enter(account, address);
    let outcome: 'succeeded' | 'failed' | 'unknown' = 'unknown';
    try {
      // The limit may have been reached while this waited: then a check would be for nothing.
      refuse(this.#limiter.check(account, address));
      const found = await decide();
      outcome = found === null ? 'failed' : 'succeeded';
      return found;
    } finally {
      // The rest from there is known now and need not wait, or has reached the limit and is refused.
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
