/** Lets a few tasks run at once, in turn for those who ask: whoever has many waiting delays only their own. */
interface Owner {
  running: number;
  readonly waiting: Array<() => void>;
}

export class FairLanes {
  readonly #max: number;
  readonly #maxEach: number;
  /** Owners with tasks that run or wait; whoever was served last stands last. */
  readonly #owners = new Map<string, Owner>();
  #running = 0;

  /** `max` tasks at once, `maxEach` of one owner. */
  constructor(max: number, maxEach: number) {
    this.#max = max;
    this.#maxEach = maxEach;
  }

  async run<Result>(name: string, task: () => Promise<Result>): Promise<Result> {
    const owner = this.#owners.get(name) ?? { running: 0, waiting: [] };
    this.#owners.set(name, owner);
    if (this.#running < this.#max && owner.running < this.#maxEach) this.#start(name, owner);
    else await new Promise<void>((resolve) => owner.waiting.push(resolve));
    try {
      return await task();
    } finally {
      this.#running -= 1;
      owner.running -= 1;
      if (owner.running === 0 && owner.waiting.length === 0) this.#owners.delete(name);
      this.#startNext();
    }
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
      next();
      return;
    }
  }
}
