/** The port of a partition in its thread: what the thread asks of it, and what it may ask of the thread. */
import type { Deposed } from '../../domain/errors.js';
import type { PartitionStats } from '../health/partitionStats.js';
import type { Ask, Notice, Outcome, PartitionName, Reply } from '../messages.js';

/** How long new asks wait while the partitions of the thread settle earlier ones. */
export const TURN_MS = 8;

export interface Settlement {
  /** Everything in them is stored. */
  readonly replies: readonly Reply[];
  readonly notices: readonly Notice[];
}

export interface Partition {
  /**
   * Handles the asks in as few commits as possible. Calls `done` one or more times, now or later, until every ask has
   * its reply.
   */
  take(asks: readonly Ask[], done: (settlement: Settlement) => void): void;
  stats(): PartitionStats;
  /**
   * Writes a page without changing data. Throws if nothing can be stored. `busy`: a commit is under way, whose result
   * will tell.
   */
  probe(): 'works' | 'busy';
  /** Finishes what it can of earlier asks and the commit under way, closes the file, and calls `closed`, now or later. */
  close(closed: () => void): void;
}

export interface DeposablePartition extends Partition {
  /** Another process owns the partition: everything that waits is refused. A commit under way ends by itself. */
  depose(): void;
}

export interface PartitionHost {
  /** Logs the error. */
  onError(error: unknown): void;
  /** Publishes notices that belong to no ask. */
  publish(notices: readonly Notice[]): void;
  /** Runs one step of long work after other partitions had their turn. */
  later(step: () => void): void;
  /** Settles the commits of this turn. Called after every turn; a partition calls it to settle its own before it closes. */
  endTurn(): void;
  /** The partition was refused a commit, because this process no longer owns it. Called once, after the last replies. */
  deposed(): void;
  /** Whether the thread has been busy for `TURN_MS`, so that work which can wait should use `later`. */
  isTurnOver(): boolean;
}

/** The command was not looked at, so it may be sent again to the owner. */
export function notOpen(name: PartitionName): Outcome {
  return { ok: false, error: { code: 'unavailable', detail: `The ${name} is being moved. Try again.` }, notHere: true };
}

/** The answer to a change whose commit was refused because the partition has another owner. */
export function outcomeOf({ isStored }: Deposed, name: PartitionName): Outcome {
  if (isStored === 'no') return notOpen(name);
  const detail = `The ${name} is being moved, and it is not known whether the change was stored.`;
  return { ok: false, error: { code: 'unavailable', detail }, isUnknown: true };
}

export function refuseAll(asks: readonly Ask[], outcome: Outcome): Settlement {
  return { replies: asks.map(({ id }) => ({ id, outcome })), notices: [] };
}
