/** The bytes of a body that is read only as fast as it is consumed, and must be fast enough while it is read. */
import type { IncomingBytes } from './bodyStream.js';
import type { WatchedBody } from './bodyWatch.js';
import type { GatedBody } from './inflowGate.js';
import type { Intake } from './keptBodies.js';

/** `waiting`: it may be read on when the gate lets it in. */
type State = 'reading' | 'paused' | 'waiting';

export class Inflow {
  readonly #stream: Pick<IncomingBytes, 'pause' | 'resume'>;
  readonly #intake: Pick<Intake, 'watch' | 'gate'>;
  readonly #body: WatchedBody & GatedBody;
  #state: State = 'reading';
  #over = false;

  constructor(stream: Pick<IncomingBytes, 'pause' | 'resume'>, intake: Pick<Intake, 'watch' | 'gate'>, body: WatchedBody & GatedBody) {
    this.#stream = stream;
    this.#intake = intake;
    this.#body = body;
  }

  get isPaused(): boolean {
    return this.#state !== 'reading';
  }

  pause(): void {
    if (this.#state === 'waiting') this.#intake.gate.cancel(this.#body);
    if (this.#state === 'reading') {
      this.#intake.watch.pause(this.#body);
      this.#stream.pause();
    }
    this.#state = 'paused';
  }

  /** Reads on, in its turn. */
  resume(): void {
    if (this.#state !== 'paused') return;
    this.#state = 'waiting';
    this.#intake.gate.wait(this.#body, () => this.#read());
  }

  /** The body is complete, or the rest is unwanted: its speed no longer matters. */
  end(): void {
    this.#over = true;
    this.#intake.watch.remove(this.#body);
  }

  /** The request is answered or abandoned: nothing of the body is kept any more. */
  leave(): void {
    this.end();
    this.#intake.gate.leave(this.#body);
    if (this.#state === 'waiting') this.#state = 'paused';
  }

  /** Reads the unwanted rest, which needs no turn. Not after the connection has ended. */
  readRest(): void {
    if (this.#state !== 'reading') this.#read();
  }

  #read(): void {
    this.#state = 'reading';
    if (!this.#over) this.#intake.watch.resume(this.#body);
    this.#stream.resume();
  }
}
