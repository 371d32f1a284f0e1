import type { EntryOf, OutboxKind } from '../partitions/messages.js';

/** All that the courier needs to know about a kind of entries. */
export interface DeliveryKind<Kind extends OutboxKind> {
  /**
   * Hands an entry to its target; rejects if the target does not have it. The same entry may come again, and after its
   * source moved to another instance also after later entries: the receiver compares ids, or `deliver` what it wrote.
   * `isRepeated`: the attempt before this one failed.
   */
  deliver(entry: EntryOf<Kind>, isRepeated: boolean): Promise<unknown>;
  /** Whether an entry makes the earlier ones of its target superfluous. */
  readonly latestOnly: boolean;
  /** Deliveries at a time. Repeated attempts have as many places of their own, so that they delay no first attempt. */
  readonly parallel: number;
  /** How long an answer waits for the delivery of its entry. */
  readonly patienceMs: number;
  /** Logged when an answer waited in vain. */
  readonly late: { readonly level: 'warn' | 'debug'; readonly text: string };
  /** Logged when an attempt failed. */
  readonly failed: string;
}

/** The type ensures that none is missing. */
export type DeliveryKinds = { readonly [Kind in OutboxKind]: DeliveryKind<Kind> };
