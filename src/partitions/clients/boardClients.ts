/** Typed clients for what boards have besides their commands: imports, kept answers, event logs, attachment content. */
import type { BoardPlan } from '../../domain/document/boardPlan.js';
import {
  MAX_CHUNK_BYTES,
  type AnswersPort,
  type ContentPort,
  type FoundAnswer,
  type ImportAnswer,
  type ImportPort,
  type TrashedBoardsPort,
} from '../../domain/ports/boardsPort.js';
import type { BoardOutcome } from '../../domain/commands/decide.js';
import { AppError } from '../../domain/errors.js';
import { boardKeyOf, type Uuid } from '../../domain/ids.js';
import type { Boards } from '../boards.js';
import { FairLanes } from '../../flow/fairLanes.js';
import type { EventLogPort, MissedEvents } from '../../domain/ports/eventLog.js';
import type { Position } from '../../domain/position.js';
import type { BoardReply } from '../messages.js';

export class ImportClient implements ImportPort {
  readonly #boards: Pick<Boards, 'send'>;

  constructor(boards: Pick<Boards, 'send'>) {
    this.#boards = boards;
  }

  async import(plan: BoardPlan, keep?: ImportAnswer): Promise<BoardOutcome> {
    const command = keep === undefined ? ({ kind: 'import', plan } as const) : ({ kind: 'import', plan, keep } as const);
    const reply = await this.#boards.send(plan.board_id, command);
    return (reply as BoardReply).outcome;
  }
}

export class AnswersClient implements AnswersPort {
  readonly #boards: Pick<Boards, 'send'>;

  constructor(boards: Pick<Boards, 'send'>) {
    this.#boards = boards;
  }

  async find(board_id: Uuid, user_id: Uuid, key: string): Promise<FoundAnswer> {
    return (await this.#boards.send(board_id, { kind: 'answer.find', board_id, user_id, key })) as FoundAnswer;
  }
}

export class TrashedBoardsClient implements TrashedBoardsPort {
  readonly #boards: Pick<Boards, 'send'>;

  constructor(boards: Pick<Boards, 'send'>) {
    this.#boards = boards;
  }

  async discard(board_id: Uuid): Promise<void> {
    const reply = (await this.#boards.send(board_id, { kind: 'board.discard', board_id })) as BoardReply;
    if (!reply.outcome.ok) throw AppError.from(reply.outcome.error);
  }
}

export class EventLogClient implements EventLogPort {
  readonly #boards: Pick<Boards, 'send'>;

  constructor(boards: Pick<Boards, 'send'>) {
    this.#boards = boards;
  }

  eventsAfter(boardId: Uuid, since: Position): Promise<MissedEvents> {
    return this.#boards.send(boardId, { kind: 'events.read', board_id: boardId, since }) as Promise<MissedEvents>;
  }

  async forgetEvents(boardId: Uuid, upTo: number): Promise<void> {
    for (let more = true; more;) {
      more = (await this.#boards.send(boardId, { kind: 'events.forget', board_id: boardId, upTo })) as boolean;
    }
  }
}

/**
 * Chunks of files that are sent to the shards at once. All that arrive while one commit is written share the next: of
 * hundreds it would be megabytes, and every other command of the shard would wait for it.
 */
const MAX_APPENDS = 16;
/** On one board: as many as one upload has under way. */
const MAX_APPENDS_EACH = 4;

export class ContentClient implements ContentPort {
  readonly #boards: Pick<Boards, 'send'>;
  /** Boards take turns. */
  readonly #appends = new FairLanes(MAX_APPENDS, MAX_APPENDS_EACH);
  /** As many as chunks were under way at once. */
  readonly #blocks = new ContentBlocks(MAX_CHUNK_BYTES);

  constructor(boards: Pick<Boards, 'send'>) {
    this.#boards = boards;
  }

  async start(id: Uuid): Promise<boolean> {
    return (await this.#boards.send(id, { kind: 'upload.start', id })) !== false;
  }

  async append(id: Uuid, n: number, bytes: Uint8Array): Promise<void> {
    const send = (copy: Uint8Array): Promise<unknown> => this.#boards.send(id, { kind: 'upload.append', id, n, bytes: copy });
    await this.#appends.run(boardKeyOf(id), () => this.#blocks.lend(bytes, send));
  }

  async drop(id: Uuid): Promise<void> {
    await this.#boards.send(id, { kind: 'upload.drop', id });
  }

  async read(id: Uuid, from: number, to: number): Promise<Uint8Array> {
    return (await this.#boards.send(id, { kind: 'content.read', id, from, to })) as Uint8Array;
  }
}

/**
 * Memory for chunks of files on their way to a store thread, which reads them in place. It is used again: the content of
 * a few uploads would otherwise be hundreds of megabytes of garbage, in two threads, and each collection a wait of
 * everyone.
 */
class ContentBlocks {
  readonly #bytes: number;
  readonly #free: SharedArrayBuffer[] = [];

  /** `bytes`: of one block. */
  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Lends a copy of the bytes to the task. If that fails, another thread may still read the block: it is not used again. */
  async lend<Result>(bytes: Uint8Array, task: (copy: Uint8Array) => Promise<Result>): Promise<Result> {
    const block = this.#free.pop() ?? new SharedArrayBuffer(this.#bytes);
    const copy = new Uint8Array(block, 0, bytes.length);
    copy.set(bytes);
    const result = await task(copy);
    this.#free.push(block);
    return result;
  }
}
