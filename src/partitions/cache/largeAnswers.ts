/** Which answers are large, and when one is begun: a few at once, callers in turn, and none for a caller with much left to read. */
import type { BoardCommand } from '../../domain/commands/commands.js';
import { HANDLERS } from '../../domain/commands/table.js';
import type { Uuid } from '../../domain/ids.js';
import { bodyOf, type BoardAnswer } from '../../domain/ports/boardsPort.js';
import { BoundedMap } from '../../flow/boundedMap.js';
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

/** A megabyte of keys, of each size. The oldest are forgotten: their next answer is noted again. */
const MAX_KEPT = 10_000;

/** How large the last answers about something were. The size of a card or of a list of labels shows only in its answer. */
export class LargeTargets {
  readonly #leastBytes: number;
  readonly #large = new BoundedMap<string, true>(MAX_KEPT);
  readonly #small = new BoundedMap<string, true>(MAX_KEPT);

  /** Answers above this size are large. */
  constructor(leastBytes: number) {
    this.#leastBytes = leastBytes;
  }

  sizeOf(key: string): 'large' | 'small' | 'unknown' {
    if (this.#small.has(key)) return 'small';
    return this.#large.has(key) ? 'large' : 'unknown';
  }

  /** An answer without a body says nothing about the size of others. */
  note(key: string, answer: BoardAnswer): void {
    const size = (answer.ok && bodyOf(answer)?.length) || 0;
    if (size > this.#leastBytes) move(key, this.#small, this.#large);
    else if (size > 0 && !this.#small.has(key)) move(key, this.#large, this.#small);
  }
}

function move(key: string, from: BoundedMap<string, true>, to: BoundedMap<string, true>): void {
  from.delete(key);
  to.set(key, true);
}

/**
 * The answers to the commands of one key have about the same size. Null for commands whose answers are small, and for
 * summaries, which are part of a list that has its own place.
 */
export function sizeKeyOf({ op, target }: BoardCommand): string | null {
  const handler = HANDLERS[op];
  // Every answer about a card shows the whole card.
  if (handler.target !== 'board') return target;
  return op === 'board.summary' || handler.lists === null ? null : `${op} ${target}`;
}
