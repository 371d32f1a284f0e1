/** The partitions that this process owns, and their threads. */
import type { Claim } from '../../domain/ports/partitionLog.js';
import type { PartitionName } from '../messages.js';
import { shardNumber } from '../partitionNames.js';
import type { AnswerCache } from '../cache/answerCache.js';
import type { Leases } from '../leases.js';
import type { ThreadStats } from '../health/partitionStats.js';
import type { ThreadClient } from './threadClient.js';

export class LocalPartitions {
  /** The directory's first; none before `start`. */
  #all: readonly ThreadClient[] = [];
  readonly #threads = new Map<PartitionName, ThreadClient>();
  readonly #owned = new Set<PartitionName>();
  readonly #opening = new Set<PartitionName>();
  readonly #answers: Pick<AnswerCache, 'forgetPartition'>;
  readonly #leases: Leases | null;
  readonly #onLeft: Array<(partition: PartitionName) => void> = [];
  #onDeposed: (partition: PartitionName) => void = () => undefined;
  #beforeRelease: (partition: PartitionName) => Promise<void> = async () => undefined;

  /** `leases`: of replicated partitions; null if this process alone has its files. */
  constructor(answers: Pick<AnswerCache, 'forgetPartition'>, leases: Leases | null = null) {
    this.#answers = answers;
    this.#leases = leases;
  }

  /** Before anything is opened. The threads report to parts that ask through this object, so they come after it. */
  start(directoryThread: ThreadClient, shardThreads: readonly ThreadClient[]): void {
    this.#all = [directoryThread, ...shardThreads];
  }

  /** Called when a partition was lost to another process, after it has left `owned`. */
  onDeposed(listener: (partition: PartitionName) => void): void {
    this.#onDeposed = listener;
  }

  /** Called when a partition is owned here no longer, given away or lost. */
  onLeft(listener: (partition: PartitionName) => void): void {
    this.#onLeft.push(listener);
  }

  /** Called when a partition takes no more asks from here on, and before its next owner can open it. */
  beforeRelease(listener: (partition: PartitionName) => Promise<void>): void {
    this.#beforeRelease = listener;
  }

  get owned(): ReadonlySet<PartitionName> {
    return this.#owned;
  }

  owns(partition: PartitionName): boolean {
    return this.#owned.has(partition);
  }

  /** Rejects with `NotServedHere` when another process owns it. `claim`: if the partition is replicated. */
  async open(partition: PartitionName, claim?: Claim): Promise<void> {
    this.#opening.add(partition);
    try {
      await this.#threadOf(partition).open(partition, claim);
      this.#owned.add(partition);
    } finally {
      this.#opening.delete(partition);
    }
  }

  /** Resolves when the copy of the replicated partition has caught up with its log. */
  async follow(partition: PartitionName): Promise<void> {
    await this.#threadOf(partition).follow(partition);
  }

  /** Another instance has this many records of the replicated partition. */
  noteRecords(partition: PartitionName, applied: number): void {
    this.#threadOf(partition).noteRecords(partition, applied);
  }

  /** The chains over the latest records of the copy of a replicated partition, by the number of the record. */
  chains(partition: PartitionName): Promise<ReadonlyMap<number, string>> {
    return this.#threadOf(partition).chains(partition);
  }

  /** Resolves when the file of a replicated partition's copy says how far it has followed its log. */
  async storePosition(partition: PartitionName): Promise<void> {
    await this.#threadOf(partition).storePosition(partition);
  }

  /** Finishes earlier asks, closes the file and releases its lock. */
  async release(partition: PartitionName): Promise<void> {
    this.#owned.delete(partition);
    this.#answers.forgetPartition(partition);
    for (const listener of this.#onLeft) listener(partition);
    await this.#beforeRelease(partition);
    await this.#threadOf(partition).release(partition);
  }

  /** Its thread reports that another process owns the partition. */
  deposed(partition: PartitionName): void {
    // It was being released.
    if (!this.#owned.delete(partition)) return;
    this.#answers.forgetPartition(partition);
    for (const listener of this.#onLeft) listener(partition);
    this.#onDeposed(partition);
  }

  /** One for each thread, the directory's first. */
  stats(): Promise<ThreadStats[]> {
    return Promise.all(this.#all.map((thread) => thread.stats()));
  }

  /** Null if it takes no asks here. */
  threadOf(partition: PartitionName): ThreadClient | null {
    // A shard publishes undelivered changes while it opens, and the confirmation may arrive before it has.
    return this.#owned.has(partition) || this.#opening.has(partition) ? this.#threadOf(partition) : null;
  }

  /** Whether no other instance can have changed the partition meanwhile. */
  ownsSurely(partition: PartitionName): boolean {
    return this.#owned.has(partition) && (this.#leases === null || this.#leases.holds(partition));
  }

  #threadOf(partition: PartitionName): ThreadClient {
    const known = this.#threads.get(partition);
    if (known !== undefined) return known;
    const [directoryThread, ...shardThreads] = this.#all;
    const thread = partition === 'directory' ? directoryThread : shardThreads[shardNumber(partition) % shardThreads.length];
    if (thread === undefined) throw new Error(`no thread for ${partition}`);
    this.#threads.set(partition, thread);
    return thread;
  }
}
