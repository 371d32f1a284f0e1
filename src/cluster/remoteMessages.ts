/** Batches of asks, their replies and heartbeats as bytes, the way they travel between instances. */
import * as v from 'valibot';
import type { PartitionCommand, PartitionName, Outcome } from '../partitions/messages.js';
import type { Heartbeat } from './peers.js';
import { decodeAnyFrame, decodeFrame, encodeFrame, itemBytes, PROTOCOL_VERSION, type FrameItem } from '../wire/frame.js';
import { decodeItem, encodeItem } from '../wire/item.js';
import { quote, Refusal } from '../wire/refusal.js';
import type { Seal } from '../wire/sealing.js';
import { count, errorData, flag, parseShape, text, type Shape } from '../wire/shapes.js';
import { DIRECTORY_SHAPES, parseDirectoryCommand } from './directoryShapes.js';
import { parseShardCommand, SHARD_SHAPES } from './shardShapes.js';

/** Encoded one by one, so that whoever fills a batch knows how large it gets. */
export interface EncodedCommand {
  readonly item: FrameItem;
  readonly bytes: number;
}

export interface RemoteBatch {
  /** When it was sent, in milliseconds since the epoch: instances share a machine, and so a clock. */
  readonly sentAt: number;
  /** Each is decoded by itself: one that is refused takes nothing with it. */
  readonly commands: ReadonlyArray<() => PartitionCommand>;
}

/** `index` is the command's place in its batch; null when the batch as a whole was refused. */
export interface RemoteReply {
  readonly index: number | null;
  readonly outcome: Outcome;
}

const envelope = v.object({ sentAt: v.number() });
const remoteOutcome = v.variant('ok', [
  v.object({ ok: v.literal(true), value: v.optional(v.unknown()) }),
  v.object({ ok: v.literal(false), error: errorData, notHere: v.exactOptional(v.literal(true)) }),
]) as Shape<Outcome>;
const remoteReply: Shape<RemoteReply> = v.object({ index: v.nullable(count), outcome: remoteOutcome });

const MAX_NAME_CHARACTERS = 256;
/** More partitions than a service can have, see MAX_SHARDS in config.ts. */
const MAX_STATIONS = 4_096;
/** What a peer says of itself is shown to operators, on their terminals too. */
const name = v.pipe(text, v.maxLength(MAX_NAME_CHARACTERS), v.regex(/^[^\p{Cc}]*$/u));
const partition = v.custom<PartitionName>((value) => typeof value === 'string' && /^(directory|shard \d{1,4})$/.test(value));
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
    partitions: v.pipe(v.array(partition), v.maxLength(MAX_STATIONS)),
  }),
  number: count,
  connections: count,
});

/** Every version of the protocol keeps these fields of a heartbeat, so that instances can name each other. */
const stranger = v.object({ info: v.object({ id: text, url: text, version: text }) });

/** How instances write messages to each other, and read what may come from anyone who reaches the network. */
export class RemoteMessages {
  readonly #seal: Seal;
  readonly #shards: number;

  constructor(seal: Seal, shards: number) {
    this.#seal = seal;
    this.#shards = shards;
  }

  encodeCommand(command: PartitionCommand): EncodedCommand {
    const item = encodeItem(command, this.#seal);
    return { item, bytes: itemBytes(item) };
  }

  encodeBatch(sentAt: number, commands: readonly EncodedCommand[]): Uint8Array {
    return encodeFrame([encodeItem({ sentAt }, this.#seal), ...commands.map(({ item }) => item)]);
  }

  decodeBatch(partition: PartitionName, bytes: Uint8Array): RemoteBatch {
    const [first, ...commands] = decodeFrame(bytes);
    if (first === undefined) throw new Refusal('malformed', 'an empty batch');
    const { sentAt } = parseShape(envelope, decodeItem(first, this.#seal), 'a batch');
    return { sentAt, commands: commands.map((item) => () => this.#decodeCommand(partition, item)) };
  }

  encodeReply(reply: RemoteReply): FrameItem {
    return encodeItem(reply, this.#seal);
  }

  /** Each is decoded by itself. The value of an answer is as it came: its shape depends on what was asked. */
  decodeReplies(bytes: Uint8Array): ReadonlyArray<() => RemoteReply> {
    return decodeFrame(bytes).map((item) => () => parseShape(remoteReply, decodeItem(item, this.#seal), 'a reply'));
  }

  encodeHeartbeat(heartbeat: Heartbeat): Uint8Array {
    return encodeFrame([encodeItem(heartbeat, this.#seal)]);
  }

  /** Throws a refusal that names the instance when it speaks another version of the protocol. */
  decodeHeartbeat(bytes: Uint8Array): Heartbeat {
    const { version, items } = decodeAnyFrame(bytes);
    const [item] = items;
    if (item === undefined) throw new Refusal('malformed', 'an empty heartbeat');
    if (version !== PROTOCOL_VERSION) throw new Refusal('version', this.#describeStranger(version, item));
    return parseShape(heartbeatShape, decodeItem(item, this.#seal), 'a heartbeat');
  }

  /** Names the instance as far as its version can be read. */
  #describeStranger(version: number, item: FrameItem): string {
    let who = 'an instance';
    try {
      const { info } = parseShape(stranger, decodeItem(item, this.#seal), 'a heartbeat');
      who = `the instance ${quote(info.id)} (${quote(info.version)} at ${quote(info.url)})`;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
    return `${who} speaks protocol version ${version}, this one ${PROTOCOL_VERSION}: they do not share a cluster`;
  }

  #decodeCommand(partition: PartitionName, item: FrameItem): PartitionCommand {
    const value = decodeItem(item, this.#seal);
    if (partition === 'directory') return parseDirectoryCommand(value);
    return parseShardCommand(value, Number(partition.slice('shard '.length)), this.#shards);
  }
}

/** The answer to this command, or a `Refusal` when it is none. */
export function parseAnswer(command: PartitionCommand, value: unknown): unknown {
  const shape: Shape<unknown> = 'op' in command ? DIRECTORY_SHAPES[command.op].output : SHARD_SHAPES[command.kind].answer;
  return parseShape(shape, value, 'op' in command ? `the answer to ${command.op}` : `the answer to ${command.kind}`);
}
