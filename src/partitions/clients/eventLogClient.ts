/** The event logs, for the instance that holds the sockets. */
import type { Position } from '../../domain/position.js';
import type { Uuid } from '../../domain/ids.js';
import type { EventLogPort, MissedEvents } from '../../domain/ports/eventLog.js';
import type { Shards } from './boardsClient.js';

export class EventLogClient implements EventLogPort {
  readonly #shards: Shards;

  constructor(shards: Shards) {
    this.#shards = shards;
  }

  eventsAfter(boardId: Uuid, since: Position): Promise<MissedEvents> {
    const shard = this.#shards.shardOf(boardId);
    return Promise.resolve(this.#shards.ask(shard, { kind: 'events.read', board_id: boardId, since })) as Promise<MissedEvents>;
  }

  async forgetEvents(boardId: Uuid, upTo: number): Promise<void> {
    const shard = this.#shards.shardOf(boardId);
    for (let more = true; more;) {
      more = (await this.#shards.ask(shard, { kind: 'events.forget', board_id: boardId, upTo })) as boolean;
    }
  }
}
