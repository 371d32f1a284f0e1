/** Encodes and decodes batches of asks, replies and heartbeats for the network. */
import * as v from 'valibot';
import type { PartitionCommand, PartitionName, Outcome } from '../../partitions/messages.js';
import { MAX_PEERS, type Heartbeat } from '../peers.js';
import { decodeFrame, encodeFrame, itemBytes, type FrameItem } from '../../wire/frame.js';
import { decodeItem, encodeItem } from '../../wire/item.js';
import { quote, Refusal } from '../../wire/refusal.js';
import { count, errorData, flag, parseShape, text, uuid, type Shape } from '../../wire/shapes.js';
import type { Forgotten } from '../userGrants.js';
import { knownCommand } from './knownCommand.js';

/** Encoded one by one, so that the size of a batch is known while it is filled. */
export interface EncodedCommand {
  readonly item: FrameItem;
  readonly bytes: number;
}

export interface RemoteBatch {
  readonly partition: PartitionName;
  /** When it was sent, by the clock of the receiver. */
  readonly sentAt: number;
  /** Decoded one by one: a refused command does not affect the others. */
  readonly commands: ReadonlyArray<() => PartitionCommand>;
  /** Null if its sender will not ask for replies again. */
  readonly id: string | null;
  /** Null when it is sent for the first time. */
  readonly again: Repetition | null;
  /** Users whom the receiver must forget; then there is no command. */
  readonly forgotten: Forgotten | null;
}

/** A batch that is sent again: only its commands without an answer. */
export interface Repetition {
  /** Of the commands in the batch. */
  readonly places: readonly number[];
  /** When the whole batch was sent, by the clock of the receiver. */
  readonly sentAt: number;
}

/** `index` is the position of the command in its batch; null if the whole batch was refused. */
export interface RemoteReply {
  readonly index: number | null;
  readonly outcome: Outcome;
}

/** Far more than arrive in one turn of the event loop, and within a receiver's bounds. */
export const MAX_BATCH_ASKS = 4_096;
const MAX_FORGOTTEN = 1_000;
const forgotten: Shape<Forgotten> = v.union([v.literal('all'), v.pipe(v.array(uuid), v.maxLength(MAX_FORGOTTEN))]);
const MAX_BATCH_ID_CHARACTERS = 100;
const repetition: Shape<Repetition> = v.object({ places: v.pipe(v.array(count), v.maxLength(MAX_BATCH_ASKS)), sentAt: v.number() });
const envelope = v.object({
  partition: text,
  sentAt: v.number(),
  id: v.exactOptional(v.pipe(text, v.maxLength(MAX_BATCH_ID_CHARACTERS))),
  again: v.exactOptional(repetition),
  forgotten: v.exactOptional(forgotten),
});
const remoteOutcome = v.variant('ok', [
  v.object({ ok: v.literal(true), value: v.optional(v.unknown()) }),
  v.object({
    ok: v.literal(false),
    error: errorData,
    notHere: v.exactOptional(v.literal(true)),
    isUnknown: v.exactOptional(v.literal(true)),
  }),
]) as Shape<Outcome>;
const remoteReply: Shape<RemoteReply> = v.object({ index: v.nullable(count), outcome: remoteOutcome });

