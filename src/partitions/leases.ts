/**
 * The ends of the leases of replicated partitions, shared by all threads: answers that are kept in the I/O thread are
 * valid only while this process surely owns their partition.
 */
import { machineNow } from '../domain/machineClock.js';
import type { PartitionName } from './messages.js';
import { shardNumber } from './partitionNames.js';

export class Leases {
  readonly memory: SharedArrayBuffer;
  readonly #ends: Float64Array;

  /** `memory`: of another thread's. */
  constructor(memoryOrShards: SharedArrayBuffer | number) {
    this.memory = typeof memoryOrShards === 'number' ? new SharedArrayBuffer((memoryOrShards + 1) * Float64Array.BYTES_PER_ELEMENT) : memoryOrShards;
    this.#ends = new Float64Array(this.memory);
  }

  /** By the clock of the machine; 0 when this process does not own the partition. */
  set(partition: PartitionName, endsAt: number): void {
    this.#ends[placeOf(partition)] = endsAt;
  }

  /** By the clock of the machine; 0 when this process does not own the partition. */
  endOf(partition: PartitionName): number {
    return this.#ends[placeOf(partition)] ?? 0;
  }

  holds(partition: PartitionName): boolean {
    return this.leftOf(partition) > 0;
  }

  /** In milliseconds. */
  leftOf(partition: PartitionName): number {
    return Math.max(0, this.endOf(partition) - machineNow());
  }
}

function placeOf(partition: PartitionName): number {
  return partition === 'directory' ? 0 : 1 + shardNumber(partition);
}
