/** Typed clients for boards, imports and attachment content, used where requests are served. */
import type { BoardPlan } from '../domain/document/boardPlan.js';
import type { BoardAnswer, BoardsPort, ContentPort, ImportPort } from '../domain/ports/boardsPort.js';
import type { BoardCommand } from '../domain/commands/commands.js';
import type { BoardOutcome } from '../domain/commands/decide.js';
import { boardKeyOf, shardOf, type Uuid } from '../domain/ids.js';
import type { AskPort } from './askPort.js';
import type { BoardReply, ShardCommand, ShardName } from './messages.js';

/** Maps the id of a board, or of anything on it, to its shard. */
export class Shards {
  readonly #partitions: AskPort;
  readonly #names: readonly ShardName[];

  constructor(partitions: AskPort, count: number) {
    this.#partitions = partitions;
    this.#names = Array.from({ length: count }, (_, n): ShardName => `shard ${n}`);
  }

  ask(shard: ShardName, command: ShardCommand): Promise<unknown> {
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

  ask(command: BoardCommand): Promise<BoardAnswer> {
    const shard = this.#shards.shardOf(command.target);
    return this.#shards.ask(shard, { kind: 'board', command }).then((reply) => (reply as BoardReply).outcome);
  }
}

export class ImportClient implements ImportPort {
  readonly #shards: Shards;

  constructor(shards: Shards) {
    this.#shards = shards;
  }

  async import(plan: BoardPlan): Promise<BoardOutcome> {
    const reply = await this.#shards.ask(this.#shards.shardOf(plan.board_id), { kind: 'import', plan });
    return (reply as BoardReply).outcome;
  }
}

export class ContentClient implements ContentPort {
  readonly #shards: Shards;

  constructor(shards: Shards) {
    this.#shards = shards;
  }

  async start(id: Uuid): Promise<void> {
    await this.#ask(id, { kind: 'upload.start', id });
  }

  async append(id: Uuid, n: number, bytes: Uint8Array): Promise<void> {
    await this.#ask(id, { kind: 'upload.append', id, n, bytes });
  }

  async drop(id: Uuid): Promise<void> {
    await this.#ask(id, { kind: 'upload.drop', id });
  }

  async read(id: Uuid, from: number, to: number): Promise<Uint8Array> {
    return (await this.#ask(id, { kind: 'content.read', id, from, to })) as Uint8Array;
  }

  #ask(id: Uuid, command: ShardCommand): Promise<unknown> {
    return this.#shards.ask(this.#shards.shardOf(id), command);
  }
}
