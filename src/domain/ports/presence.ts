/** The users connected to a board. Kept in memory by the board's shard, and expires unless refreshed. */
import type { BoardEvent } from '../events.js';
import type { ErrorData } from '../errors.js';
import type { Uuid } from '../ids.js';

/**
 * By this time after a board got a new owner, every instance has reported its sockets to it. A connection reported
 * later counts as new and is published.
 */
export const PRESENCE_REBUILD_MS = 2_000;

/** One socket of a user on a board. The instance with the socket draws the id, which is not `NO_CONNECTION`. */
export interface Connection {
  readonly id: number;
  readonly board_id: Uuid;
  readonly user_id: Uuid;
  readonly username: string;
}

/** Used in the place of an id if no socket is meant. */
export const NO_CONNECTION = 0;

export interface PresenceMessage {
  readonly type: 'user_joined' | 'user_left';
  readonly user_id: Uuid;
  readonly username: string;
}

/** Some events of a board, and whether a client can continue with them. */
export interface MissedEvents {
  /** The number of the board's latest event at that time. */
  readonly seq: number;
  /** In order, without a gap, as many as fit one answer. */
  readonly events: readonly BoardEvent[];
  /** The events are no longer kept: the client must read the board again. */
  readonly resync: boolean;
}

export type Joined = ({ readonly ok: true } & MissedEvents) | { readonly ok: false; readonly error: ErrorData };

export interface PresencePort {
  /** Checks the membership and registers the connection. `since` is the last event that the client knows, if any. */
  join(connection: Connection, since: number | null): Promise<Joined>;
  /** The connections are alive. Connections unknown to the shard are registered again. */
  refresh(connections: readonly Connection[]): void;
  /** A refresh after messages may have been lost: deleted boards and removed members are published again. */
  recheck(connections: readonly Connection[]): void;
  leave(connection: Connection): void;
  /** Null if there is no such board. */
  list(boardId: Uuid): Promise<readonly OnlineUser[] | null>;
  eventsAfter(boardId: Uuid, seq: number): Promise<MissedEvents>;
}

export interface OnlineUser {
  readonly user_id: Uuid;
  readonly username: string;
}

export function renderPresence({ type, user_id, username }: PresenceMessage): string {
  return JSON.stringify({ type, user_id, username });
}
