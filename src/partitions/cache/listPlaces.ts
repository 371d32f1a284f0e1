/** Bounds the lists that are assembled in the I/O thread: how many of one caller, and how many large ones in all. */
import { AppError } from '../../domain/errors.js';
import type { Uuid } from '../../domain/ids.js';
import { FairLanes } from '../../flow/fairLanes.js';
import { OwnerCounts } from '../../flow/ownerCounts.js';
import { LargeAnswers, type AnswerRoom } from './largeAnswers.js';

/** Small lists of one caller at once. They are not limited in all, so they delay no other caller. */
const MAX_SMALL_EACH = 4;
/** Large lists at once. Each takes its bytes twice while it is joined. */
const MAX_LARGE = 4;
const MAX_LARGE_EACH = 1;
/** Lists of one caller that run or wait. Their clients may be gone, which is not noticed while they wait. */
const MAX_UNDER_WAY = 256;
const RETRY_AFTER_SECONDS = 1;

export class ListPlaces {
  readonly #small = new FairLanes(Infinity, MAX_SMALL_EACH);
  /** Of a caller's large lists one waits for room and for its turn, and the others wait for it. */
  readonly #next = new FairLanes(Infinity, MAX_LARGE_EACH);
  readonly #large: LargeAnswers;
  /** For each caller with lists that run or wait. */
  readonly #underWay = new OwnerCounts<Uuid>();

  constructor(room: AnswerRoom) {
    this.#large = new LargeAnswers(room, MAX_LARGE, MAX_LARGE_EACH);
  }

  /** For a list that has at most some hundred kilobytes. */
  small<Answer>(user: Uuid, make: () => Promise<Answer>): Promise<Answer> {
    return this.#counted(user, () => this.#small.run(user, make));
  }

  /**
   * For a list whose size shows only while it is made. `makeSmall` gives up with null when the list turns out to be large;
   * then `makeLarge` begins again in a place. What was made before is dropped: many waiting lists would hold it.
   */
  sized<Answer>(user: Uuid, makeSmall: () => Promise<Answer | null>, makeLarge: () => Promise<Answer>): Promise<Answer> {
    return this.#counted(user, async () => {
      const small = await this.#small.run(user, makeSmall);
      return small ?? this.#next.run(user, () => this.#large.run(user, makeLarge));
    });
  }

  async #counted<Answer>(user: Uuid, make: () => Promise<Answer>): Promise<Answer> {
    if (this.#underWay.of(user) >= MAX_UNDER_WAY) {
      throw new AppError('too_many', `Too many lists at once: a user may request ${MAX_UNDER_WAY}`, { retryAfter: RETRY_AFTER_SECONDS });
    }
    this.#underWay.add(user, 1);
    try {
      return await make();
    } finally {
      this.#underWay.add(user, -1);
    }
  }
}
