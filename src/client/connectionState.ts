/** What can be seen of a connection to a board. */
import type { BoardEvent, OnlineUser } from './events.js';
import type { FullBoard } from './resources.js';

/** `refused`: no valid token, or not a member, or not any more. `left`: `close` was called. */
export type EndCause = 'refused' | 'board deleted' | 'left';

/**
 * `connecting`: the board is being read or caught up with. `live`: the copy is current. `waiting`: the connection was
 * lost and will be made again. `closed`: for good.
 */
export type ConnectionState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  | { readonly kind: 'waiting'; readonly reason: string; readonly retryInMs: number }
  | { readonly kind: 'closed'; readonly cause: EndCause; readonly reason: string };

export interface BoardChange {
  readonly board: FullBoard;
  /** Null where the board was read as a whole. */
  readonly event: BoardEvent | null;
}

/** What can be listened to. */
export interface ConnectionEvents {
  readonly change: BoardChange;
  readonly event: BoardEvent;
  readonly presence: readonly OnlineUser[];
  readonly state: ConnectionState;
}
