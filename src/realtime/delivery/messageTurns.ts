/**
 * Carries out the messages of shared sockets, a bounded amount in each turn of the event loop. The rates are limits for a
 * second, and a client may send all of a second at once: the rest waits here, and its users take turns.
 */
import type { Uuid } from '../../domain/ids.js';
import { FairQueue } from '../../flow/fairQueue.js';
import { settledWithin } from '../entry/joinTurns.js';

/** Messages times receivers in one turn: five to ten milliseconds for messages of a kilobyte. */
export const MAX_DELIVERIES_PER_TURN = 3_000;
/** A board that is out of reach does not keep the messages of others waiting for longer. */
const MAX_UNSETTLED_MS = 200;
/** What reading a message counts for. */
export const MESSAGE_COST = 30;

/** What a message has caused. */
export interface Effort {
  /** Messages to other sockets, now or when `settled` resolves. */
  readonly deliveries: number;
  readonly settled?: Promise<unknown>;
}

export interface Sender {
  readonly user: { readonly id: Uuid };
  /** What waits of it is dropped then, as if it had come after the end. */
  readonly isClosed: boolean;
}

interface Waiting<S> {
  readonly sender: S;
  readonly text: string;
}

export class MessageTurns<S extends Sender> {
  readonly #perform: (sender: S, text: string) => Effort;
  /** A line for each user. The rates bound it. */
  readonly #waiting = new FairQueue<Waiting<S>>();
  #spent = 0;
  /** Deliveries that others may cause in any later turn. */
  #unsettled = 0;
  #isScheduled = false;

  constructor(perform: (sender: S, text: string) => Effort) {
    this.#perform = perform;
  }

  /** Messages of a user are carried out in order: now, or in a later turn if there is no room in this one. */
  add(sender: S, text: string): void {
    if (this.#waiting.size === 0 && this.#hasRoom()) return this.#run({ sender, text });
    this.#waiting.add(sender.user.id, { sender, text });
    this.#schedule();
  }

  #hasRoom(): boolean {
    return this.#spent + this.#unsettled < MAX_DELIVERIES_PER_TURN;
  }

  #run({ sender, text }: Waiting<S>): void {
    if (sender.isClosed) return;
    const { deliveries, settled } = this.#perform(sender, text);
    this.#spent += MESSAGE_COST + (settled === undefined ? deliveries : 0);
    this.#schedule();
    if (settled === undefined) return;
    this.#unsettled += deliveries;
    void settledWithin(settled, MAX_UNSETTLED_MS).then(() => {
      this.#unsettled -= deliveries;
      if (this.#waiting.size > 0) this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#spent = 0;
      while (this.#hasRoom()) {
        const next = this.#waiting.take();
        if (next === undefined) return;
        this.#run(next);
      }
    });
  }
}
