/** Replicated partitions as operators see them. */
import type { CopyState, PartitionName } from '../messages.js';

export interface PartitionOverview {
  readonly partition: PartitionName;
  /** The id of the instance that owns it; null if none does. */
  readonly owner: string | null;
  /** The highest that a copy knows. */
  readonly term: number;
  /** How long the owner may answer reads without asking the log, in milliseconds; null without an owner. */
  readonly leaseLeftMs: number | null;
  readonly log: LogOverview;
  /** The answering instance first. */
  readonly copies: readonly CopyOverview[];
}

export interface CopyOverview {
  /** The id of the instance. */
  readonly instance: string;
  readonly state: CopyState['state'];
  /** The number of its last record. */
  readonly applied: number;
  readonly chain: string;
  readonly term: number;
  /** How many records another copy is ahead. */
  readonly lag: number;
  /** Why it halted. */
  readonly reason?: string;
}

export interface LogOverview {
  /** The NATS server that leads the log; null while there is none. */
  readonly leader: string | null;
  readonly hasQuorum: boolean;
  readonly servers: ReadonlyArray<{ readonly name: string; readonly isCurrent: boolean }>;
  readonly bytes: number;
}

/** `halted`: a copy of this instance. */
export type LogStatus = 'ok' | 'no quorum' | 'halted';

/** `lost`: not every machine has a sound copy and a current log of each partition, so the next loss may stop the service. */
export type ReserveStatus = 'ok' | 'lost';
