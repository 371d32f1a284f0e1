/** How many sockets and streams there may be, of each user and in all, and how often a user may connect. */
import { tryAgainLater, type Close } from '../../api/closeCodes.js';
import type { Config } from '../../settings/config.js';
import { AppError } from '../../domain/errors.js';
import type { Uuid } from '../../domain/ids.js';
import type { Hub } from '../hub.js';

/**
 * Each connection costs an ask to the board's owner and a message to everyone on the board, so reconnecting is limited.
 */
const JOIN_WINDOW_SECONDS = 10;
/** How often a user may replace all sockets in that time. The typed client backs off more than that. */
const ROUNDS_PER_WINDOW = 2;
/** If a user may have few sockets, a page that is reloaded repeatedly still connects. */
const MIN_JOINS = 20;

export class ConnectionLimits {
  readonly #hub: Hub;
  readonly #config: Pick<Config, 'maxSockets' | 'maxSocketsPerUser'>;
  readonly #joins: JoinLimiter;

  constructor(hub: Hub, config: Pick<Config, 'maxSockets' | 'maxSocketsPerUser'>) {
    this.#hub = hub;
    this.#config = config;
    this.#joins = new JoinLimiter(config.maxSocketsPerUser);
  }

  /** For a socket whose user is not known yet. `unidentified`: how many of them there are, with this one. */
  refusal(unidentified: number): Close | null {
    const { maxSockets } = this.#config;
    return unidentified + this.#hub.size > maxSockets ? tryAgainLater(`The server has at most ${maxSockets} sockets`) : null;
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

/** Counts how often each user connects. */
export class JoinLimiter {
  readonly maxJoins: number;
  readonly #monotonic: () => number;
  readonly #joins = new Map<Uuid, number>();
  #windowEnd = 0;

  constructor(maxSocketsPerUser: number, monotonic: () => number = () => performance.now()) {
    this.maxJoins = Math.max(MIN_JOINS, ROUNDS_PER_WINDOW * maxSocketsPerUser);
    this.#monotonic = monotonic;
  }

  /** Counts a connection; false if the user must wait. */
  allow(userId: Uuid): boolean {
    const now = this.#monotonic();
    if (now >= this.#windowEnd) {
      this.#joins.clear();
      this.#windowEnd = now + JOIN_WINDOW_SECONDS * 1000;
    }
    const joins = (this.#joins.get(userId) ?? 0) + 1;
    this.#joins.set(userId, joins);
    return joins <= this.maxJoins;
  }
}
