/** How many sockets and streams there may be, of each user and in all, and how often a user may connect. */
import { tryAgainLater, type Close } from '../../api/closeCodes.js';
import type { Config } from '../../settings/config.js';
import { AppError } from '../../domain/errors.js';
import type { Uuid } from '../../domain/ids.js';
import type { Hub } from '../hub.js';
import { JOIN_WINDOW_SECONDS, JoinLimiter } from './joinLimiter.js';

export class ConnectionLimits {
  readonly #hub: Hub;
  readonly #config: Pick<Config, 'maxSockets' | 'maxSocketsPerUser'>;
  readonly #joins: JoinLimiter;

  constructor(hub: Hub, config: Pick<Config, 'maxSockets' | 'maxSocketsPerUser'>) {
    this.#hub = hub;
    this.#config = config;
    this.#joins = new JoinLimiter(config.maxSocketsPerUser);
  }

  /** For a socket whose user is not known yet. `strangers`: how many of them there are, with this one. */
  refusal(strangers: number): Close | null {
    const { maxSockets } = this.#config;
    return strangers + this.#hub.size > maxSockets ? tryAgainLater(`The server has at most ${maxSockets} sockets`) : null;
  }

  /** Counts one more connection of the user. Throws `too_many`. */
  check(userId: Uuid): void {
    const { maxSockets, maxSocketsPerUser } = this.#config;
    if (this.#hub.size >= maxSockets) throw new AppError('too_many', `The server has at most ${maxSockets} sockets`);
    if (this.#hub.socketsOf(userId) >= maxSocketsPerUser) {
      throw new AppError('too_many', `A user has at most ${maxSocketsPerUser} sockets`);
    }
    if (this.#joins.allow(userId)) return;
    throw new AppError('too_many', `A user connects at most ${this.#joins.maxJoins} times in ${JOIN_WINDOW_SECONDS} s`);
  }
}
