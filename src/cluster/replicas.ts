/** The copies of replicated partitions on this instance, and when it may claim one. The log decides; this only keeps the peace. */
import { CLOCK_MARGIN, hasLeaseEnded, leaseOf } from '../domain/readLease.js';
import type { CopyState, PartitionName } from '../partitions/messages.js';

/** What an instance tells the others of a copy. */
export interface CopyReport {
  readonly partition: PartitionName;
  readonly state: CopyState['state'];
  readonly applied: number;
  readonly chain: string;
  readonly term: number;
  /** The newest schema of the file that the instance knows. */
  readonly schema: number;
  /** Of an owner. */
  readonly leaseLeftMs?: number;
  /** Why it halted. */
  readonly reason?: string;
}

export interface OtherInstance {
  readonly id: string;
  readonly copies: readonly CopyReport[];
}

export interface ReplicasOptions {
  /** The id of the data folder of this instance. */
  readonly folder: string;
  /** Of this instance. */
  readonly leaseMs: number;
  /** The clock by which threads say when they saw a record. */
  readonly now: () => number;
  /** How long the lease of this instance still holds, in milliseconds. */
  readonly leaseLeftOf: (partition: PartitionName) => number;
}

/** An older instance that was only restarted is back by then, and can read what is written until then. */
const RAISE_SCHEMA_MS = 30_000;

/** A claimed partition: the schema that its commits are for, and since when all living instances know a newer one. */
interface Term {
  readonly schema: number;
  newerSince: number | null;
}

/** What fits into a heartbeat. */
const MAX_REASON_CHARACTERS = 200;

export class Replicas {
  readonly #options: ReplicasOptions;
  readonly #copies = new Map<PartitionName, CopyState>();
  readonly #terms = new Map<PartitionName, Term>();
  readonly #formerLeaseEnds = new Map<PartitionName, number>();

  constructor(options: ReplicasOptions) {
    this.#options = options;
  }

  get all(): readonly CopyState[] {
    return [...this.#copies.values()];
  }

  get reports(): CopyReport[] {
    return this.all.map(({ partition, state, applied, chain, term, schema, reason }) => ({
      partition,
      state,
      applied,
      chain,
      term,
      schema,
      ...(state === 'owning' ? { leaseLeftMs: Math.round(this.#options.leaseLeftOf(partition)) } : {}),
      ...(reason === undefined ? {} : { reason: reason.replace(/\p{Cc}/gu, ' ').slice(0, MAX_REASON_CHARACTERS) }),
    }));
  }

  note(copy: CopyState): void {
    this.#copies.set(copy.partition, copy);
  }

  /** Whether the copy has fewer records than another one, as far as it has reported. */
  lacks(partition: PartitionName, applied: number): boolean {
    return (this.#copies.get(partition)?.applied ?? 0) < applied;
  }

  /**
   * The term of the owner that may be succeeded, or null. `others`: the instances that live, by their heartbeats. An owner
   * must be gone, and its lease over. A copy that lacks what another one has may not write: either it lags, or the log has
   * lost records. Nor may one with another history than an equally long one.
   */
  claimable(partition: PartitionName, others: readonly OtherInstance[]): number | null {
    const copy = this.#copies.get(partition);
    if (copy === undefined || copy.state !== 'following') return null;
    const { folder, leaseMs, now } = this.#options;
    const { owner, applied, term } = copy;
    const isReleased = owner === null || owner.folder === folder;
    if (!isReleased && others.some(({ id, copies }) => id === owner.instance && isOwning(copies, partition))) return null;
    if (!isReleased && !hasLeaseEnded(leaseOf(owner, leaseMs), copy.seenAt, now())) return null;
    const ofOthers = others.flatMap(({ copies }) => copies.filter((other) => other.partition === partition));
    // One of the two has another history: the log decides which, before either writes.
    if (ofOthers.some((other) => other.applied === applied && other.chain !== copy.chain)) return null;
    const isBehind = ofOthers.some((other) => other.applied > applied);
    this.#formerLeaseEnds.set(partition, owner === null ? 0 : copy.seenAt + leaseOf(owner, leaseMs) * CLOCK_MARGIN);
    return isBehind ? null : term;
  }

  /**
   * When the lease of the owner has ended that was succeeded last, 0 if it gave the partition up. One that ran on this folder
   * is not waited for: it answers no more. What it granted to other instances may outlive it.
   */
  formerLeaseEnd(partition: PartitionName): number {
    return this.#formerLeaseEnds.get(partition) ?? 0;
  }

  /** The newest schema that every living instance knows, apart from copies that have halted already. */
  commonSchema(partition: PartitionName, others: readonly OtherInstance[]): number {
    const own = this.#copies.get(partition)?.schema ?? 0;
    const sound = others.flatMap(({ copies }) => copies.filter((other) => other.partition === partition && other.state !== 'halted'));
    return Math.min(own, ...sound.map(({ schema }) => schema));
  }

  /** The commits of this instance are for programs that know this schema. */
  noteClaim(partition: PartitionName, schema: number): void {
    this.#terms.set(partition, { schema, newerSince: null });
  }

  /** Whether the partition should be claimed again, because its commits are for an older schema than they need be. */
  isOutdated(partition: PartitionName, others: readonly OtherInstance[]): boolean {
    const term = this.#terms.get(partition);
    if (term === undefined) return false;
    const now = this.#options.now();
    term.newerSince = this.commonSchema(partition, others) > term.schema ? (term.newerSince ?? now) : null;
    return term.newerSince !== null && now - term.newerSince >= RAISE_SCHEMA_MS;
  }
}

/** The partitions that an instance with these copies cannot take. */
export function unableOf(copies: readonly CopyReport[], partitions: readonly PartitionName[]): Set<PartitionName> {
  const sound = new Set(copies.filter(({ state }) => state !== 'halted').map(({ partition }) => partition));
  return new Set(partitions.filter((partition) => !sound.has(partition)));
}

function isOwning(copies: readonly CopyReport[], partition: PartitionName): boolean {
  return copies.some((copy) => copy.partition === partition && copy.state === 'owning');
}
