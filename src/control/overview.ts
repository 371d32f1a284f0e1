/** What a running service tells an operator of itself and of the instances beside it. */
import type { PubsubStatus } from '../domain/ports/pubsub.js';
import type { PartitionName } from '../partitions/messages.js';
import type { InstanceInfo } from '../partitions/ownership.js';

export interface Overview {
  readonly pubsub: PubsubStatus;
  /** The one that answers first. */
  readonly instances: readonly InstanceInfo[];
  /** All that there are, with an owner or without. */
  readonly partitions: readonly PartitionName[];
}
