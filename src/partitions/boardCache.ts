/**
 * Full boards as they were last sent, kept where requests are served. Whether the caller may see the board, and whether
 * it changed, is asked every time; only its body need not travel, or be encoded, again.
 */
import { bodyOf, type BoardAnswer, type BoardsPort } from '../domain/ports/boardsPort.js';
import type { BoardCommand, BoardCommands, BoardOperation } from '../domain/commands/commands.js';
import type { Uuid } from '../domain/ids.js';
import { FairLanes } from './fairLanes.js';

/** A board of 500 cards takes 300 KB: this holds a few hundred of them. */
const BUDGET_BYTES = 128 * 1024 * 1024;

/** What nobody asked for in so long is dropped, as soon as something else is kept: most likely the board is closed. */
const IDLE_MS = 60_000;
/** Kept boards that are looked at then, the longest kept first. */
const LOOKS = 4;

interface Kept {
  readonly seq: number;
  readonly bytes: Uint8Array;
  usedAt: number;
  /** When it got its place in the order. */
  placedAt: number;
}

/** A board whose body is larger than this is only asked for in turn. */
const LARGE_BYTES = 512 * 1024;
/**
 * Answers of these may be of several megabytes, and each is made anew. A few are under way at once, so that a crowd of
 * requests does not become a crowd of bodies in memory; those for a board that is kept are told so, and are over at
 * once.
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

/** Whether a user has read enough of the answers before for another large one. */
export interface ReadingRoom {
  hasRoom(user: Uuid): boolean;
  /** Resolves when there may be. */
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
  /** A map keeps the order of insertion; whoever is used is inserted anew once room gets short. */
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

  /** A caller who has much to read waits without a lane, so that others need not. */
  async #inTurn(user: Uuid, ask: () => Promise<BoardAnswer>): Promise<BoardAnswer> {
    for (;;) {
      await this.#room.room(user);
      const answer = await this.#large.run(user, () => (this.#room.hasRoom(user) ? ask() : NO_ROOM));
      if (answer !== null) return answer;
    }
  }

  /** Of a board that is not kept nothing is known: it may be large. */
  #isSmall(id: Uuid): boolean {
    const kept = this.#kept.get(id);
    return kept !== undefined && kept.bytes.length <= LARGE_BYTES;
  }

  async #askForBoard(command: BoardCommand, { known_seq }: BoardCommands['board.get']): Promise<BoardAnswer> {
    const kept = this.#kept.get(command.target);
    const answer = await this.#boards.ask(kept === undefined ? command : { ...command, input: { known_seq: kept.seq } });
    if (!answer.ok || answer.seq === undefined) return answer;
    const { seq } = answer;
    const body = bodyOf(answer);
    const usedAt = this.#now();
    if (kept !== undefined) kept.usedAt = usedAt;
    // Without a body it is as it was kept, whatever was kept or dropped since; with nothing kept, as the caller has it.
    const current =
      body === null ? kept : { seq, bytes: typeof body === 'string' ? Buffer.from(body) : body, usedAt, placedAt: usedAt };
    if (current === undefined) return answer;
    if (body !== null || this.#mustCountUse()) this.#keep(command.target, current);
    if (seq === known_seq) return { ok: true, json: null, seq };
    return { ok: true, json: null, seq, bytes: current.bytes };
  }

  /** With half of the room free it makes no difference yet who was used last. */
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

  /** Looks at those in front. Who was used since it came there goes to the end. */
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
