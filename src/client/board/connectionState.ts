/** The visible state of a connection to a board. */
import type { BoardEvent, OnlineUser, PeerState, Signal } from '../events.js';
import type { ChangeName } from './predictions.js';
import type { FullBoard } from '../resources.js';

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
  /** Null if the whole board was read, or a change of this client was made, confirmed or taken back. */
  readonly event: BoardEvent | null;
}

/** A change of this client that was taken back. */
export interface RefusedChange {
  readonly name: ChangeName;
  /** As they were given to `change`. */
  readonly args: readonly unknown[];
  /** An `ApiError` if the service refused it. After any other error it may have been made; then its event follows. */
  readonly error: unknown;
}

/** The events of a connection. */
export interface ConnectionEvents {
  readonly change: BoardChange;
  readonly event: BoardEvent;
  readonly presence: readonly OnlineUser[];
  /** The state of the connection itself. */
  readonly state: ConnectionState;
  /** What the connections to the board show of themselves, this one included. */
  readonly states: readonly PeerState[];
  readonly signal: Signal;
  readonly refused: RefusedChange;
}
