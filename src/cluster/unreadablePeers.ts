/**
 * Instances whose messages cannot be read here: they have another CLUSTER_SECRET, another version of the protocol, or
 * another time of day. Anyone who reaches NATS can pretend to be one, so they count only for an instance that has not
 * found its own cluster yet.
 */
import type { Refusal, RefusalReason } from '../wire/refusal.js';

export interface UnreadablePeer {
  /** Its id; empty if its messages do not even show that. */
  readonly id: string;
  readonly reason: UnreadableReason;
}

const REASONS = ['sealed', 'version', 'clock'] as const satisfies readonly RefusalReason[];
export type UnreadableReason = (typeof REASONS)[number];

/** Longer than they need to connect again: they are not gone then. */
const REMEMBERED_MS = 5_000;
/** Further ones would be told nothing else. */
const MAX_UNREADABLE = 16;

const EXCLUSIONS: Readonly<Record<UnreadableReason, string>> = {
  sealed: 'CLUSTER_SECRET is not that of the instances that run already',
  version: 'instances of another version run: stop them all for this upgrade',
  clock: 'the time of day is not that of the instances that run already',
};

export class UnreadablePeers {
  readonly #heard = new Map<string, { readonly reason: UnreadableReason; readonly at: number }>();
  readonly #now: () => number;

  /** `now`: monotonic, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** A heartbeat was refused. */
  note({ reason, sender }: Refusal): void {
    if (!isStrange(reason) || (this.#heard.size >= MAX_UNREADABLE && !this.#heard.has(sender))) return;
    this.#heard.set(sender, { reason, at: this.#now() });
  }

  /** Those that were heard lately. */
  get all(): UnreadablePeer[] {
    for (const [id, { at }] of this.#heard) if (this.#now() - at >= REMEMBERED_MS) this.#heard.delete(id);
    return [...this.#heard].map(([id, { reason }]) => ({ id, reason }));
  }

  /**
   * Why this instance takes no partitions, or null. `isAtHome`: it owns some, or understands another instance. So of two
   * sides that do not understand each other the one that owns partitions goes on, and after a stop of all the larger one begins.
   */
  exclusion(isAtHome: boolean): string | null {
    const [first] = isAtHome ? [] : this.all;
    return first === undefined ? null : EXCLUSIONS[first.reason];
  }
}

function isStrange(reason: RefusalReason): reason is UnreadableReason {
  return (REASONS as readonly RefusalReason[]).includes(reason);
}
