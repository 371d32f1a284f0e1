/** The real clock, but the test decides when the client reconnects. */
import { PLATFORM_CLOCK, type Clock } from '../../src/client/clock.js';

/** In milliseconds. Pauses before a reconnection are shorter in these tests, all other timers longer. */
const LONGEST_PAUSE = 1_000;

export class ReconnectClock implements Clock {
  readonly #pauses = new Map<object, () => void>();

  now(): number {
    return PLATFORM_CLOCK.now();
  }

  set(callback: () => void, milliseconds: number): unknown {
    if (milliseconds > LONGEST_PAUSE) return PLATFORM_CLOCK.set(callback, milliseconds);
    const handle = {};
    this.#pauses.set(handle, callback);
    return handle;
  }

  clear(handle: unknown): void {
    if (!this.#pauses.delete(handle as object)) PLATFORM_CLOCK.clear(handle);
  }

  /** Ends the pause. */
  fire(): void {
    const [first] = this.#pauses;
    if (first === undefined) throw new Error('the client does not wait');
    this.#pauses.delete(first[0]);
    first[1]();
  }
}
