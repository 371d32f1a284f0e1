/** The states of connections on the boards of one shard. Most connections have none. */
import type { Uuid } from '../domain/ids.js';
import type { Connection, ConnectionState } from '../domain/ports/presence.js';

/** Without this, everyone who joins a board with many states would get them all. */
export const MAX_STATES_SENT = 200;

interface State {
  readonly user_id: Uuid;
  readonly state: string;
}

export class ConnectionStates {
  /** By board and connection; the one that changed last is the last. */
  readonly #boards = new Map<Uuid, Map<number, State>>();

  /** Returns whether the state is another than before. */
  set({ id, board_id, user_id, state }: Omit<Connection, 'username'>): boolean {
    const before = this.#boards.get(board_id)?.get(id);
    if (before?.state === state) return false;
    this.#remove(board_id, id);
    if (state === undefined) return true;
    const states = this.#boards.get(board_id) ?? new Map<number, State>();
    this.#boards.set(board_id, states.set(id, { user_id, state }));
    return true;
  }

  /** Removes those of the user's connections that are not kept, and returns their ids. */
  keepOnly(boardId: Uuid, userId: Uuid, isKept: (id: number) => boolean): number[] {
    const removed: number[] = [];
    for (const [id, { user_id }] of this.#boards.get(boardId) ?? []) {
      if (user_id === userId && !isKept(id)) removed.push(id);
    }
    for (const id of removed) this.#remove(boardId, id);
    return removed;
  }

  /** The latest. */
  of(boardId: Uuid): ConnectionState[] {
    const states = Array.from(this.#boards.get(boardId) ?? [], ([connection_id, each]) => ({ ...each, connection_id }));
    return states.slice(-MAX_STATES_SENT);
  }

  #remove(boardId: Uuid, id: number): void {
    const states = this.#boards.get(boardId);
    states?.delete(id);
    if (states?.size === 0) this.#boards.delete(boardId);
  }
}
