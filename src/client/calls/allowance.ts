/** How much may be sent: a burst, and then a steady rate. */
import type { Clock } from '../clock.js';

export class Allowance {
  readonly #clock: Clock;
  readonly #perSecond: number;
  #left: number;
  #countedAt: number;

  /** The burst is the amount of one second. */
  constructor(clock: Clock, perSecond: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#left = perSecond;
    this.#countedAt = clock.now();
  }

  /** Takes one, if there is one. */
  take(): boolean {
    this.#refill();
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }

  /** In milliseconds, until there is one. */
  get waitMs(): number {
    this.#refill();
    return this.#left >= 1 ? 0 : ((1 - this.#left) / this.#perSecond) * 1000;
  }

  /** There is none for this long. */
  pause(milliseconds: number): void {
    this.#refill();
    this.#left = Math.min(this.#left, 1 - (milliseconds / 1000) * this.#perSecond);
  }

  #refill(): void {
    const now = this.#clock.now();
    // The clock may have been set back.
    const passedMs = Math.max(0, now - this.#countedAt);
    this.#countedAt = now;
    this.#left = Math.min(this.#perSecond, this.#left + (passedMs / 1000) * this.#perSecond);
  }
}
