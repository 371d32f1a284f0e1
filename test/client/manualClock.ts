/** A clock that stands still until the test fires the next timer. */
import type { Clock } from '../../src/client/clock.js';

interface Timer {
  readonly callback: () => void;
  readonly at: number;
}

export class ManualClock implements Clock {
  readonly #timers = new Map<number, Timer>();
  #now = Date.now();
  #handles = 0;

  now(): number {
    return this.#now;
  }

  set(callback: () => void, milliseconds: number): number {
    this.#handles += 1;
    this.#timers.set(this.#handles, { callback, at: this.#now + milliseconds });
    return this.#handles;
  }

  clear(handle: unknown): void {
    this.#timers.delete(handle as number);
  }

  /** Lets time pass without firing anything. */
  pass(milliseconds: number): void {
    this.#now += milliseconds;
  }

  /** The remaining milliseconds of every timer, the next one first. */
  get waits(): number[] {
    return this.#sorted().map(([, { at }]) => at - this.#now);
  }

  /** Time passes until the next timer. */
  fire(): void {
    const [first] = this.#sorted();
    if (first === undefined) throw new Error('no timer is set');
    const [handle, { callback, at }] = first;
    this.#timers.delete(handle);
    this.#now = Math.max(this.#now, at);
    callback();
  }

  #sorted(): Array<[number, Timer]> {
    return [...this.#timers].sort(([, a], [, b]) => a.at - b.at);
  }
}
