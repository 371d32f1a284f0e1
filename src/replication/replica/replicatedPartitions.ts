/** The replicated partitions of one store thread. */
import { InUse } from '../../domain/errors.js';
import type { Claim } from '../../domain/ports/partitionLog.js';
import type { CopyState, PartitionName } from '../../partitions/messages.js';
import type { Partition, PartitionHost } from '../../partitions/runtime/partition.js';
import { Replica, type Copy, type ReplicaOptions } from './replica.js';

/** What all of them share. */
export type ReplicatedPartitionsOptions<Kind extends Copy> = Omit<ReplicaOptions<Kind>, 'name' | 'report' | 'onError'>;

export class ReplicatedPartitions<Kind extends Copy> {
  readonly #options: ReplicatedPartitionsOptions<Kind>;
  readonly #replicas = new Map<PartitionName, Replica<Kind>>();

  constructor(options: ReplicatedPartitionsOptions<Kind>) {
    this.#options = options;
  }

  /** Resolves when the copy has what its log had. */
  async follow(name: PartitionName, report: (copy: CopyState) => void, onError: (error: unknown) => void): Promise<void> {
    const replica = new Replica<Kind>({ ...this.#options, name, report, onError });
    this.#replicas.set(name, replica);
    await replica.start();
  }

  chains(name: PartitionName): ReadonlyMap<number, string> {
    return this.#replicas.get(name)?.chains ?? new Map();
  }

  async storePosition(name: PartitionName): Promise<void> {
    await this.#replicas.get(name)?.storePosition();
  }

  noteRecords(name: PartitionName, applied: number): void {
    this.#replicas.get(name)?.noteRecords(applied);
  }

  /** The connection to the log is back. */
  noteReconnection(): void {
    for (const replica of this.#replicas.values()) replica.noteReconnection();
  }

  /** Rejects with `InUse` if another instance owns the partition. */
  async claim(name: PartitionName, host: PartitionHost, claim: Claim): Promise<Partition> {
    const replica = this.#replicas.get(name);
    if (replica === undefined) throw new InUse(`there is no copy of the ${name}`);
    return replica.claim(host, claim);
  }

  /** All partitions are closed. */
  async close(): Promise<void> {
    for (const replica of this.#replicas.values()) await replica.close();
    this.#replicas.clear();
  }
}
