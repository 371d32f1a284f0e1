/** Runs a few tasks at once, and owners take turns: an owner with many waiting tasks delays only its own. */
interface Owner {
  running: number;
  readonly waiting: Waiting[];
}

/** Called with false when the task was given up. */
type Waiting = (isWanted: boolean) => void;

export class FairLanes {
  readonly #max: number;
  readonly #maxEach: number;
  /** Owners with running or waiting tasks, the last served at the end. */
  readonly #owners = new Map<string, Owner>();
  #running = 0;

  /** `max` tasks at once, `maxEach` of one owner. */
  constructor(max: number, maxEach: number) {
    this.#max = max;
    this.#maxEach = maxEach;
  }

  async run<Result>(name: string, task: () => Promise<Result>): Promise<Result> {
    const owner = this.#ownerOf(name);
    if (!this.#hasLane(owner)) await new Promise((resolve) => owner.waiting.push(resolve));
    else this.#start(name, owner);
    return this.#finish(name, owner, task);
  }

  /** Like `run`, for a task that can be given up while it waits: `onWaiting` gets the function that does so. Then null. */
  async runIfWanted<Result>(name: string, task: () => Promise<Result>, onWaiting: (giveUp: () => void) => void): Promise<Result | null> {
    const owner = this.#ownerOf(name);
    if (this.#hasLane(owner)) {
      this.#start(name, owner);
    } else {
      const isWanted = await new Promise<boolean>((resolve) => {
        owner.waiting.push(resolve);
        onWaiting(() => this.#giveUp(name, owner, resolve));
      });
      if (!isWanted) return null;
    }
    return this.#finish(name, owner, task);
  }

  async #finish<Result>(name: string, owner: Owner, task: () => Promise<Result>): Promise<Result> {
    try {
      return await task();
    } finally {
      this.#running -= 1;
      owner.running -= 1;
      this.#forgetIdle(name, owner);
      this.#startNext();
    }
  }

  #giveUp(name: string, owner: Owner, waiting: Waiting): void {
    const place = owner.waiting.indexOf(waiting);
    if (place < 0) return;
    owner.waiting.splice(place, 1);
    this.#forgetIdle(name, owner);
    waiting(false);
  }

  #ownerOf(name: string): Owner {
    const owner = this.#owners.get(name) ?? { running: 0, waiting: [] };
    this.#owners.set(name, owner);
    return owner;
  }

  #hasLane(owner: Owner): boolean {
    return this.#running < this.#max && owner.running < this.#maxEach;
  }

  #forgetIdle(name: string, owner: Owner): void {
    if (owner.running === 0 && owner.waiting.length === 0) this.#owners.delete(name);
  }

  #start(name: string, owner: Owner): void {
    this.#running += 1;
    owner.running += 1;
    this.#owners.delete(name);
    this.#owners.set(name, owner);
  }

  #startNext(): void {
    for (const [name, owner] of this.#owners) {
      if (owner.running >= this.#maxEach) continue;
      const next = owner.waiting.shift();
      if (next === undefined) continue;
      this.#start(name, owner);
      next(true);
      return;
    }
  }
}
