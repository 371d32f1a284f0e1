import type { EntryOf, OutboxKind } from '../partitions/messages.js';

/** `outdated`: the target has what the entry carries, and that is no longer current. It is delivered once more. */
export type DeliveryOutcome = 'delivered' | 'outdated';

/** A delivery in steps. Each holds a place; before the next one, other targets have their turn. */
export type DeliverySteps = AsyncGenerator<void, DeliveryOutcome, void>;

export interface Attempt {
  /** How the attempt before this one ended. Null for the first at its target. */
  readonly before: 'failed' | 'outdated' | null;
  /** An urgent entry has replaced this one: the attempt takes no further steps, or few. */
  isOvertaken: boolean;
  /** Called when that happens. (An AbortSignal would cost several times what the delivery of a membership does.) */
  onOvertaken: () => void;
}

/** All that the relay needs to know about a kind of entries. */
export interface DeliveryKind<Kind extends OutboxKind> {
  /**
   * Hands an entry to its target; rejects if the target does not have it. The same entry may come again, and after its
   * source moved to another instance also after later entries: the receiver compares ids, or `deliver` what it wrote.
   * Must end by itself, however fast further entries come: it says `outdated` instead of beginning again.
   */
  deliver(entry: EntryOf<Kind>, attempt: Attempt): DeliverySteps;
  /** Whether an entry makes the earlier ones of its target superfluous. */
  readonly latestOnly: boolean;
  /**
   * Whether the entry waits for no other entries: it has places of its own, and is taken beyond the bound. Only entries
   * that users cannot cause, of a kind with `latestOnly`.
   */
  isUrgent(entry: EntryOf<Kind>): boolean;
  /** Steps at a time. Repeated attempts have as many places of their own, so that they delay no first attempt. */
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
