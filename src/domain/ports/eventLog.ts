/** The latest events of each board, kept for clients that were away. */
import type { BoardEvent } from '../events.js';
import type { Uuid } from '../ids.js';
import type { Position } from '../position.js';

export interface EventLogPort {
  /** Does not check membership: it is for callers that the board has admitted. */
  eventsAfter(boardId: Uuid, since: Position): Promise<MissedEvents>;
}

/** Some events of a board, and whether they are all that a client lacks. The position of its latest event. */
export interface MissedEvents extends Position {
  /** In order, without a gap, as many as fit one answer. */
  readonly events: readonly BoardEvent[];
  /** The events are not kept, or are of another epoch: the client must read the board again. */
  readonly resync: boolean;
}
