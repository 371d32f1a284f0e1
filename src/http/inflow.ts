/** The bytes of a body that is read only as fast as it is consumed, and must be fast enough while it is read. */
import type { IncomingBytes } from './arrival.js';
import type { BodyWatch, WatchedBody } from './bodyWatch.js';

export class Inflow {
  readonly #arrival: Pick<IncomingBytes, 'pause' | 'resume'>;
  readonly #watch: BodyWatch;
  readonly #body: WatchedBody;
  #paused = false;
  #over = false;

  constructor(arrival: Pick<IncomingBytes, 'pause' | 'resume'>, watch: BodyWatch, body: WatchedBody) {
    this.#arrival = arrival;
    this.#watch = watch;
    this.#body = body;
  }

  get isPaused(): boolean {
    return this.#paused;
  }

  pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    this.#watch.pause(this.#body);
    this.#arrival.pause();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    if (!this.#over) this.#watch.resume(this.#body);
    this.#arrival.resume();
  }

  /** The body is complete, or the rest is unwanted: its speed no longer matters. */
  end(): void {
    this.#over = true;
    this.#watch.remove(this.#body);
  }
}
