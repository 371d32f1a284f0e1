import type { PartitionName } from '../partitions/messages.js';

/** Where the owner of a partition is asked. */
export function addressOf(partition: PartitionName): string {
  return partition.replace(' ', '.');
}
