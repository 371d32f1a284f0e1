/** The presence of one shard's boards. Several connections of a user are one presence. */
import type { Uuid } from '../domain/ids.js';
import type { Connection, OnlineUser } from '../domain/presence.js';
import type { Notice } from './messages.js';

interface Present extends Connection {
  expiresAt: number;
}

/** User → the connections of that user, by their ids. */
type Users = Map<Uuid, Map<string, Present>>;

export class BoardPresence {
  readonly #boards = new Map<Uuid, Users>();
  /**
   * By id, in the order in which they expire: all live equally long, so whoever is refreshed goes to the end. Ten thousand
   * connections that are looked through four times a second took most of a shard's time at rest.
   */
  readonly #byExpiry = new Map<string, Present>();
  readonly #lifetimeMs: number;
  /** Until when connections that the shard's last owner knew are told to this one. */
  readonly #rebuiltAt: number;

  constructor(lifetimeMs: number, openedAt: number, rebuildMs = lifetimeMs) {
    this.#lifetimeMs = lifetimeMs;
    this.#rebuiltAt = openedAt + rebuildMs;
  }

  join(connection: Connection, now: number): Notice {
    const users: Users = this.#boards.get(connection.board_id) ?? new Map();
    this.#boards.set(connection.board_id, users);
    const connections = users.get(connection.user_id) ?? new Map<string, Present>();
    users.set(connection.user_id, connections);
    const present = { ...connection, expiresAt: now + this.#lifetimeMs };
    connections.set(connection.id, present);
    this.#toEnd(present);
    return tell('user_joined', connection);
  }

  /**
   * A connection that is not known any more is told again as having joined, because it was told as gone. One that only
   * this owner of the shard does not know yet is no news to anyone.
   */
  refresh(connection: Connection, now: number): Notice[] {
    const known = this.#boards.get(connection.board_id)?.get(connection.user_id)?.get(connection.id);
    if (known !== undefined) {
      known.expiresAt = now + this.#lifetimeMs;
      this.#toEnd(known);
      return [];
    }
    const joined = this.join(connection, now);
    return now < this.#rebuiltAt ? [] : [joined];
  }

  leave(connection: Connection): Notice[] {
    const users = this.#boards.get(connection.board_id);
    const connections = users?.get(connection.user_id);
    if (users === undefined || connections === undefined || !connections.delete(connection.id)) return [];
    this.#byExpiry.delete(connection.id);
    if (connections.size > 0) return [];
    users.delete(connection.user_id);
    if (users.size === 0) this.#boards.delete(connection.board_id);
    return [tell('user_left', connection)];
  }

  /** Connections that died without a word. */
  expire(now: number): Notice[] {
    const expired: Connection[] = [];
    for (const present of this.#byExpiry.values()) {
      if (present.expiresAt > now) break;
      expired.push(present);
    }
    return expired.flatMap((connection) => this.leave(connection));
  }

  /** In the order in which they came. */
  list(boardId: Uuid): OnlineUser[] {
    const online: OnlineUser[] = [];
    for (const connections of this.#boards.get(boardId)?.values() ?? []) {
      for (const { user_id, username } of connections.values()) {
        online.push({ user_id, username });
        break;
      }
    }
    return online;
  }

  #toEnd(present: Present): void {
    this.#byExpiry.delete(present.id);
    this.#byExpiry.set(present.id, present);
  }
}

function tell(type: 'user_joined' | 'user_left', { id, board_id, user_id, username }: Connection): Notice {
  return { kind: 'board.presence', board_id, connection_id: id, message: { type, user_id, username } };
}
