/**
 * Caches full boards as encoded bytes in the I/O thread. Each request still asks the board for access and for its
 * number; only an unchanged body is neither transferred nor encoded again.
 */
import { bodyOf, type BoardAnswer, type BoardsPort } from '../domain/ports/boardsPort.js';
import type { BoardCommand, BoardCommands, BoardOperation } from '../domain/commands/commands.js';
import { HANDLERS } from '../domain/commands/table.js';
import type { Uuid } from '../domain/ids.js';
import type { BodyCache } from './bodyCache.js';
import { FairLanes } from './fairLanes.js';

/** Requests for a board whose body is larger than this run in `FairLanes`. */
const LARGE_BYTES = 512 * 1024;
/**
 * Operations with large answers that run at once, so that many requests do not put many bodies into memory. Requests
 * for a cached board need no body and end at once.
 */
const MAX_LARGE = 8;
const MAX_LARGE_EACH = 2;

/** Decides whether a user has read enough of earlier answers to get another large one. */
export interface ReadingRoom {
  hasRoom(user: Uuid): boolean;
  /** Resolves when `hasRoom` may be true. */
  room(user: Uuid): Promise<void>;
}

const ALWAYS_ROOM: ReadingRoom = { hasRoom: () => true, room: () => Promise.resolve() };
const NO_ROOM = Promise.resolve(null);

export class CachedBoards implements BoardsPort {
  readonly #boards: BoardsPort;
  readonly #bodies: BodyCache;
  readonly #room: ReadingRoom;
  readonly #large = new FairLanes(MAX_LARGE, MAX_LARGE_EACH);

  constructor(boards: BoardsPort, bodies: BodyCache, room = ALWAYS_ROOM) {
    this.#boards = boards;
    this.#bodies = bodies;
    this.#room = room;
  }

  ask(command: BoardCommand): Promise<BoardAnswer> {
    const { op, caller, input } = command;
    if (!mayBeLarge(op) || caller === 'system' || 'refused' in input) return this.#boards.ask(command);
    if (op !== 'board.get') return this.#inTurn(caller.user_id, () => this.#boards.ask(command));
    const ask = (): Promise<BoardAnswer> => this.#askForBoard(command, input as BoardCommands['board.get']);
    return this.#isSmall(command.target) ? ask() : this.#inTurn(caller.user_id, ask);
  }

  /** A caller with much left to read waits outside the lanes and blocks no other caller. */
  async #inTurn(user: Uuid, ask: () => Promise<BoardAnswer>): Promise<BoardAnswer> {
    for (;;) {
      await this.#room.room(user);
      const answer = await this.#large.run(user, () => (this.#room.hasRoom(user) ? ask() : NO_ROOM));
      if (answer !== null) return answer;
    }
  }

  /** The size of a board that is not cached is unknown: it may be large. */
  #isSmall(id: Uuid): boolean {
    const kept = this.#bodies.get(id);
    return kept !== undefined && kept.bytes.length <= LARGE_BYTES;
  }

  async #askForBoard(command: BoardCommand, { known = [] }: BoardCommands['board.get']): Promise<BoardAnswer> {
    const kept = this.#bodies.get(command.target);
    const answer = await this.#boards.ask(kept === undefined ? command : { ...command, input: { known: [kept.position] } });
    if (!answer.ok || answer.position === undefined) return answer;
    const { position } = answer;
    const body = bodyOf(answer);
    // An answer without a body confirms the cached body, even if that was dropped meanwhile; without a cached body it
    // confirms the caller's.
    const current = body === null ? kept : { position, bytes: typeof body === 'string' ? Buffer.from(body) : body };
    if (current === undefined) return answer;
    if (body === null) this.#bodies.noteUse(command.target, current);
    else this.#bodies.keep(command.target, current);
    if (known.includes(position)) return { ok: true, json: null, position };
    return { ok: true, json: null, position, bytes: current.bytes };
  }
}

function mayBeLarge(op: BoardOperation): boolean {
  return HANDLERS[op].lists?.isAnswerLarge === true;
}
