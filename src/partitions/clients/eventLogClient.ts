/** The event logs, for the instance that holds the sockets. */
import type { Position } from '../../domain/position.js';
import type { Uuid } from '../../domain/ids.js';
import type { EventLogPort, MissedEvents } from '../../domain/ports/eventLog.js';
import type { Boards } from '../boards.js';

export class EventLogClient implements EventLogPort {
  readonly #boards: Pick<Boards, 'send'>;

  constructor(boards: Pick<Boards, 'send'>) {
    this.#boards = boards;
  }

  eventsAfter(boardId: Uuid, since: Position): Promise<MissedEvents> {
    return this.#boards.send(boardId, { kind: 'events.read', board_id: boardId, since }) as Promise<MissedEvents>;
  }

  async forgetEvents(boardId: Uuid, upTo: number): Promise<void> {
    for (let more = true; more;) {
      more = (await this.#boards.send(boardId, { kind: 'events.forget', board_id: boardId, upTo })) as boolean;
    }
  }
}
