/** Shapes of shard commands and answers from other instances. */
import * as v from 'valibot';
import { boardKeyOf, shardOf, type Uuid } from '../../domain/ids.js';
import type { KeptAnswer } from '../../domain/idempotency.js';
import { KINDS } from '../../domain/model.js';
import type { BoardAnswer, FoundAnswer, ImportAnswer } from '../../domain/ports/boardsPort.js';
import type { MissedEvents } from '../../domain/ports/eventLog.js';
import type { Attendance, Connection, ConnectionState, Joined, OnlineUser } from '../../domain/ports/presence.js';
import { quote, Refusal } from '../../wire/refusal.js';
import {
  boardEvent,
  bytes,
  count,
  errorData,
  flag,
  historyPosition,
  nullableText,
  parseShape,
  text,
  uuid,
  type Shape,
  type WholeShape,
} from '../../wire/shapes.js';
import { parseBoardCommand, parseKeyedCommand } from './boardShapes.js';
import { fingerprint, idempotencyKey } from './keyShapes.js';
import type { BoardReply, ShardCommand } from '../../partitions/messages.js';

type Kind = ShardCommand['kind'];
type CommandOf<K extends Kind> = Extract<ShardCommand, { kind: K }>;

const connection: Shape<Connection> = v.object({
  id: count,
  board_id: uuid,
  user_id: uuid,
  username: text,
  state: v.exactOptional(text),
});
const connections = v.array(connection);

const boardAnswer: Shape<BoardAnswer> = v.variant('ok', [
  v.object({
    ok: v.literal(true),
    json: v.nullable(text),
    bytes: v.exactOptional(bytes),
    position: v.exactOptional(text),
    replayed: v.exactOptional(v.literal(true)),
  }),
  v.object({ ok: v.literal(false), error: errorData, unknownUsers: v.exactOptional(v.array(uuid)) }),
]);
const boardReply: Shape<BoardReply> = v.object({ outcome: boardAnswer, outboxId: v.exactOptional(count) });
const missedEvents: Shape<MissedEvents> = v.object({ epoch: text, seq: count, events: v.array(boardEvent), resync: flag });
const online = v.array(v.object({ user_id: uuid, username: text }));
const states: Shape<ConnectionState[]> = v.array(v.object({ user_id: uuid, connection_id: count, state: v.nullable(text) }));
const attendance: Shape<Attendance> = v.object({ online, states });
const joined: Shape<Joined> = v.variant('ok', [
  v.object({ ok: v.literal(true), epoch: text, seq: count, attendance: v.exactOptional(attendance) }),
  v.object({ ok: v.literal(false), error: errorData }),
]);
const onlineUsers: Shape<readonly OnlineUser[] | null> = v.nullable(online);
/** The answer is not used. */
const unread = v.unknown();

interface ShardShape<K extends Kind> {
  readonly command: Shape<CommandOf<K>>;
  readonly answer: Shape<unknown>;
  /** The boards of the command. All must belong to the receiving shard. */
  boards(command: CommandOf<K>): readonly Uuid[];
}

const keptAnswer: WholeShape<KeptAnswer> = v.object({
  fingerprint,
  body: nullableText,
  shows: v.nullable(v.object({ kind: v.picklist(KINDS), id: uuid })),
  position: nullableText,
  outboxId: v.nullable(count),
});
const foundAnswer: WholeShape<FoundAnswer> = v.object({
  kept: v.nullable(keptAnswer),
  board: v.picklist(['none', 'exists', 'loose']),
});
const importAnswer: WholeShape<ImportAnswer> = v.object({ scope: text, key: idempotencyKey, fingerprint, body: text });

const anyBoard = (): [] => [];

