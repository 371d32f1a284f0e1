/** Typed client for presence, used where the sockets are. */
import type { Logger } from 'pino';
import type { Uuid } from '../../domain/ids.js';
import type { Connection, ConnectionState, Joined, OnlineUser, PresencePort } from '../../domain/ports/presence.js';
import type { Boards } from '../boards.js';
import type { ShardCommand, ShardName } from '../messages.js';

export class PresenceClient implements PresencePort {
  readonly #boards: Pick<Boards, 'send' | 'shardOf'>;
  readonly #log: Logger;

  constructor(boards: Pick<Boards, 'send' | 'shardOf'>, log: Logger) {
    this.#boards = boards;
    this.#log = log;
  }

  join(connection: Connection, { attendance } = { attendance: false }): Promise<Joined> {
    const command: ShardCommand = { kind: 'presence.join', connection, ...(attendance ? { attendance } : {}) };
    return this.#boards.send(connection.board_id, command) as Promise<Joined>;
  }

  setState(connection: Connection): Promise<void> {
    return this.#send(connection.board_id, { kind: 'presence.state', connection });
  }

  refresh(connections: readonly Connection[]): void {
    this.#publishToAll('presence.refresh', connections);
  }

  recheck(connections: readonly Connection[]): void {
    this.#publishToAll('presence.recheck', connections);
  }

  leave(connection: Connection): void {
    void this.#send(connection.board_id, { kind: 'presence.leave', connection });
  }

  list(boardId: Uuid): Promise<readonly OnlineUser[] | null> {
    return this.#boards.send(boardId, { kind: 'presence.list', board_id: boardId }) as Promise<readonly OnlineUser[] | null>;
  }

  states(boardId: Uuid): Promise<readonly ConnectionState[]> {
    return this.#boards.send(boardId, { kind: 'presence.states', board_id: boardId }) as Promise<readonly ConnectionState[]>;
  }

  #publishToAll(kind: 'presence.refresh' | 'presence.recheck', connections: readonly Connection[]): void {
    const byShard = new Map<ShardName, Connection[]>();
    for (const connection of connections) {
      const shard = this.#boards.shardOf(connection.board_id);
      const own = byShard.get(shard);
      if (own === undefined) byShard.set(shard, [connection]);
      else own.push(connection);
    }
    for (const own of byShard.values()) if (own[0] !== undefined) void this.#send(own[0].board_id, { kind, connections: own });
  }

  /** Never rejects: the next heartbeat or the presence lifetime repairs a lost message. */
  async #send(boardId: Uuid, command: ShardCommand): Promise<void> {
    try {
      await this.#boards.send(boardId, command);
    } catch (error) {
      this.#log.debug({ err: error, board: boardId }, 'presence could not be sent');
    }
  }
}
