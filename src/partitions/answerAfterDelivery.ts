import type { Uuid } from '../domain/ids.js';
import type { Asking } from './askPort.js';
import type { BoardReply, ShardName, StationCommand, StationName } from './messages.js';

export interface Deliveries {
  /** Resolves when the user's boards have heard of the changed profile, or cannot be reached for now. */
  profileTold(userId: Uuid): Promise<void>;
  /** Resolves when the directory has heard it, or cannot be reached for now. */
  delivered(shard: ShardName, news: number): Promise<void>;
}

/**
 * The stations here, whose answers wait until the other side has heard the news in them. So whoever was answered, on
 * whichever instance, finds the change in the list of boards, and the new profile on every board.
 */
export class NewsFirst implements Asking {
  readonly #stations: Asking;
  readonly #deliveries: Deliveries;

  constructor(stations: Asking, deliveries: Deliveries) {
    this.#stations = stations;
    this.#deliveries = deliveries;
  }

  ask(station: StationName, command: StationCommand): Promise<unknown> {
    const answer = this.#stations.ask(station, command);
    if ('op' in command) {
      if (command.op !== 'user.update') return answer;
      const { id } = command.input;
      return answer.then((user) => this.#deliveries.profileTold(id).then(() => user));
    }
    if (station === 'directory' || (command.kind !== 'board' && command.kind !== 'import')) return answer;
    return answer.then((reply) => {
      const { news } = reply as BoardReply;
      return news === undefined ? reply : this.#deliveries.delivered(station, news).then(() => reply);
    });
  }
}
