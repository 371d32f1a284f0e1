/** Which instance owns which partition, as far as this process knows. */
import type { PartitionName } from './messages.js';

/** `moving`: no instance owns it, and one is expected to take it soon. */
export type Whereabouts = 'here' | 'elsewhere' | 'moving' | 'out of reach';

export interface InstanceState {
  readonly id: string;
  /** The instance is stopping: it gives its partitions away and takes none. */
  readonly leaving: boolean;
  /** The instance has just started: it cannot take partitions yet, and is given none. */
  readonly joining?: boolean;
  /** An operator took it out of service: like `leaving`, but it stays. */
  readonly drained?: boolean;
  readonly partitions: readonly PartitionName[];
}

/** The description of an instance for operators. */
export interface InstanceInfo extends InstanceState {
  readonly host: string;
  readonly pid: number;
  readonly url: string;
  readonly version: string;
  readonly startedAt: string;
  readonly sockets: number;
}
