/** The visible state of a connection to a board. */
import type { BoardEvent, OnlineUser } from './events.js';
import type { FullBoard } from './resources.js';

/** `refused`: no valid token, or not a member (any more). `left`: `close` was called. */
export type EndCause = 'refused' | 'board deleted' | 'left';

/**
 * `connecting`: the board is being read or catches up. `live`: the copy is current. `waiting`: the connection was lost
 * and will be retried. `closed`: for good.
 */
export type ConnectionState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  | { readonly kind: 'waiting'; readonly reason: string; readonly retryInMs: number }
  | { readonly kind: 'closed'; readonly cause: EndCause; readonly reason: string };

export interface BoardChange {
  readonly board: FullBoard;
  /** Null if the whole board was read. */
  readonly event: BoardEvent | null;
}

/** The events of a connection. */
export interface ConnectionEvents {
  readonly change: BoardChange;
  readonly event: BoardEvent;
  readonly presence: readonly OnlineUser[];
  readonly state: ConnectionState;
}
