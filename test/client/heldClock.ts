/** The real clock, but the test decides when some of the timers fire. */
import { PLATFORM_CLOCK, type Clock } from '../../src/client/clock.js';

/** Pauses before a reconnection are shorter in these tests, all other timers longer. */
export const PAUSES = (milliseconds: number): boolean => milliseconds < 1_000;

/** Only the renewal of a token is that far away. */
export const RENEWALS = (milliseconds: number): boolean => milliseconds > 100_000;

export class HeldClock implements Clock {
  readonly #isHeld: (milliseconds: number) => boolean;
  readonly #held = new Map<object, () => void>();

  constructor(isHeld: (milliseconds: number) => boolean) {
    this.#isHeld = isHeld;
  }

  now(): number {
    return PLATFORM_CLOCK.now();
  }

  set(callback: () => void, milliseconds: number): unknown {
    if (!this.#isHeld(milliseconds)) return PLATFORM_CLOCK.set(callback, milliseconds);
    const handle = {};
    this.#held.set(handle, callback);
    return handle;
  }

  clear(handle: unknown): void {
    if (!this.#held.delete(handle as object)) PLATFORM_CLOCK.clear(handle);
  }

  /** Fires the oldest timer that is held. */
  fire(): void {
    const [first] = this.#held;
    if (first === undefined) throw new Error('no timer is held');
    this.#held.delete(first[0]);
    first[1]();
  }
}
