/** The users connected to a board. Kept in memory by the board's shard, and expires unless refreshed. */
import type { Uuid } from '../ids.js';
import type { RestrictedRole } from '../model.js';
import type { Position } from '../position.js';
import type { Result } from '../result.js';

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
  /** What the client shows of itself, as JSON; absent for none. */
  readonly state?: string;
  /** The role that keeps the client from sending signals, as its instance knows it; absent for none. */
  readonly restriction?: RestrictedRole;
}

/** Used in the place of an id if no socket is meant. */
export const NO_CONNECTION = 0;

export const PRESENCE_TYPES = ['user_joined', 'user_left'] as const;

export interface PresenceMessage {
  readonly type: (typeof PRESENCE_TYPES)[number];
  readonly user_id: Uuid;
  readonly username: string;
}

/** The state of one connection, as JSON; null if it has none any more. */
export interface ConnectionState {
  readonly user_id: Uuid;
  readonly connection_id: number;
  readonly state: string | null;
}

/** Everyone who joins a board gets all its states. On a full board, the state that changed longest ago makes room. */
export const MAX_STATES_PER_BOARD = 200;

/** Who is on a board, and the states of their connections. */
export interface PresenceSnapshot {
  readonly online: readonly OnlineUser[];
  readonly states: readonly ConnectionState[];
}

/**
 * The position of the board's latest event: the connection receives those after it. Who is there if it was
 * asked for; the owner may be of a version that does not know it.
 */
export type Joined = Result<Position & JoinDetails>;

export interface JoinDetails {
  readonly attendance?: PresenceSnapshot;
  /** Of the user; absent for a member or an owner. */
  readonly restriction?: RestrictedRole;
}

export interface PresencePort {
  /** Checks the membership and registers the connection. */
  join(connection: Connection, wants?: { readonly attendance: boolean }): Promise<Joined>;
  /** The state of a registered connection is now the given one, or none. Resolves when it is published, or lost. */
  setState(connection: Connection): Promise<void>;
  /** The connections are alive. Those that the shard has lost are registered again. */
  refresh(connections: readonly Connection[]): void;
  /** A refresh after messages may have been lost: deleted boards and removed members are published again. */
  recheck(connections: readonly Connection[]): void;
  leave(connection: Connection): void;
  /** Null if there is no such board. */
  list(boardId: Uuid): Promise<readonly OnlineUser[] | null>;
  states(boardId: Uuid): Promise<readonly ConnectionState[]>;
}

export interface OnlineUser {
  readonly user_id: Uuid;
  readonly username: string;
}

/** `state` is JSON already. */
export function renderState({ user_id, connection_id, state }: ConnectionState): string {
  return `{"type":"state","user_id":"${user_id}","connection_id":${connection_id},"state":${state ?? 'null'}}`;
}

export function renderPresence({ type, user_id, username }: PresenceMessage): string {
  return JSON.stringify({ type, user_id, username });
}
