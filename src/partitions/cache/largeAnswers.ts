/** Decides when a large answer is begun: a few at once, callers in turn, and none for a caller with much left to read. */
import type { Uuid } from '../../domain/ids.js';
import { FairLanes } from '../../flow/fairLanes.js';

/** Decides whether a user has read enough of earlier answers to get another large one. */
export interface AnswerRoom {
  hasRoom(user: Uuid): boolean;
  /** Resolves when `hasRoom` may be true. */
  room(user: Uuid): Promise<void>;
}

export const ALWAYS_ROOM: AnswerRoom = { hasRoom: () => true, room: () => Promise.resolve() };

const NO_ROOM = Symbol('no room');

export class LargeAnswers {
  readonly #room: AnswerRoom;
  readonly #lanes: FairLanes;

  /** `max` answers at once, `maxEach` of one caller. */
  constructor(room: AnswerRoom, max: number, maxEach: number) {
    this.#room = room;
    this.#lanes = new FairLanes(max, maxEach);
  }

  /** A caller with much left to read waits outside the lanes and blocks no other caller. */
  async run<Answer>(user: Uuid, make: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      await this.#room.room(user);
      const answer = await this.#lanes.run(user, async () => (this.#room.hasRoom(user) ? make() : NO_ROOM));
      if (answer !== NO_ROOM) return answer;
    }
  }
}
