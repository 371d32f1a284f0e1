/**
 * Caches full boards as encoded bytes in the I/O thread. Each request still asks the board for access and for its
 * number; only an unchanged body is neither transferred nor encoded again.
 */
import { bodyOf, type BoardAnswer, type BoardsPort } from '../domain/ports/boardsPort.js';
import type { BoardCommand, BoardCommands, BoardOperation } from '../domain/commands/commands.js';
import type { Uuid } from '../domain/ids.js';
import { FairLanes } from './fairLanes.js';

/** A board of 500 cards takes 300 KB: this holds a few hundred of them. */
const BUDGET_BYTES = 128 * 1024 * 1024;

/**
 * A board that was not requested for this long is dropped when another is cached: its clients have probably closed it.
 */
const IDLE_MS = 60_000;
/** Cached boards inspected at that time, the oldest first. */
const LOOKS = 4;

interface Kept {
  readonly position: string;
  readonly bytes: Uint8Array;
  usedAt: number;
  /** When it was last moved to the end of the map. */
  placedAt: number;
}

/** Requests for a board whose body is larger than this run in `FairLanes`. */
const LARGE_BYTES = 512 * 1024;
/**
 * Operations whose answers may have several megabytes. A few run at once, so that many requests do not put many bodies
 * into memory. Requests for a cached board need no body and end at once.
 */
const LARGE_ANSWERS: ReadonlySet<BoardOperation> = new Set([
  'board.get',
  'board.export',
  'board.events',
  'column.update',
  'column.move',
]);
const MAX_LARGE = 8;
const MAX_LARGE_EACH = 2;

/** Tells whether a user has read enough of earlier answers to get another large one. */
export interface ReadingRoom {
  hasRoom(user: Uuid): boolean;
  /** Resolves when `hasRoom` may be true. */
  room(user: Uuid): Promise<void>;
}

const ALWAYS_ROOM: ReadingRoom = { hasRoom: () => true, room: () => Promise.resolve() };
const NO_ROOM = Promise.resolve(null);

export interface CachedBoardsOptions {
  readonly budgetBytes?: number;
  readonly room?: ReadingRoom;
  /** In milliseconds. */
  readonly now?: () => number;
}

function* take<T>(items: Iterable<T>, count: number): Generator<T> {
  let taken = 0;
  for (const item of items) {
    if (taken === count) return;
    taken += 1;
    yield item;
  }
}

export class CachedBoards implements BoardsPort {
  readonly #boards: BoardsPort;
  readonly #budgetBytes: number;
  readonly #room: ReadingRoom;
  readonly #now: () => number;
  readonly #large = new FairLanes(MAX_LARGE, MAX_LARGE_EACH);
  /** In insertion order. A board that is used is inserted again once the budget is half full. */
  readonly #kept = new Map<Uuid, Kept>();
  #bytes = 0;

  constructor(boards: BoardsPort, options: CachedBoardsOptions = {}) {
    const { budgetBytes = BUDGET_BYTES, room = ALWAYS_ROOM, now = () => performance.now() } = options;
    this.#now = now;
    this.#boards = boards;
    this.#budgetBytes = budgetBytes;
    this.#room = room;
  }

  ask(command: BoardCommand): Promise<BoardAnswer> {
    const { op, caller, input } = command;
    if (!LARGE_ANSWERS.has(op) || caller === 'system' || 'refused' in input) return this.#boards.ask(command);
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
    const kept = this.#kept.get(id);
    return kept !== undefined && kept.bytes.length <= LARGE_BYTES;
  }

  async #askForBoard(command: BoardCommand, { known = [] }: BoardCommands['board.get']): Promise<BoardAnswer> {
    const kept = this.#kept.get(command.target);
    const answer = await this.#boards.ask(kept === undefined ? command : { ...command, input: { known: [kept.position] } });
    if (!answer.ok || answer.position === undefined) return answer;
    const { position } = answer;
    const body = bodyOf(answer);
    const usedAt = this.#now();
    if (kept !== undefined) kept.usedAt = usedAt;
    // An answer without a body confirms the cached body, even if that was dropped meanwhile; without a cached body it
    // confirms the caller's.
    const current =
      body === null ? kept : { position, bytes: typeof body === 'string' ? Buffer.from(body) : body, usedAt, placedAt: usedAt };
    if (current === undefined) return answer;
    if (body !== null || this.#mustCountUse()) this.#keep(command.target, current);
    if (known.includes(position)) return { ok: true, json: null, position };
    return { ok: true, json: null, position, bytes: current.bytes };
  }

  /** With half of the budget free, the order of use does not matter yet. */
  #mustCountUse(): boolean {
    return this.#bytes > this.#budgetBytes / 2;
  }

  #keep(id: Uuid, kept: Kept): void {
    this.#drop(id);
    this.#place(id, kept);
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#budgetBytes) break;
      this.#drop(oldest);
    }
    this.#dropIdle();
  }

  /** Inspects the first few. A board that was used since its last move goes to the end. */
  #dropIdle(): void {
    const idleSince = this.#now() - IDLE_MS;
    for (const [id, kept] of [...take(this.#kept, LOOKS)]) {
      const isIdle = kept.usedAt <= idleSince;
      if (!isIdle && kept.usedAt <= kept.placedAt) return;
      this.#drop(id);
      if (!isIdle) this.#place(id, kept);
    }
  }

  #place(id: Uuid, kept: Kept): void {
    kept.placedAt = kept.usedAt;
    this.#kept.set(id, kept);
    this.#bytes += kept.bytes.length;
  }

  #drop(id: Uuid): void {
    this.#bytes -= this.#kept.get(id)?.bytes.length ?? 0;
    this.#kept.delete(id);
  }
}
