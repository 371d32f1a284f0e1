/**
 * The activity of a board: who changed what when. It stays on disk, so a board in memory costs nothing for it, and is read
 * through this port.
 */
import type { Uuid } from '../../ids.js';
import type { Fact } from './facts.js';

/** A fact as it is stored. */
export interface StoredFact extends Fact {
  readonly first: number;
  readonly at: string;
}

/** Facts with lower numbers than `before` and higher ones than `after`. */
export interface ActivityRange {
  readonly before: number | null;
  readonly after: number;
  readonly card_id: Uuid | null;
}

/** The activity of one board. Reads are synchronous: a command decides at once. */
export interface ActivityOnDisk {
  /** The newest first. Stop taking them where enough are found: each is read when it is taken. Facts of a card come from at most `MAX_LOOKED_THROUGH` facts. */
  read(range: ActivityRange): Iterable<StoredFact>;
  /** The number of the last fact that a read of this card's facts looks at, if others are left; null if it looks at all. */
  endOf(range: ActivityRange): number | null;
  /** The first number of the command to which this number belongs; null if no fact of it is kept. */
  commandAt(seq: number): number | null;
  /** The facts of a command, the first one first. */
  command(first: number, limit: number): readonly StoredFact[];
  /** Undefined if the user was never removed from the board, or deleted. */
  formerName(user: Uuid): string | undefined;
}

/** Of a board that is new, or read for its size alone. */
export const NO_ACTIVITY: ActivityOnDisk = {
  read: () => [],
  endOf: () => null,
  commandAt: () => null,
  command: () => [],
  formerName: () => undefined,
};

/** Bytes of a fact besides its JSON: its row, and its entry in the index. */
export const FACT_BYTES = 256;
/** Of a board's activity. The oldest go first. */
export const MAX_ACTIVITY_BYTES = 64 * 1024 * 1024;
/** Of the facts in one page. */
export const PAGE_CHARACTERS = 512 * 1024;
/** Facts that a page may pass over because of its filter: two milliseconds. */
export const MAX_PASSED_OVER = 2_000;
/** Facts of a board that one read looks through for facts of a card, in an index: three milliseconds. */
export const MAX_LOOKED_THROUGH = 20_000;
