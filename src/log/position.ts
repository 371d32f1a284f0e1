/** How far a copy of a partition has followed its log. */
import { NO_CHAIN } from './records.js';

export interface LogPosition {
  /** The place of the last record that the copy has. */
  readonly applied: number;
  /** Over all records up to there. */
  readonly chain: string;
  /** Of the last owner. */
  readonly term: number;
  /** Null if nobody owns the partition. */
  readonly owner: LogOwner | null;
}

export interface LogOwner {
  /** The incarnation of the instance. */
  readonly instance: string;
  /** Its data folder: a process that holds the locks of this folder knows that an earlier owner of it is dead. */
  readonly folder: string;
}

export const LOG_START: LogPosition = { applied: 0, chain: NO_CHAIN, term: 0, owner: null };
