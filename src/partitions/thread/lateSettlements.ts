/**
 * What is settled after the turn of its asks, together with whatever else is settled at that moment: a log answers for
 * several partitions at once, and a message for each would cost more than the answers.
 */
import type { Notice, Reply } from '../messages.js';

interface Settlement {
  readonly replies: readonly Reply[];
  readonly notices: readonly Notice[];
}

export class LateSettlements {
  readonly #send: (settlement: Settlement) => void;
  #replies: Reply[] = [];
  #notices: Notice[] = [];
  #isScheduled = false;

  constructor(send: (settlement: Settlement) => void) {
    this.#send = send;
  }

  add({ replies, notices }: Settlement): void {
    this.#replies.push(...replies);
    this.#notices.push(...notices);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.send();
    });
  }

  /** At once. */
  send(): void {
    if (this.#replies.length + this.#notices.length === 0) return;
    const [replies, notices] = [this.#replies, this.#notices];
    this.#replies = [];
    this.#notices = [];
    this.#send({ replies, notices });
  }
}
