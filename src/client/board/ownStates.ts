/**
 * What this client shows of itself on its boards. Only the latest state of a board matters, so a state that the rate
 * of the service does not allow yet waits, and is replaced by a later one.
 */
import { Allowance } from '../calls/allowance.js';
import type { Clock } from '../clock.js';
import type { ClientMessage } from '../events.js';
import { STATES_PER_SECOND } from '../facts.js';

/** Some room is left for the clock of the service. */
const SENT_PER_SECOND = STATES_PER_SECOND - 1;

export class OwnStates {
  readonly #clock: Clock;
  readonly #send: (message: ClientMessage) => void;
  readonly #allowance: Allowance;
  readonly #states = new Map<string, unknown>();
  /** Boards of which the service was sent a state since the subscription. */
  readonly #sent = new Set<string>();
  /** Boards whose state must be sent, in order. */
  readonly #unsent = new Set<string>();
  #timer: unknown = null;

  constructor(clock: Clock, send: (message: ClientMessage) => void) {
    this.#clock = clock;
    this.#send = send;
    this.#allowance = new Allowance(clock, SENT_PER_SECOND);
  }

  /** Null for nothing. `isSubscribed`: the service takes it now; otherwise after the next subscription. */
  set(boardId: string, state: unknown, isSubscribed: boolean): void {
    if (state === null) this.#states.delete(boardId);
    else this.#states.set(boardId, state);
    if (state === null && !this.#sent.has(boardId)) this.#unsent.delete(boardId);
    else if (isSubscribed) this.#plan(boardId);
  }

  /** The service knows nothing of a new subscription. */
  subscribed(boardId: string): void {
    if (this.#states.has(boardId)) this.#plan(boardId);
  }

  /** The service refused a message: too many. It may have been a state. */
  refused(boardId: string, retryAfterMs: number): void {
    if (!this.#sent.has(boardId)) return;
    this.#allowance.pause(retryAfterMs);
    this.#plan(boardId);
  }

  /** Until the next subscription nothing can be sent. */
  unsubscribed(boardId: string): void {
    this.#sent.delete(boardId);
    this.#unsent.delete(boardId);
    this.#flush();
  }

  forget(boardId: string): void {
    this.#states.delete(boardId);
    this.unsubscribed(boardId);
  }

  #plan(boardId: string): void {
    this.#unsent.add(boardId);
    this.#flush();
  }

  #flush(): void {
    this.#clock.clear(this.#timer);
    for (const boardId of this.#unsent) {
      if (!this.#allowance.take()) {
        this.#timer = this.#clock.set(() => this.#flush(), this.#allowance.waitMs);
        return;
      }
      this.#unsent.delete(boardId);
      this.#sent.add(boardId);
      this.#send({ type: 'state', board_id: boardId, state: this.#states.get(boardId) ?? null });
    }
  }
}
