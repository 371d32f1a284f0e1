/** Which instance owns which partition, as far as this process knows. */
import type { PartitionName } from './messages.js';

/** `moving`: no instance has it, and one is expected to take it any moment. */
export type Whereabouts = 'here' | 'elsewhere' | 'moving' | 'out of reach';

export interface InstanceState {
  readonly id: string;
  /** On its way out: it gives everything away and is given nothing. */
  readonly leaving: boolean;
  readonly partitions: readonly PartitionName[];
}

/** What operators are shown of an instance. */
export interface InstanceInfo extends InstanceState {
  readonly host: string;
  readonly pid: number;
  readonly url: string;
  readonly version: string;
  readonly startedAt: string;
  readonly sockets: number;
}
