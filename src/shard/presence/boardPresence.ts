/** The presence of one shard's boards. Several connections of a user are one presence. */
import type { BoardState } from '../../domain/board/board.js';
import type { Uuid } from '../../domain/ids.js';
import {
  NO_CONNECTION,
  type PresenceSnapshot,
  type Connection,
  type ConnectionState,
  type OnlineUser,
  type PresenceMessage,
} from '../../domain/ports/presence.js';
import type { Notice } from '../../partitions/messages.js';
import { PresentUser } from '../../partitions/presentUser.js';
import { ConnectionStates } from './connectionStates.js';

export class BoardPresence {
  readonly #boards = new Map<Uuid, Map<Uuid, PresentUser>>();
  readonly #states = new ConnectionStates();
  /**
   * No connection expires before this. Checking ten thousand connections four times a second took most of an idle
   * shard's time; with refreshed connections this makes it one check in several seconds.
   */
  #nextEnd = Infinity;
  readonly #lifetimeMs: number;
  /** Until when refreshes may be of connections that the last owner of the shard knew. */
  readonly #rebuiltAt: number;
  /** Boards that someone joined before that, and got a list that may be incomplete. */
  readonly #joinedEarly = new Set<Uuid>();

  constructor(lifetimeMs: number, openedAt: number, rebuildMs = lifetimeMs) {
    this.#lifetimeMs = lifetimeMs;
    this.#rebuiltAt = openedAt + rebuildMs;
  }

  join(connection: Connection, now: number): Notice {
    if (now < this.#rebuiltAt) this.#joinedEarly.add(connection.board_id);
    return this.#add(connection, now);
  }

  /**
   * An unknown connection was published as gone, so its join is published again, except while a new owner of the shard
   * rebuilds its presence: other users already know it. Those who joined meanwhile may not know it.
   */
  refresh(connection: Connection, now: number): Notice[] {
    const { board_id } = connection;
    const notices = [...this.#keepOrAdd(connection, now), ...stateNotices(board_id, this.#states.refresh(connection))];
    return now < this.#rebuiltAt && !this.#joinedEarly.has(board_id) ? [] : notices;
  }

  /** A connection that the shard has lost is registered again. */
  setState(connection: Connection, now: number): Notice[] {
    return [...this.#keepOrAdd(connection, now), ...stateNotices(connection.board_id, this.#states.set(connection))];
  }

  leave({ id, board_id, user_id, username }: Connection): Notice[] {
    const user = this.#find({ board_id, user_id });
    if (user === undefined || !user.drop(id)) return [];
    const ended = this.#states.set({ id, board_id, user_id });
    if (!user.isGone) return stateNotices(board_id, ended);
    this.#forget(board_id, user_id);
    return [presenceNotice('user_left', board_id, user_id, username, id)];
  }

  /** Removes connections that were not refreshed in time. */
  expire(now: number): Notice[] {
    if (now >= this.#rebuiltAt) this.#joinedEarly.clear();
    if (now < this.#nextEnd) return [];
    const notices: Notice[] = [];
    this.#nextEnd = Infinity;
    for (const [board_id, users] of this.#boards) {
      for (const [user_id, user] of users) {
        const { connections } = user;
        this.#nextEnd = Math.min(this.#nextEnd, user.expire(now));
        if (user.connections === connections) continue;
        const ended = this.#states.keepOnly(board_id, user_id, (id) => user.has(id));
        if (!user.isGone) {
          notices.push(...stateNotices(board_id, ended));
          continue;
        }
        this.#forget(board_id, user_id);
        notices.push(presenceNotice('user_left', board_id, user_id, user.username, NO_CONNECTION));
      }
    }
    return notices;
  }

  /** In order of arrival. */
  list(boardId: Uuid): OnlineUser[] {
    return Array.from(this.#boards.get(boardId) ?? [], ([user_id, { username }]) => ({ user_id, username }));
  }

  states(boardId: Uuid): ConnectionState[] {
    return this.#states.of(boardId);
  }

  snapshotOf(boardId: Uuid): PresenceSnapshot {
    return { online: this.list(boardId), states: this.states(boardId) };
  }

  #find({ board_id, user_id }: Pick<Connection, 'board_id' | 'user_id'>): PresentUser | undefined {
    return this.#boards.get(board_id)?.get(user_id);
  }

  #keepOrAdd(connection: Connection, now: number): Notice[] {
    const user = this.#find(connection);
    if (user?.has(connection.id) !== true) return [this.#add(connection, now)];
    this.#keep(user, connection.id, now);
    return [];
  }

  #add({ id, board_id, user_id, username }: Connection, now: number): Notice {
    let users = this.#boards.get(board_id);
    if (users === undefined) this.#boards.set(board_id, (users = new Map()));
    let user = users.get(user_id);
    if (user === undefined) users.set(user_id, (user = new PresentUser(username)));
    this.#keep(user, id, now);
    return presenceNotice('user_joined', board_id, user_id, username, id);
  }

  #keep(user: PresentUser, id: number, now: number): void {
    const end = now + this.#lifetimeMs;
    user.keep(id, end);
    this.#nextEnd = Math.min(this.#nextEnd, end);
  }

  #forget(boardId: Uuid, userId: Uuid): void {
    const users = this.#boards.get(boardId);
    users?.delete(userId);
    if (users?.size === 0) this.#boards.delete(boardId);
  }
}

/** The same connection with strings that the board already holds, instead of copies from a message. */
export function inTextsOf(board: BoardState | null, connection: Connection): Connection {
  const user = board?.get('member', connection.user_id)?.user;
  if (board?.id !== connection.board_id || user?.username !== connection.username) return connection;
  return { id: connection.id, board_id: board.id, user_id: user.id, username: user.username };
}

function stateNotices(board_id: Uuid, changes: readonly ConnectionState[]): Notice[] {
  return changes.map((change) => ({ kind: 'board.state', board_id, change }));
}

function presenceNotice(type: PresenceMessage['type'], board_id: Uuid, user_id: Uuid, username: string, connection_id: number): Notice {
  return { kind: 'board.presence', board_id, connection_id, message: { type, user_id, username } };
}
