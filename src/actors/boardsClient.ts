/** The boards as seen from the I/O thread: from an id to the thread that owns its shard. */
import type { BoardsPort, ContentPort } from '../domain/boardsPort.js';
import type { BoardCommand } from '../domain/commands.js';
import type { Outcome } from '../domain/decide.js';
import { boardKeyOf, shardOf, type Uuid } from '../domain/ids.js';
import type { BoardReply, ShardCommand, ShardName } from './messages.js';
import type { OutboxCourier } from './outboxCourier.js';
import type { StoreThread } from './storeThread.js';

/** Which thread owns which shard. */
export class ShardThreads {
  readonly #threads: readonly StoreThread[];
  readonly #shards: number;

  constructor(threads: readonly StoreThread[], shards: number) {
    this.#threads = threads;
    this.#shards = shards;
  }

  async open(): Promise<void> {
    const names = Array.from({ length: this.#shards }, (_, shard) => nameOf(shard));
    await Promise.all(names.map((name) => this.#threadOf(name).open(name)));
  }

  ask(shard: ShardName, command: ShardCommand): Promise<unknown> {
    return this.#threadOf(shard).ask(shard, command);
  }

  shardOf(id: Uuid): ShardName {
    return nameOf(shardOf(boardKeyOf(id), this.#shards));
  }

  #threadOf(shard: ShardName): StoreThread {
    const thread = this.#threads[Number(shard.slice('shard '.length)) % this.#threads.length];
    if (thread === undefined) throw new Error(`no thread owns ${shard}`);
    return thread;
  }
}

function nameOf(shard: number): ShardName {
  return `shard ${shard}`;
}

export class BoardsClient implements BoardsPort {
  readonly #shards: ShardThreads;
  readonly #courier: OutboxCourier;

  constructor(shards: ShardThreads, courier: OutboxCourier) {
    this.#shards = shards;
    this.#courier = courier;
  }

  async ask(command: BoardCommand): Promise<Outcome> {
    const shard = this.#shards.shardOf(command.target);
    const { outcome, news } = (await this.#shards.ask(shard, { kind: 'board', command })) as BoardReply;
    // Whoever was answered must find the change in the list of boards.
    if (news !== undefined) await this.#courier.delivered(shard, news);
    return outcome;
  }
}

export class ContentClient implements ContentPort {
  readonly #shards: ShardThreads;

  constructor(shards: ShardThreads) {
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
