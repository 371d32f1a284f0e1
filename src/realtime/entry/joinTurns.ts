/**
 * Joins of shared sockets, a few of each user at a time: the answer to each lists all users and states of a board, and a
 * client may name 500 boards, or one board 500 times, in one go.
 */
import type { Joined, PresencePort } from '../../domain/ports/presence.js';
import { FairLanes } from '../../flow/fairLanes.js';
import type { SharedFollower } from '../socket/sharedSocket.js';

const MAX_OF_USER = 8;
/** A board that is out of reach does not keep the others of its user waiting for longer. */
const MAX_TURN_MS = 200;

type Turn = 'ended' | 'not drained' | { readonly answer: Promise<Joined> };

export class JoinTurns {
  readonly #presence: Pick<PresencePort, 'join'>;
  readonly #lanes = new FairLanes(Infinity, MAX_OF_USER);

  constructor(presence: Pick<PresencePort, 'join'>) {
    this.#presence = presence;
  }

  /** Joins when the client has read the earlier answers; null if the follower ended before. */
  async join(follower: SharedFollower): Promise<Joined | null> {
    for (;;) {
      if (follower.arrival !== null) await follower.drained(follower.arrival);
      const turn = await this.#lanes.run(follower.client.user.id, () => this.#takeTurn(follower));
      if (turn === 'ended') return null;
      if (turn !== 'not drained') return turn.answer;
    }
  }

  async #takeTurn(follower: SharedFollower): Promise<Turn> {
    if (follower.isEnded) return 'ended';
    if (!follower.isDrained) return 'not drained';
    const answer = this.#presence.join(follower.connection, { attendance: true });
    await settledWithin(answer, MAX_TURN_MS);
    return { answer };
  }
}

/** Resolves when the work is settled, or after this time. */
export async function settledWithin(work: Promise<unknown>, milliseconds: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    const settle = (): void => {
      clearTimeout(timer);
      resolve();
    };
    work.then(settle, settle);
  });
}
