/** Typed clients for boards, imports and attachment content, used where requests are served. */
import { after, type Answer } from '../../domain/answer.js';
import type { BoardPlan } from '../../domain/document/boardPlan.js';
import {
  MAX_CHUNK_BYTES,
  type AnswersPort,
  type BoardAnswer,
  type BoardsPort,
  type ContentPort,
  type FoundAnswer,
  type ImportAnswer,
  type ImportPort,
} from '../../domain/ports/boardsPort.js';
import type { BoardCommand } from '../../domain/commands/commands.js';
import type { BoardOutcome } from '../../domain/commands/decide.js';
import { boardKeyOf, shardOf, type Uuid } from '../../domain/ids.js';
import type { AskPort } from '../askPort.js';
import { ContentBlocks } from './contentBlocks.js';
import { FairLanes } from '../../flow/fairLanes.js';
import type { BoardReply, ShardCommand, ShardName } from '../messages.js';

/** Maps the id of a board, or of anything on it, to its shard. */
export class Shards {
  readonly #partitions: AskPort;
  readonly #names: readonly ShardName[];

  constructor(partitions: AskPort, count: number) {
    this.#partitions = partitions;
    this.#names = Array.from({ length: count }, (_, n): ShardName => `shard ${n}`);
  }

  ask(shard: ShardName, command: ShardCommand): Answer<unknown> {
    return this.#partitions.ask(shard, command);
  }

  shardOf(id: Uuid): ShardName {
    const name = this.#names[shardOf(boardKeyOf(id), this.#names.length)];
    if (name === undefined) throw new Error(`${id} has no shard`);
    return name;
  }
}

export class BoardsClient implements BoardsPort {
  readonly #shards: Shards;

  constructor(shards: Shards) {
    this.#shards = shards;
  }

  ask(command: BoardCommand): Answer<BoardAnswer> {
    const shard = this.#shards.shardOf(command.target);
    const kind = command.idempotency === undefined ? 'board' : 'keyed';
    return after(this.#shards.ask(shard, { kind, command }), outcomeIn);
  }
}

function outcomeIn(reply: unknown): BoardAnswer {
  return (reply as BoardReply).outcome;
}

export class ImportClient implements ImportPort {
  readonly #shards: Shards;

  constructor(shards: Shards) {
    this.#shards = shards;
  }

  async import(plan: BoardPlan, keep?: ImportAnswer): Promise<BoardOutcome> {
    const command = keep === undefined ? ({ kind: 'import', plan } as const) : ({ kind: 'import', plan, keep } as const);
    const reply = await this.#shards.ask(this.#shards.shardOf(plan.board_id), command);
    return (reply as BoardReply).outcome;
  }
}

export class AnswersClient implements AnswersPort {
  readonly #shards: Shards;

  constructor(shards: Shards) {
    this.#shards = shards;
  }

  async find(board_id: Uuid, user_id: Uuid, key: string): Promise<FoundAnswer> {
    return (await this.#shards.ask(this.#shards.shardOf(board_id), { kind: 'answer.find', board_id, user_id, key })) as FoundAnswer;
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
  readonly #shards: Shards;
  /** Boards take turns. */
  readonly #appends = new FairLanes(MAX_APPENDS, MAX_APPENDS_EACH);
  /** As many as chunks were under way at once. */
  readonly #blocks = new ContentBlocks(MAX_CHUNK_BYTES);

  constructor(shards: Shards) {
    this.#shards = shards;
  }

  async start(id: Uuid): Promise<boolean> {
    return (await this.#ask(id, { kind: 'upload.start', id })) !== false;
  }

  async append(id: Uuid, n: number, bytes: Uint8Array): Promise<void> {
    const send = (copy: Uint8Array): Promise<unknown> => this.#ask(id, { kind: 'upload.append', id, n, bytes: copy });
    await this.#appends.run(boardKeyOf(id), () => this.#blocks.lend(bytes, send));
  }

  async drop(id: Uuid): Promise<void> {
    await this.#ask(id, { kind: 'upload.drop', id });
  }

  async read(id: Uuid, from: number, to: number): Promise<Uint8Array> {
    return (await this.#ask(id, { kind: 'content.read', id, from, to })) as Uint8Array;
  }

  async #ask(id: Uuid, command: ShardCommand): Promise<unknown> {
    return this.#shards.ask(this.#shards.shardOf(id), command);
  }
}
