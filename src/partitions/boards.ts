/**
 * The boards as requests see them: an id leads to its shard, reads are answered from the cache, and large answers take a
 * lane. A cached read passes without a promise.
 */
import type { Answer } from '../domain/answer.js';
import { bodyOf, type BoardAnswer, type BoardsPort } from '../domain/ports/boardsPort.js';
import type { BoardCommand, BoardCommands } from '../domain/commands/commands.js';
import { HANDLERS } from '../domain/commands/table.js';
import { boardKeyOf, shardOf, type Uuid } from '../domain/ids.js';
import type { CachedBody } from './cache/bodyCache.js';
import { ALWAYS_ROOM, LargeAnswers, LargeTargets, sizeKeyOf, type AnswerRoom } from './cache/largeAnswers.js';
import type { ReadCache } from './cache/readCache.js';
import type { BoardReply, PartitionCommand, PartitionName, ShardCommand, ShardName } from './messages.js';
import type { Partitions } from './partitions.js';
import { shardNames } from './partitionNames.js';
import type { LocalPartitions } from './thread/localPartitions.js';

/** Requests for something whose last answer was larger than this run in `LargeAnswers`. */
const LARGE_BYTES = 512 * 1024;
/**
 * Operations with large answers that run at once, so that many requests do not put many bodies into memory. Requests
 * for a cached board need no body and end at once.
 */
const MAX_LARGE = 8;
/** The second finds the body of the first in the cache, and callers with many requests leave lanes to others. */
const MAX_LARGE_EACH = 1;

export interface BoardsOptions {
  readonly partitions: Pick<Partitions, 'ask' | 'askHere'>;
  /** How many there are. */
  readonly shards: number;
  readonly cache: Pick<ReadCache, 'answers' | 'bodies'>;
  /** Changes of a partition that is surely owned here are reported here. */
  readonly local: Pick<LocalPartitions, 'ownsSurely'>;
  readonly room?: AnswerRoom;
}

export class Boards implements BoardsPort {
  readonly #partitions: BoardsOptions['partitions'];
  readonly #shards: readonly ShardName[];
  readonly #cache: BoardsOptions['cache'];
  readonly #local: BoardsOptions['local'];
  readonly #large: LargeAnswers;
  readonly #sizes = new LargeTargets(LARGE_BYTES);
  /** Asks about something whose size is unknown, by its key. They never reject. */
  readonly #firstAsks = new Map<string, Promise<void>>();

  constructor({ partitions, shards, cache, local, room = ALWAYS_ROOM }: BoardsOptions) {
    this.#partitions = partitions;
    this.#shards = shardNames(shards);
    this.#cache = cache;
    this.#local = local;
    this.#large = new LargeAnswers(room, MAX_LARGE, MAX_LARGE_EACH);
  }

  ask(command: BoardCommand): Answer<BoardAnswer> {
    const { op, caller, target, input } = command;
    if (caller === 'system' || 'refused' in input) return this.#askShard(command, null);
    if (HANDLERS[op].lists?.isAnswerLarge !== true) return this.#askAndNote(command, caller.user_id);
    if (op !== 'board.get') return this.#large.run(caller.user_id, async () => this.#askShard(command, null));
    const ask = (): Answer<BoardAnswer> => this.#askForBoard(command, input as BoardCommands['board.get']);
    return this.#isSmall(target) ? ask() : this.#large.run(caller.user_id, async () => ask());
  }

  /** Any command for the shard of the board, or of something on it. Nothing is cached. */
  send(id: Uuid, command: ShardCommand): Promise<unknown> {
    return this.#partitions.ask(this.shardOf(id), command);
  }

  /** An ask of another instance for a partition that is owned here: its boards answer from the same cache. */
  serve(partition: PartitionName, command: PartitionCommand): Answer<unknown> {
    const ask = (): Promise<unknown> => this.#partitions.askHere(partition, command);
    return 'kind' in command && command.kind === 'board' ? this.#fromCache(partition, command.command, ask) : ask();
  }

