/** A clock that a test moves: everything that is due runs in order, and nothing waits in real time. */
interface Timer {
  readonly at: number;
  readonly number: number;
  readonly run: () => void;
}

export class VirtualTime {
  #now = 0;
  #number = 0;
  #timers: Timer[] = [];

  get now(): number {
    return this.#now;
  }

  after(milliseconds: number, run: () => void): void {
    this.#number += 1;
    this.#timers.push({ at: this.#now + milliseconds, number: this.#number, run });
  }

  pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.after(milliseconds, resolve));
  }

  async runUntil(end: number): Promise<void> {
    for (;;) {
      await settled();
      const next = this.#earliest();
      if (next === null || next.at > end) break;
      this.#timers.splice(this.#timers.indexOf(next), 1);
      this.#now = Math.max(this.#now, next.at);
      next.run();
    }
    this.#now = Math.max(this.#now, end);
  }

  #earliest(): Timer | null {
    let first: Timer | null = null;
    for (const timer of this.#timers) {
      if (first === null || timer.at < first.at || (timer.at === first.at && timer.number < first.number)) first = timer;
    }
    return first;
  }
}

/** Until promises and immediates that follow from each other have run. */
async function settled(): Promise<void> {
  for (let round = 0; round < 3; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
