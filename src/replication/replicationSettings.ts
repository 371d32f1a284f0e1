/** What a store thread needs to follow replicated logs. */
import type { FoundLog } from '../log/clusterStreams.js';
import type { PartitionName } from '../partitions/messages.js';

export interface ReplicationSettings {
  readonly urls: readonly string[];
  readonly prefix: string;
  /** The incarnation of this process. */
  readonly instance: string;
  /** Which stream is the log of which partition, as found at the start. */
  readonly logs: ReadonlyMap<PartitionName, Pick<FoundLog, 'identity' | 'address'>>;
  readonly leaseMs: number;
  /** See `Leases`. */
  readonly leases: SharedArrayBuffer;
  readonly secret: string;
  readonly dataDir: string;
  readonly shards: number;
}