const MAX_NAME_CHARACTERS = 256;
/** More partitions than a service can have, see MAX_SHARDS in settings.ts. */
const MAX_PARTITIONS = 4_096;
/** Shown to operators, also on terminals, so control characters are refused. */
const name = v.pipe(text, v.maxLength(MAX_NAME_CHARACTERS), v.regex(/^[^\p{Cc}]*$/u));
const partition = v.custom<PartitionName>((value) => typeof value === 'string' && /^(directory|shard \d{1,4})$/.test(value));
const copyReport = v.object({
  partition,
  state: v.picklist(['following', 'claiming', 'owning', 'halted', 'stopped']),
  applied: count,
  chain: name,
  term: count,
  schema: count,
  leaseLeftMs: v.exactOptional(count),
  reason: v.exactOptional(name),
});
const heardInstance = v.object({
  id: v.pipe(name, v.minLength(1)),
  url: name,
  partitions: v.pipe(v.array(partition), v.maxLength(MAX_PARTITIONS)),
});
const heartbeatShape: Shape<Heartbeat> = v.object({
  info: v.object({
    id: v.pipe(name, v.minLength(1)),
    host: name,
    pid: count,
    url: name,
    version: name,
    startedAt: v.pipe(name, v.isoTimestamp()),
    sockets: count,
    leaving: flag,
    joining: v.exactOptional(flag),
    drained: v.exactOptional(flag),
    partitions: v.pipe(v.array(partition), v.maxLength(MAX_PARTITIONS)),
  }),
  number: count,
  connections: count,
  clock: v.number(),
  time: v.exactOptional(v.number()),
  copies: v.pipe(v.array(copyReport), v.maxLength(MAX_PARTITIONS)),
  tokens: v.exactOptional(name),
  settings: v.exactOptional(v.object({ all: name, each: v.exactOptional(v.record(name, name)) })),
  heard: v.exactOptional(v.pipe(v.array(heardInstance), v.maxLength(MAX_PEERS))),
});

/** Encodes our messages, and decodes messages of other instances, which may run another version of the program. */
export class RemoteMessages {
  readonly #shards: number;

  constructor(shards: number) {
    this.#shards = shards;
  }

  encodeCommand(command: PartitionCommand): EncodedCommand {
    const item = encodeItem(command);
    return { item, bytes: itemBytes(item) };
  }

  encodeBatch(
    partition: PartitionName,
    sentAt: number,
    commands: readonly EncodedCommand[],
    { id, again }: { readonly id?: string | undefined; readonly again?: Repetition } = {},
  ): Uint8Array {
    const head = { partition, sentAt, ...(id === undefined ? {} : { id }), ...(again === undefined ? {} : { again }) };
    return encodeFrame([encodeItem(head), ...commands.map(({ item }) => item)]);
  }

  /** Only for instances that asked for a grant: an older program would answer nothing. */
  encodeForgotten(forgotten: Forgotten): Uint8Array {
    return encodeFrame([encodeItem({ partition: 'directory', sentAt: 0, forgotten })]);
  }

  decodeBatch(bytes: Uint8Array): RemoteBatch {
    const [first, ...commands] = decodeFrame(bytes);
    if (first === undefined) throw new Refusal('malformed', 'an empty batch');
    const { partition: name, sentAt, id = null, again = null, forgotten = null } = parseShape(envelope, decodeItem(first), 'a batch');
    const partition = this.#parsePartition(name);
    if (again !== null && (id === null || again.places.length !== commands.length)) throw new Refusal('malformed', 'a batch that repeats none');
    return {
      partition,
      sentAt,
      id,
      again,
      forgotten,
      commands: commands.map((item) => () => knownCommand(decodeItem(item), partition, this.#shards)),
    };
  }

  encodeReply(reply: RemoteReply): FrameItem {
    return encodeItem(reply);
  }

  /** Decoded one by one. */
  decodeReplies(bytes: Uint8Array): ReadonlyArray<() => RemoteReply> {
    return decodeFrame(bytes).map((item) => () => parseShape(remoteReply, decodeItem(item), 'a reply'));
  }

  /** Whether the reply says that users were forgotten. */
  isConfirmed(bytes: Uint8Array): boolean {
    try {
      return this.decodeReplies(bytes).every((decode) => decode().outcome.ok);
    } catch (error) {
      if (error instanceof Refusal) return false;
      throw error;
    }
  }

  encodeHeartbeat(heartbeat: Heartbeat): Uint8Array {
    return encodeFrame([encodeItem(heartbeat)]);
  }

  decodeHeartbeat(bytes: Uint8Array): Heartbeat {
    const [item] = decodeFrame(bytes);
    if (item === undefined) throw new Refusal('malformed', 'an empty heartbeat');
    return parseShape(heartbeatShape, decodeItem(item), 'a heartbeat');
  }

  #parsePartition(name: string): PartitionName {
    if (name === 'directory') return name;
    const shard = /^shard (0|[1-9]\d*)$/.exec(name)?.[1];
    if (shard === undefined || Number(shard) >= this.#shards) throw new Refusal('malformed', `no partition ${quote(name)}`);
    return `shard ${Number(shard)}`;
  }
}
