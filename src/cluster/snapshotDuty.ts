/** Which instance takes the snapshots of a partition. */
import type { PartitionName } from '../partitions/messages.js';
import type { OtherInstance } from './replicas.js';

/**
 * The first that follows the log without owning the partition, so that no owner is slowed down; the owner if it is alone.
 * Two that do not know of each other may both take one, which does no harm. Null if no copy is sound.
 */
export function snapshotTaker(partition: PartitionName, instances: readonly OtherInstance[]): string | null {
  const inState = (state: string): string | undefined =>
    instances
      .filter(({ copies }) => copies.some((copy) => copy.partition === partition && copy.state === state))
      .map(({ id }) => id)
      .sort()[0];
  return inState('following') ?? inState('owning') ?? null;
}
