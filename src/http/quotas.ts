/** Limits expensive work under way, for each user and for the process. */
import type { Quota } from '../api/operation/operation.js';
import type { Config } from '../settings/config.js';
import { AppError } from '../domain/errors.js';
import { FairQueue } from '../flow/fairQueue.js';
import { OwnerCounts } from '../flow/ownerCounts.js';
import type { Uuid } from '../domain/ids.js';

/** Frees the place. Called once. */
export type Release = () => void;

interface Rule {
  /** The words for a refusal. */
  readonly what: string;
  readonly perUser: number;
  /** For the process: others within their user's limit wait, and users take turns. */
  readonly atOnce: number;
}

/**
 * A search scans all users in the directory's thread, about 8 ms for 10,000 users, and every login needs that thread.
 * One at a time leaves it free in between.
 */
const SEARCHES_AT_ONCE = 1;
/** Each is a request without an answer. */
const MAX_WAITING = 1_000;
const RETRY_AFTER_SECONDS = 1;

type Limits = Pick<Config, 'maxUploadsPerUser' | 'maxImportsPerUser' | 'maxExportsPerUser' | 'maxSearchesPerUser'>;

export class Quotas {
  readonly #places: Readonly<Record<Quota, Places>>;

  constructor(limits: Limits) {
    const places = (what: string, perUser: number, atOnce = Infinity): Places => new Places({ what, perUser, atOnce });
    this.#places = {
      upload: places('uploads', limits.maxUploadsPerUser),
      // Those that work are limited where their documents have arrived, see `ImportTurns`.
      import: places('imports', limits.maxImportsPerUser),
      export: places('exports', limits.maxExportsPerUser),
      search: places('searches', limits.maxSearchesPerUser, SEARCHES_AT_ONCE),
    };
  }

  /** Throws `too_many` beyond the user's limit and `unavailable` if too many wait. */
  take(quota: Quota, userId: Uuid): Release | Promise<Release> {
    return this.#places[quota].take(userId);
  }
}

interface Waiting {
  readonly admit: () => void;
  readonly refuse: (error: AppError) => void;
}

class Places {
  readonly #rule: Rule;
  /** For each user, including those that wait. */
  readonly #taken = new OwnerCounts<Uuid>();
  readonly #waiting = new FairQueue<Waiting>({ max: MAX_WAITING, maxPerClient: MAX_WAITING });
  #running = 0;

  constructor(rule: Rule) {
    this.#rule = rule;
  }

  take(userId: Uuid): Release | Promise<Release> {
    const { what, perUser, atOnce } = this.#rule;
    if (this.#taken.of(userId) >= perUser) {
      throw new AppError('too_many', `Too many ${what} at once: a user may run ${perUser}`, {
        retryAfter: RETRY_AFTER_SECONDS,
      });
    }
    this.#taken.add(userId, 1);
    if (this.#running < atOnce) return this.#begin(userId);
    return new Promise((resolve, reject) => {
      const refuse = (error: AppError): void => {
        this.#taken.add(userId, -1);
        reject(error);
      };
      const entered = this.#waiting.add(userId, { admit: () => resolve(this.#begin(userId)), refuse });
      if (entered.kind !== 'entered') refuse(this.#processIsFull());
      else entered.pushedOut?.refuse(this.#processIsFull());
    });
  }

  #begin(userId: Uuid): Release {
    this.#running += 1;
    return () => {
      this.#running -= 1;
      this.#taken.add(userId, -1);
      this.#waiting.take()?.admit();
    };
  }

  #processIsFull(): AppError {
    const detail = `Too many ${this.#rule.what} at once: ${MAX_WAITING} may wait`;
    return new AppError('unavailable', detail, { retryAfter: RETRY_AFTER_SECONDS });
  }
}
