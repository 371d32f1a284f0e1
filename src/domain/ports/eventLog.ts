/** The latest events of each board, kept for clients that were away. */
import type { BoardEvent } from '../events.js';
import type { Uuid } from '../ids.js';

export interface EventLogPort {
  /** Asks for no membership: it is for callers that the board has let in. */
  eventsAfter(boardId: Uuid, seq: number): Promise<MissedEvents>;
}

/** Some events of a board, and whether they are all that a client lacks. */
export interface MissedEvents {
  /** The number of the board's latest event at that moment. */
  readonly seq: number;
  /** In order, without a gap, as many as fit one answer. */
  readonly events: readonly BoardEvent[];
  /** The events are no longer kept: the client must read the board anew. */
  readonly resync: boolean;
}
