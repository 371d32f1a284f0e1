/** The states of connections on the boards of one shard. Most connections have none. */
import type { Uuid } from '../../domain/ids.js';
import { MAX_STATES_PER_BOARD, type Connection, type ConnectionState } from '../../domain/ports/presence.js';

interface State {
  readonly user_id: Uuid;
  readonly state: string;
}

export class ConnectionStates {
  /** By board and connection; the one that changed last is the last. */
  readonly #boards = new Map<Uuid, Map<number, State>>();

  /** Returns what has changed: nothing, this state, or also the state of another connection, which made room for it. */
  set({ id, board_id, user_id, state }: Omit<Connection, 'username'>): ConnectionState[] {
    if (this.#boards.get(board_id)?.get(id)?.state === state) return [];
    this.#remove(board_id, id);
    if (state === undefined) return [{ user_id, connection_id: id, state: null }];
    const dropped = this.#isFull(board_id) ? this.#dropOldest(board_id) : [];
    const states = this.#boards.get(board_id) ?? new Map<number, State>();
    this.#boards.set(board_id, states.set(id, { user_id, state }));
    return [...dropped, { user_id, connection_id: id, state }];
  }

  /** Like `set`, but takes no other connection's place: this one's state may have made room before. */
  refresh(connection: Connection): ConnectionState[] {
    const { id, board_id, state } = connection;
    const isDropped = state !== undefined && this.#isFull(board_id) && this.#boards.get(board_id)?.has(id) !== true;
    return isDropped ? [] : this.set(connection);
  }

  /** Ends the states of the user's connections that are not kept. */
  keepOnly(boardId: Uuid, userId: Uuid, isKept: (id: number) => boolean): ConnectionState[] {
    const ended: ConnectionState[] = [];
    for (const [connection_id, { user_id }] of this.#boards.get(boardId) ?? []) {
      if (user_id === userId && !isKept(connection_id)) ended.push({ user_id, connection_id, state: null });
    }
    for (const { connection_id } of ended) this.#remove(boardId, connection_id);
    return ended;
  }

  of(boardId: Uuid): ConnectionState[] {
    return Array.from(this.#boards.get(boardId) ?? [], ([connection_id, { user_id, state }]) => ({ user_id, connection_id, state }));
  }

  #isFull(boardId: Uuid): boolean {
    return (this.#boards.get(boardId)?.size ?? 0) >= MAX_STATES_PER_BOARD;
  }

  #dropOldest(boardId: Uuid): ConnectionState[] {
    for (const [connection_id, { user_id }] of this.#boards.get(boardId) ?? []) {
      this.#remove(boardId, connection_id);
      return [{ user_id, connection_id, state: null }];
    }
    return [];
  }

  #remove(boardId: Uuid, id: number): void {
    const states = this.#boards.get(boardId);
    states?.delete(id);
    if (states?.size === 0) this.#boards.delete(boardId);
  }
}
