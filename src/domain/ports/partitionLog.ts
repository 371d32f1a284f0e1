/** The log of a partition, as the store of its owner uses it. */
import type { Deposed } from '../errors.js';

/** Which log a file follows. */
export interface LogIdentity {
  /** Of the cluster, random. */
  readonly cluster: string;
  /** When the stream was made: one of the same name that was made anew is another log. */
  readonly created: string;
  /** Rises when an operator replaces a lost log by a copy. */
  readonly generation: number;
}

/** How far a copy of a partition has followed its log. */
export interface LogPosition {
  /** The place of the last record that the copy has. */
  readonly applied: number;
  /** Over all records up to there. */
  readonly chain: string;
  /** Of the last owner. */
  readonly term: number;
  /** Null if no process owns the partition. */
  readonly owner: LogOwner | null;
}

export interface LogOwner {
  /** The incarnation of the instance. */
  readonly instance: string;
  /** Its data folder: a process that holds the locks of this folder knows that an earlier owner of it is dead. */
  readonly folder: string;
  /** How long each of its records lets it answer reads; null if an older program wrote or stored the record of ownership. */
  readonly leaseMs: number | null;
}

/** Of a copy that has nothing yet. */
export const LOG_START: LogPosition = { applied: 0, chain: '0'.repeat(32), term: 0, owner: null };

/** To succeed the owner of this term, if there was none since, with commits that all living instances can read. */
export interface Claim {
  readonly term: number;
  readonly schema: number;
}

/** The claim with the lease that its record grants. */
export interface LeasedClaim extends Claim {
  readonly leaseMs: number;
}

/** The file of a copy. */
export interface CopyFile {
  /** As stored now. */
  readonly position: LogPosition;
  /** Applies commits, as they are in the log, in one transaction, and stores the position with them. Throws if it cannot. */
  apply(contents: readonly Uint8Array[], position: LogPosition): void;
}

export interface OwnedLog {
  readonly position: LogPosition;
  /**
   * Calls `settled` with null when the log has the commit. The caller then stores it together with `position`, or calls
   * `halt`. Otherwise the commit is undone, and the partition has another owner.
   */
  append(content: Uint8Array, settled: (error: Deposed | null) => void): void;
  /** Calls `settled` with null when what was read before is known to be current. */
  confirm(settled: (error: Deposed | null) => void): void;
  /** The file lacks what the log has. */
  halt(reason: Error): void;
}
