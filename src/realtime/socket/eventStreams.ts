/** Opens streams of server-sent events. A stream counts as a socket of its user. */
import type { EventStreamsPort, LiveStream, StreamRequest } from '../../api/operation/operation.js';
import type { Logger } from 'pino';
import { AppError } from '../../domain/errors.js';
import type { Uuid } from '../../domain/ids.js';
import type { BoardsPort } from '../../domain/ports/boardsPort.js';
import { FIRST_EPOCH, type Position } from '../../domain/position.js';
import { closeFor, follow } from '../entry/admission.js';
import type { ConnectionLimits } from '../entry/connectionLimits.js';
import type { Hub } from '../hub.js';
import type { Since } from './follower.js';

/** No board has this number, so the answer has no events. */
const BEYOND: Position = { epoch: FIRST_EPOCH, seq: 999_999_999_999_999 };

export interface EventStreamsOptions {
  readonly hub: Hub;
  readonly boards: BoardsPort;
  readonly connectionLimits: ConnectionLimits;
  readonly log: Logger;
}

export class EventStreams implements EventStreamsPort {
  readonly #options: EventStreamsOptions;

  constructor(options: EventStreamsOptions) {
    this.#options = options;
  }

  async open({ caller, boardId, since, token: currentToken }: StreamRequest): Promise<(stream: LiveStream) => void> {
    const { hub, connectionLimits, log } = this.#options;
    const checkAccess = (): Promise<Position> => this.#positionOf(caller.id, boardId);
    // Before anything is counted: a caller who may not read the board is refused as such.
    await checkAccess();
    connectionLimits.check(caller.id);
    const token = await currentToken();
    const { follower, room } = hub.enterStream({ boardId, user: caller, token, checkAccess });
    try {
      // From here on the room ends the follower of a user who is removed, and the hub the follower of a user who logs out. What
      // happened just before is found by these.
      const joined = await checkAccess();
      await currentToken();
      return (stream) => {
        follower.attach(stream);
        follow(follower, toSince(since), joined, { room, pages: hub.pages, deliveries: hub.deliveries }).catch((error: unknown) => {
          if (!(error instanceof AppError)) log.error({ err: error }, 'a stream of events failed');
          follower.end(closeFor(error));
        });
      };
    } catch (error) {
      hub.remove(follower);
      throw error;
    }
  }

  async #positionOf(user_id: Uuid, boardId: Uuid): Promise<Position> {
    const outcome = await this.#options.boards.ask({ op: 'board.events', caller: { user_id }, target: boardId, input: { since: BEYOND } });
    if (!outcome.ok) throw AppError.from(outcome.error);
    const { epoch = FIRST_EPOCH, seq } = JSON.parse(outcome.json ?? '{}') as { epoch?: string; seq: number };
    return { epoch, seq };
  }
}

function toSince(since: Position | null): Since {
  return since === null ? { kind: 'latest' } : { kind: 'after', position: since };
}
