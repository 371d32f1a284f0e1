/**
 * Encodes asks, replies and notices as flat lists for messages between threads. The cost of such a message is its
 * number of objects and keys: in batches of four, an ask takes 1.2 µs this way instead of 3.9, and a reply 0.6 µs
 * instead of 2.5.
 */
import type { BoardCommand } from '../../domain/commands/commands.js';
import { isLarge, LARGE_EVENT_CHARACTERS, type EventType, type PublishedEvent } from '../../domain/events.js';
import { isEmpty } from '../../domain/givenFields.js';
import type { Idempotency } from '../../domain/idempotency.js';
import type { Uuid } from '../../domain/ids.js';
import type { BoardAnswer } from '../../domain/ports/boardsPort.js';
import { LARGE_ANSWER_CHARACTERS, toSharedBytes } from '../../domain/content/sharedBytes.js';
import type {
  Ask,
  BoardReply,
  Notice,
  Outcome,
  EncodedAsks,
  EncodedNotices,
  EncodedReplies,
  Reply,
  PartitionCommand,
  PartitionName,
} from '../messages.js';

/** Marks a value that is sent unchanged: anything but a board command, its plain answer or its events. */
const AS_IT_IS = '';
const ASK_FIELDS = 7;
const REPLY_FIELDS = 4;
const EVENT_FIELDS = 3;
const SYSTEM = 'system';

type PlainAnswer = Extract<BoardAnswer, { ok: true }>;

export function encodeAsks(asks: readonly Ask[]): EncodedAsks {
  const packed: unknown[] = [];
  for (const { id, partition, command } of asks) {
    if ('kind' in command && (command.kind === 'board' || command.kind === 'keyed')) {
      const { op, caller, target, input, idempotency } = command.command;
      const user = caller === SYSTEM ? SYSTEM : caller.user_id;
      packed.push(id, partition, op, target, user, isEmpty(input) ? null : input, idempotency ?? null);
    } else {
      packed.push(id, partition, AS_IT_IS, '', '', command, null);
    }
  }
  return packed;
}

export function decodeAsks(packed: EncodedAsks): Ask[] {
  const asks: Ask[] = [];
  for (let at = 0; at < packed.length; at += ASK_FIELDS) {
    const rest = packed[at + 5];
    const command =
      packed[at + 2] === AS_IT_IS
        ? (rest as PartitionCommand)
        : { kind: packed[at + 6] === null ? ('board' as const) : ('keyed' as const), command: boardCommandAt(packed, at) };
    asks.push({ id: packed[at] as number, partition: packed[at + 1] as PartitionName, command });
  }
  return asks;
}

function boardCommandAt(packed: EncodedAsks, at: number): BoardCommand {
  const user = packed[at + 4];
  const caller = user === SYSTEM ? SYSTEM : { user_id: user };
  const command = { op: packed[at + 2], caller, target: packed[at + 3], input: packed[at + 5] ?? {} } as BoardCommand;
  return packed[at + 6] === null ? command : { ...command, idempotency: packed[at + 6] as Idempotency };
}

export function encodeReplies(replies: readonly Reply[]): EncodedReplies {
  const packed: unknown[] = [];
  // The same answer to many asks of one turn is encoded once, and its receivers share the memory.
  const large = new Map<string, Uint8Array>();
  for (const { id, outcome } of replies) {
    const answer = plainAnswer(outcome);
    if (answer === null) packed.push(id, AS_IT_IS, null, outcome);
    else packed.push(id, bodyOf(answer, large), answer.position ?? null, null);
  }
  return packed;
}

export function decodeReplies(packed: EncodedReplies): Reply[] {
  const replies: Reply[] = [];
  for (let at = 0; at < packed.length; at += REPLY_FIELDS) {
    const body = packed[at + 1] as string | Uint8Array | null;
    const outcome = body === AS_IT_IS ? (packed[at + 3] as Outcome) : answered(body, packed[at + 2] as string | null);
    replies.push({ id: packed[at] as number, outcome });
  }
  return replies;
}

function answered(body: string | Uint8Array | null, position: string | null): Outcome {
  const value: BoardReply = { outcome: answerOf(body, position) };
  return { ok: true, value };
}

/** Written out, because spreading the parts into one object took a microsecond. */
function answerOf(body: string | Uint8Array | null, position: string | null): BoardReply['outcome'] {
  if (body !== null && typeof body !== 'string') {
    return position === null ? { ok: true, json: null, bytes: body } : { ok: true, json: null, bytes: body, position };
  }
  return position === null ? { ok: true, json: body } : { ok: true, json: body, position };
}

/** Encodes a large answer here; its memory is then transferred without a copy. */
function bodyOf({ json, bytes }: PlainAnswer, large: Map<string, Uint8Array>): string | Uint8Array | null {
  if (bytes !== undefined) return bytes;
  if (json === null || json.length < LARGE_ANSWER_CHARACTERS) return json;
  const encoded = large.get(json) ?? toSharedBytes(json);
  large.set(json, encoded);
  return encoded;
}

export function encodeNotices(notices: readonly Notice[]): EncodedNotices {
  const packed: unknown[] = [];
  for (const notice of notices) {
    if (notice.kind !== 'board.events') {
      packed.push(AS_IT_IS, notice);
      continue;
    }
    packed.push(notice.board_id, notice.epoch, notice.events.length);
    for (const event of notice.events) packed.push(event.seq, event.type, contentOf(event));
  }
  return packed;
}

export function decodeNotices(packed: EncodedNotices): Notice[] {
  const notices: Notice[] = [];
  for (let at = 0; at < packed.length;) {
    const board_id = packed[at] as Uuid;
    if (board_id === AS_IT_IS) {
      notices.push(packed[at + 1] as Notice);
      at += 2;
      continue;
    }
    const events: PublishedEvent[] = [];
    const epoch = packed[at + 1] as string;
    const end = at + 3 + EVENT_FIELDS * (packed[at + 2] as number);
    for (at += 3; at < end; at += EVENT_FIELDS) {
      const [seq, type] = [packed[at] as number, packed[at + 1] as EventType];
      const content = packed[at + 2] as string | Uint8Array;
      events.push(typeof content === 'string' ? { seq, type, json: content } : { seq, type, bytes: content });
    }
    notices.push({ kind: 'board.events', board_id, epoch, events });
  }
  return notices;
}

/** Encodes a large event here: encoding ten megabytes in the I/O thread would delay every request. */
function contentOf(event: PublishedEvent): string | Uint8Array {
  if (isLarge(event)) return event.bytes;
  return event.json.length < LARGE_EVENT_CHARACTERS ? event.json : toSharedBytes(event.json);
}

/** Null if the outcome is more than a board's answer. */
function plainAnswer(outcome: Outcome): PlainAnswer | null {
  const reply = outcome.ok ? (outcome.value as Partial<BoardReply> | null) : null;
  const answer = reply?.outcome;
  if (answer === undefined || !answer.ok || answer.json === AS_IT_IS || reply?.outboxId !== undefined) return null;
  return answer.replayed === true ? null : answer;
}
