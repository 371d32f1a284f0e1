/** A running service's report on itself and its instances. */
import type { PubsubStatus } from '../domain/ports/pubsub.js';
import type { PartitionName } from '../partitions/messages.js';
import type { InstanceInfo } from '../partitions/ownership.js';
import type { PartitionOverview } from '../partitions/health/replicationOverview.js';

export interface Overview {
  readonly pubsub: PubsubStatus;
  /** The answering instance first. */
  readonly instances: readonly InstanceInfo[];
  /** All partitions, with or without an owner. */
  readonly partitions: readonly PartitionName[];
  /** Only if the partitions are replicated. */
  readonly replicated?: readonly PartitionOverview[];
}
