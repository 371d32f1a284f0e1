/** Typed client for presence, used where the sockets are. */
import type { Logger } from 'pino';
import type { Uuid } from '../../domain/ids.js';
import type { Connection, ConnectionState, Joined, OnlineUser, PresencePort } from '../../domain/ports/presence.js';
import type { Shards } from './boardsClient.js';
import type { ShardCommand, ShardName } from '../messages.js';

export class PresenceClient implements PresencePort {
  readonly #shards: Shards;
  readonly #log: Logger;

  constructor(shards: Shards, log: Logger) {
    this.#shards = shards;
    this.#log = log;
  }

  join(connection: Connection, { attendance } = { attendance: false }): Promise<Joined> {
    const command: ShardCommand = { kind: 'presence.join', connection, ...(attendance ? { attendance } : {}) };
    return this.#ask(connection.board_id, command) as Promise<Joined>;
  }

  setState(connection: Connection): Promise<void> {
    return this.#send(this.#shards.shardOf(connection.board_id), { kind: 'presence.state', connection });
  }

  refresh(connections: readonly Connection[]): void {
    this.#publishToAll('presence.refresh', connections);
  }

  recheck(connections: readonly Connection[]): void {
    this.#publishToAll('presence.recheck', connections);
  }

  leave(connection: Connection): void {
    void this.#send(this.#shards.shardOf(connection.board_id), { kind: 'presence.leave', connection });
  }

  list(boardId: Uuid): Promise<readonly OnlineUser[] | null> {
    return this.#ask(boardId, { kind: 'presence.list', board_id: boardId }) as Promise<readonly OnlineUser[] | null>;
  }

  states(boardId: Uuid): Promise<readonly ConnectionState[]> {
    return this.#ask(boardId, { kind: 'presence.states', board_id: boardId }) as Promise<readonly ConnectionState[]>;
  }

  async #ask(boardId: Uuid, command: ShardCommand): Promise<unknown> {
    return this.#shards.ask(this.#shards.shardOf(boardId), command);
  }

  #publishToAll(kind: 'presence.refresh' | 'presence.recheck', connections: readonly Connection[]): void {
    const byShard = new Map<ShardName, Connection[]>();
    for (const connection of connections) {
      const shard = this.#shards.shardOf(connection.board_id);
      const own = byShard.get(shard);
      if (own === undefined) byShard.set(shard, [connection]);
      else own.push(connection);
    }
    for (const [shard, own] of byShard) void this.#send(shard, { kind, connections: own });
  }

  /** Never rejects: the next heartbeat or the presence lifetime repairs a lost message. */
  async #send(shard: ShardName, command: ShardCommand): Promise<void> {
    try {
      await this.#shards.ask(shard, command);
    } catch (error) {
      this.#log.debug({ err: error, shard }, 'presence could not be sent');
    }
  }
}