  /** The shard of a board, or of anything on it. */
  shardOf(id: Uuid): ShardName {
    const name = this.#shards[shardOf(boardKeyOf(id), this.#shards.length)];
    if (name === undefined) throw new Error(`${id} has no shard`);
    return name;
  }

  /**
   * Mostly small. Until the first answer has shown how large something is, other asks about it wait: then they run as
   * large ones, or together. Asks of one turn get the same memory, see `codec.ts`.
   */
  #askAndNote(command: BoardCommand, user: Uuid): Answer<BoardAnswer> {
    const key = sizeKeyOf(command);
    if (key === null) return this.#askShard(command, null);
    const size = this.#sizes.sizeOf(key);
    if (size === 'small') return this.#askShard(command, key);
    if (size === 'large') return this.#large.run(user, async () => this.#askShard(command, key));
    const first = this.#firstAsks.get(key);
    if (first === undefined) return this.#askFirst(key, command);
    return first.then(() => (this.#sizes.sizeOf(key) === 'large' ? this.#askAndNote(command, user) : this.#askShard(command, key)));
  }

  #askFirst(key: string, command: BoardCommand): Answer<BoardAnswer> {
    const answer = this.#askShard(command, key);
    if (!(answer instanceof Promise)) return answer;
    const end = (): void => void this.#firstAsks.delete(key);
    this.#firstAsks.set(key, answer.then(end, end));
    return answer;
  }

  /** `sizeKey`: under which the size of the answer is noted. */
  #askShard(command: BoardCommand, sizeKey: string | null): Answer<BoardAnswer> {
    const shard = this.shardOf(command.target);
    const ask = (): Promise<unknown> => this.#partitions.ask(shard, { kind: command.idempotency === undefined ? 'board' : 'keyed', command });
    const reply = HANDLERS[command.op].effect === 'read' && command.idempotency === undefined ? this.#fromCache(shard, command, ask) : ask();
    if (!(reply instanceof Promise)) return (reply as BoardReply).outcome;
    return reply.then((given) => {
      const { outcome } = given as BoardReply;
      if (sizeKey !== null) this.#sizes.note(sizeKey, outcome);
      return outcome;
    });
  }

  #fromCache(partition: PartitionName, command: BoardCommand, ask: () => Promise<unknown>): Answer<unknown> {
    return this.#local.ownsSurely(partition) ? this.#cache.answers.answer(partition, command, ask) : ask();
  }

  /** The size of a board that is not cached is unknown: it may be large. */
  #isSmall(id: Uuid): boolean {
    const kept = this.#cache.bodies.get(id);
    return kept !== undefined && kept.bytes.length <= LARGE_BYTES;
  }

  /** Asks for access and for the board's number; an unchanged body is neither transferred nor encoded again. */
  #askForBoard(command: BoardCommand, { known = [] }: BoardCommands['board.get']): Answer<BoardAnswer> {
    const kept = this.#cache.bodies.get(command.target);
    const answer = this.#askShard(kept === undefined ? command : { ...command, input: { known: [kept.position] } }, null);
    if (!(answer instanceof Promise)) return this.#withBody(command.target, answer, kept, known);
    return answer.then((given) => this.#withBody(command.target, given, kept, known));
  }

  #withBody(target: Uuid, answer: BoardAnswer, kept: CachedBody | undefined, known: readonly string[]): BoardAnswer {
    if (!answer.ok || answer.position === undefined) return answer;
    const { position } = answer;
    const body = bodyOf(answer);
    // An answer without a body confirms the cached body, even if that was dropped meanwhile; without a cached body it
    // confirms the caller's.
    const current = body === null ? kept : { position, bytes: typeof body === 'string' ? Buffer.from(body) : body };
    if (current === undefined) return answer;
    if (body === null) this.#cache.bodies.noteUse(target, current);
    else this.#cache.bodies.keep(target, current);
    if (known.includes(position)) return { ok: true, json: null, position };
    return { ok: true, json: null, position, bytes: current.bytes };
  }
}
