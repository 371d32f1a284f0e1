/**
 * Bounds the feeds that are under way: in all, to one host, and of one user. Users with waiting feeds take turns, and so do
 * the hosts of a user: however many slow receivers one user names, another user's feed waits for one place at most.
 */
import type { Uuid } from '../domain/ids.js';

export interface LaneLimits {
  readonly all: number;
  readonly perHost: number;
  readonly perUser: number;
}

export interface LaneOwner {
  readonly user: Uuid;
  readonly host: string;
}

/** Waiting feeds of one user by host, the last served at the end. */
type Hosts = Map<string, Array<() => void>>;

export class FeedLanes {
  readonly #limits: LaneLimits;
  #running = 0;
  readonly #ofHosts = new Counts();
  readonly #ofUsers = new Counts();
  /** The last served user is at the end. */
  readonly #waiting = new Map<Uuid, Hosts>();

  constructor(limits: LaneLimits) {
    this.#limits = limits;
  }

  async run<Result>(owner: LaneOwner, task: () => Promise<Result>): Promise<Result> {
    if (this.#hasLane(owner)) this.#count(owner, 1);
    else await new Promise<void>((resolve) => this.#wait(owner, resolve));
    try {
      return await task();
    } finally {
      this.#count(owner, -1);
      while (this.#startNext());
    }
  }

  #hasLane({ user, host }: LaneOwner): boolean {
    const { all, perHost, perUser } = this.#limits;
    return this.#running < all && this.#ofUsers.of(user) < perUser && this.#ofHosts.of(host) < perHost;
  }

  #count({ user, host }: LaneOwner, change: 1 | -1): void {
    this.#running += change;
    this.#ofUsers.add(user, change);
    this.#ofHosts.add(host, change);
  }

  #wait({ user, host }: LaneOwner, start: () => void): void {
    const hosts: Hosts = this.#waiting.get(user) ?? new Map();
    const queue = hosts.get(host) ?? [];
    queue.push(start);
    hosts.set(host, queue);
    this.#waiting.set(user, hosts);
  }

  /** Returns whether one was started. The end of one feed can make room for two: one of its user, and one to its host. */
  #startNext(): boolean {
    for (const [user, hosts] of this.#waiting) {
      for (const [host, queue] of hosts) {
        const owner = { user, host };
        if (!this.#hasLane(owner)) continue;
        const start = queue.shift();
        hosts.delete(host);
        if (queue.length > 0) hosts.set(host, queue);
        this.#waiting.delete(user);
        if (hosts.size > 0) this.#waiting.set(user, hosts);
        this.#count(owner, 1);
        start?.();
        return true;
      }
    }
    return false;
  }
}

class Counts {
  readonly #counts = new Map<string, number>();

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  add(name: string, change: 1 | -1): void {
    const count = this.of(name) + change;
    if (count === 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
  }
}