/** The type ensures that none is missing. */
export const SHARD_SHAPES: { readonly [K in Kind]: ShardShape<K> } = {
  board: {
    command: v.object({ kind: v.literal('board'), command: v.pipe(v.unknown(), v.transform(parseBoardCommand)) }),
    answer: boardReply,
    boards: ({ command }) => [command.target],
  },
  keyed: {
    command: v.object({ kind: v.literal('keyed'), command: v.pipe(v.unknown(), v.transform(parseKeyedCommand)) }),
    answer: boardReply,
    boards: ({ command }) => [command.target],
  },
  import: {
    command: v.object({
      kind: v.literal('import'),
      // The sender has validated the plan, and the shard parses each slice.
      plan: v.object({ board_id: uuid, slices: v.array(bytes), last: bytes }),
      keep: v.exactOptional(importAnswer),
    }),
    answer: boardReply,
    boards: ({ plan }) => [plan.board_id],
  },
  'answer.find': {
    command: v.object({ kind: v.literal('answer.find'), board_id: uuid, user_id: uuid, key: idempotencyKey }),
    answer: foundAnswer,
    boards: ({ board_id }) => [board_id],
  },
  'upload.start': {
    command: v.object({ kind: v.literal('upload.start'), id: text }),
    // An older instance answers nothing.
    answer: v.nullable(flag),
    boards: anyBoard,
  },
  'upload.append': {
    command: v.object({ kind: v.literal('upload.append'), id: text, n: count, bytes }),
    answer: unread,
    boards: anyBoard,
  },
  'upload.drop': {
    command: v.object({ kind: v.literal('upload.drop'), id: text }),
    answer: unread,
    boards: anyBoard,
  },
  'content.read': {
    command: v.object({ kind: v.literal('content.read'), id: text, from: count, to: count }),
    answer: bytes,
    boards: anyBoard,
  },
  'outbox.push': {
    command: v.object({ kind: v.literal('outbox.push'), after: count }),
    answer: unread,
    boards: anyBoard,
  },
  'outbox.delivered': {
    command: v.object({ kind: v.literal('outbox.delivered'), id: count }),
    answer: unread,
    boards: anyBoard,
  },
  'presence.join': {
    command: v.object({ kind: v.literal('presence.join'), connection, attendance: v.exactOptional(v.literal(true)) }),
    answer: joined,
    boards: (command) => [command.connection.board_id],
  },
  'presence.state': {
    command: v.object({ kind: v.literal('presence.state'), connection }),
    answer: unread,
    boards: (command) => [command.connection.board_id],
  },
  'presence.refresh': {
    command: v.object({ kind: v.literal('presence.refresh'), connections }),
    answer: unread,
    boards: (command) => command.connections.map(({ board_id }) => board_id),
  },
  'presence.recheck': {
    command: v.object({ kind: v.literal('presence.recheck'), connections }),
    answer: unread,
    boards: (command) => command.connections.map(({ board_id }) => board_id),
  },
  'presence.leave': {
    command: v.object({ kind: v.literal('presence.leave'), connection }),
    answer: unread,
    boards: (command) => [command.connection.board_id],
  },
  'presence.list': {
    command: v.object({ kind: v.literal('presence.list'), board_id: uuid }),
    answer: onlineUsers,
    boards: ({ board_id }) => [board_id],
  },
  'presence.states': {
    command: v.object({ kind: v.literal('presence.states'), board_id: uuid }),
    answer: states,
    boards: ({ board_id }) => [board_id],
  },
  'events.read': {
    command: v.object({ kind: v.literal('events.read'), board_id: uuid, since: historyPosition }),
    answer: missedEvents,
    boards: ({ board_id }) => [board_id],
  },
  'events.forget': {
    command: v.object({ kind: v.literal('events.forget'), board_id: uuid, upTo: count }),
    answer: flag,
    boards: ({ board_id }) => [board_id],
  },
};

const outline = v.looseObject({ kind: text });

/** `shard` of `shards` is the receiver. A board created in a wrong shard would never be found again. */
export function parseShardCommand(value: unknown, shard: number, shards: number): ShardCommand {
  const { kind } = parseShape(outline, value, 'a command');
  if (!isKind(kind)) throw new Refusal('unsupported', `the command ${quote(kind)} is not known here`);
  return parseOfKind(SHARD_SHAPES[kind] as ShardShape<Kind>, value, kind, (id) => shardOf(boardKeyOf(id), shards) === shard);
}

function parseOfKind(shape: ShardShape<Kind>, value: unknown, kind: Kind, isOurs: (id: Uuid) => boolean): ShardCommand {
  const command = parseShape(shape.command, value, kind);
  if (shape.boards(command).every(isOurs)) return command;
  throw new Refusal('misdirected', `${kind} for a board of another shard`);
}

function isKind(kind: string): kind is Kind {
  return Object.hasOwn(SHARD_SHAPES, kind);
}
