/**
 * Cards that move to other boards. They stay on disk: a board in memory knows only which are on their way, and those few from the
 * first command that writes.
 */
import type { Idempotency } from '../../idempotency.js';
import type { Uuid } from '../../ids.js';
import type { Moved } from '../../model.js';

/** Of one board. Reads are synchronous: a command decides at once. */
export interface MovesOnDisk {
  find(id: Uuid): Moved | undefined;
  /** The ids of the cards that are on their way. */
  leaving(): Uuid[];
  /** When the timer of a card is due, in milliseconds since the epoch; null if it has none. It waits while the card is on its way. */
  reminderDue(card: Uuid): number | null;
}

/** Of a board that is new, or read for its size alone. */
export const NO_MOVES: MovesOnDisk = { find: () => undefined, leaving: () => [], reminderDue: () => null };

/** For so long the old id of a card leads to the new one. */
export const MOVED_DAYS = 365;

/** From one board. Each is a card with its files that is sent to another board. */
export const MAX_LEAVING = 8;

export const MOVE_KEY = 'move-of-card-';

/** With it the other board keeps its answer for the one who moves the card. `source`: the id of the card on the board that it leaves. */
export function keyOfMove(id: Uuid, source: Uuid): Idempotency {
  return { key: `${MOVE_KEY}${id}`, fingerprint: source };
}
