/** The copies of partitions that follow replicated logs, as their threads report them. */
import type { PartitionName } from './messages.js';

export interface CopyState {
  readonly partition: PartitionName;
  readonly state: 'following' | 'claiming' | 'owning' | 'halted' | 'stopped';
  /** The last record that the copy has. */
  readonly applied: number;
  readonly chain: string;
  /** Of the last known owner. */
  readonly term: number;
  readonly owner: { readonly instance: string; readonly folder: string } | null;
  /** When the last record was seen, by the clock of the machine. */
  readonly seenAt: number;
  /** Why it halted. */
  readonly reason?: string;
}
