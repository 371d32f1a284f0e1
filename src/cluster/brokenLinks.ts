/**
 * Links between two machines that are broken while others hold: each of the two hears from a third that the other lives. It
 * must not take the other's partitions, which would come back and be out of reach again and again. Both leave the service
 * to the third, which reaches everyone.
 */
import type { Logger } from 'pino';
import type { PartitionName } from '../partitions/messages.js';
import { SILENCE_MS, type HeardInstance, type Listener } from './peers.js';

/** How long a link must hold until the instance counts on it again. */
const HEALED_MS = 5_000;

export class BrokenLinks {
  readonly #self: string;
  readonly #log: Logger;
  readonly #now: () => number;
  #unheard: readonly HeardInstance[] = [];
  /** Since when a third instance hears one that this one does not hear. */
  #brokenSince: number | null = null;
  #healedSince: number | null = null;
  #isolation: string | null = null;

  /** `now`: monotonic, in milliseconds. */
  constructor(self: string, log: Logger, now: () => number) {
    this.#self = self;
    this.#log = log;
    this.#now = now;
  }

  /** Instances that others hear and this one does not. */
  get unheard(): readonly HeardInstance[] {
    return this.#unheard;
  }

  /** Why another instance should serve instead of this one, or null. */
  get isolation(): string | null {
    return this.#isolation;
  }

  owns(partition: PartitionName): boolean {
    return this.#unheard.some(({ partitions }) => partitions.includes(partition));
  }

  /** `others`: the instances that are heard. Called at every heartbeat. */
  compare(others: readonly Listener[]): void {
    this.#unheard = unheardBy(this.#self, others);
    const isBroken = this.#unheard.length > 0 && hasHub(this.#self, others, this.#unheard);
    const now = this.#now();
    this.#brokenSince = isBroken ? (this.#brokenSince ?? now) : null;
    this.#healedSince = isBroken ? null : (this.#healedSince ?? now);
    // An instance that has just started is heard by the others at slightly different times.
    if (this.#brokenSince !== null && now - this.#brokenSince >= SILENCE_MS) this.#isolate();
    else if (this.#healedSince !== null && now - this.#healedSince >= HEALED_MS) this.#rejoin();
  }

  #isolate(): void {
    const urls = this.#unheard.map(({ url }) => url).join(', ');
    if (this.#isolation === null) this.#log.warn({ instances: urls }, 'no link to instances that another one reaches; it takes over');
    this.#isolation = `cannot reach ${urls}, which another instance reaches`;
  }

  #rejoin(): void {
    if (this.#isolation !== null) this.#log.info('all instances are within reach again');
    this.#isolation = null;
  }
}

function unheardBy(self: string, others: readonly Listener[]): HeardInstance[] {
  const heard = new Set([self, ...others.map(({ id }) => id)]);
  const unheard = new Map<string, HeardInstance>();
  for (const each of others.flatMap((other) => other.heard ?? [])) if (!heard.has(each.id)) unheard.set(each.id, each);
  return [...unheard.values()];
}

/** Whether one of the others hears all instances. Without one, no instance could take over. */
function hasHub(self: string, others: readonly Listener[], unheard: readonly HeardInstance[]): boolean {
  const all = [self, ...[...others, ...unheard].map(({ id }) => id)];
  return others.some(({ id, heard }) => {
    const ids = new Set([id, ...(heard ?? []).map((each) => each.id)]);
    return heard !== null && all.every((each) => ids.has(each));
  });
}
