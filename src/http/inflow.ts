/** The bytes of a body that is let in only as fast as it is taken, and must come fast enough while it is let in. */
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

  /** All has come, or what still comes is of no use to anyone: it may take its time. */
  end(): void {
    this.#over = true;
    this.#watch.remove(this.#body);
  }
}
