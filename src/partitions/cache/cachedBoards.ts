/**
 * Caches full boards as encoded bytes in the I/O thread. Each request still asks the board for access and for its
 * number; only an unchanged body is neither transferred nor encoded again.
 */
import { after, type Answer } from '../../domain/answer.js';
import { bodyOf, type BoardAnswer, type BoardsPort } from '../../domain/ports/boardsPort.js';
import type { BoardCommand, BoardCommands, BoardOperation } from '../../domain/commands/commands.js';
import { HANDLERS } from '../../domain/commands/table.js';
import type { Uuid } from '../../domain/ids.js';
import type { BodyCache, CachedBody } from './bodyCache.js';
import { ALWAYS_ROOM, LargeAnswers } from './largeAnswers.js';
import { LargeTargets, sizeKeyOf } from './largeTargets.js';

/** Requests for something whose last answer was larger than this run in `LargeAnswers`. */
const LARGE_BYTES = 512 * 1024;
/**
 * Operations with large answers that run at once, so that many requests do not put many bodies into memory. Requests
 * for a cached board need no body and end at once.
 */
const MAX_LARGE = 8;
/** The second finds the body of the first in the cache, and callers with many requests leave lanes to others. */
const MAX_LARGE_EACH = 1;

export class CachedBoards implements BoardsPort {
  readonly #boards: BoardsPort;
  readonly #bodies: BodyCache;
  readonly #large: LargeAnswers;
  readonly #sizes = new LargeTargets(LARGE_BYTES);
  /** Asks about something whose size is unknown, by its key. They never reject. */
  readonly #firstAsks = new Map<string, Promise<void>>();

  constructor(boards: BoardsPort, bodies: BodyCache, room = ALWAYS_ROOM) {
    this.#boards = boards;
    this.#bodies = bodies;
    this.#large = new LargeAnswers(room, MAX_LARGE, MAX_LARGE_EACH);
  }

  ask(command: BoardCommand): Answer<BoardAnswer> {
    const { op, caller, input } = command;
    if (caller === 'system' || 'refused' in input) return this.#boards.ask(command);
    if (!mayBeLarge(op)) return this.#askAndNote(command, caller.user_id);
    if (op !== 'board.get') return this.#large.run(caller.user_id, async () => this.#boards.ask(command));
    const ask = (): Answer<BoardAnswer> => this.#askForBoard(command, input as BoardCommands['board.get']);
    return this.#isSmall(command.target) ? ask() : this.#large.run(caller.user_id, async () => ask());
  }

  /**
   * Mostly small. Until the first answer has shown how large something is, other asks about it wait: then they run as
   * large ones, or together. Asks of one turn get the same memory, see `codec.ts`.
   */
  #askAndNote(command: BoardCommand, user: Uuid): Answer<BoardAnswer> {
    const key = sizeKeyOf(command);
    if (key === null) return this.#boards.ask(command);
    const size = this.#sizes.sizeOf(key);
    if (size === 'small') return this.#askFor(key, command);
    if (size === 'large') return this.#large.run(user, async () => this.#askFor(key, command));
    const first = this.#firstAsks.get(key);
    if (first === undefined) return this.#askFirst(key, command);
    return first.then(() => (this.#sizes.sizeOf(key) === 'large' ? this.#askAndNote(command, user) : this.#askFor(key, command)));
  }

  #askFirst(key: string, command: BoardCommand): Answer<BoardAnswer> {
    const answer = this.#askFor(key, command);
    if (!(answer instanceof Promise)) return answer;
    const end = (): void => void this.#firstAsks.delete(key);
    this.#firstAsks.set(key, answer.then(end, end));
    return answer;
  }

  #askFor(key: string, command: BoardCommand): Answer<BoardAnswer> {
    const answer = this.#boards.ask(command);
    if (!(answer instanceof Promise)) return answer;
    return answer.then((given) => {
      this.#sizes.note(key, given);
      return given;
    });
  }

  /** The size of a board that is not cached is unknown: it may be large. */
  #isSmall(id: Uuid): boolean {
    const kept = this.#bodies.get(id);
    return kept !== undefined && kept.bytes.length <= LARGE_BYTES;
  }

  #askForBoard(command: BoardCommand, { known = [] }: BoardCommands['board.get']): Answer<BoardAnswer> {
    const kept = this.#bodies.get(command.target);
    const answer = this.#boards.ask(kept === undefined ? command : { ...command, input: { known: [kept.position] } });
    return after(answer, (given) => this.#withBody(command.target, given, kept, known));
  }

  #withBody(target: Uuid, answer: BoardAnswer, kept: CachedBody | undefined, known: readonly string[]): BoardAnswer {
    if (!answer.ok || answer.position === undefined) return answer;
    const { position } = answer;
    const body = bodyOf(answer);
    // An answer without a body confirms the cached body, even if that was dropped meanwhile; without a cached body it
    // confirms the caller's.
    const current = body === null ? kept : { position, bytes: typeof body === 'string' ? Buffer.from(body) : body };
    if (current === undefined) return answer;
    if (body === null) this.#bodies.noteUse(target, current);
    else this.#bodies.keep(target, current);
    if (known.includes(position)) return { ok: true, json: null, position };
    return { ok: true, json: null, position, bytes: current.bytes };
  }
}

function mayBeLarge(op: BoardOperation): boolean {
  return HANDLERS[op].lists?.isAnswerLarge === true;
}
