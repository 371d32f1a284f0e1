/** Encodes and decodes messages about boards and users between instances. */
import * as v from 'valibot';
import { ROLES } from '../domain/model.js';
import { PRESENCE_TYPES } from '../domain/ports/presence.js';
import type { SessionMessage } from '../domain/account/session.js';
import type { PublicUser } from '../domain/account/user.js';
import { decodeFrame, encodeFrame } from '../wire/frame.js';
import { decodeItem, encodeItem } from '../wire/item.js';
import { quote, Refusal } from '../wire/refusal.js';
import { count, liveSession, nullableText, parseShape, publicUser, publishedEvent, text, uuid, type Shape } from '../wire/shapes.js';
import type { FeedEvent, FeedMessage } from '../domain/feed.js';
import { NOTIFICATION_KINDS } from '../domain/account/notification.js';
import type { BoardMessage } from './bus.js';

/** It becomes a part of a message to clients. */
const jsonText: Shape<string> = v.custom<string>((value) => typeof value === 'string' && isJson(value));

type Kind = BoardMessage['kind'];
type MessageOf<K extends Kind> = Extract<BoardMessage, { kind: K }>;

/** The type ensures that none is missing. */
const BOARD_MESSAGES: { readonly [K in Kind]: Shape<MessageOf<K>> } = {
  events: v.object({ kind: v.literal('events'), epoch: text, events: v.array(publishedEvent) }) as Shape<MessageOf<'events'>>,
  left: v.object({ kind: v.literal('left'), user_ids: v.array(text) }),
  roles: v.object({ kind: v.literal('roles'), roles: v.array(v.object({ user_id: uuid, role: v.picklist(ROLES) })) }),
  gone: v.object({ kind: v.literal('gone') }),
  presence: v.object({
    kind: v.literal('presence'),
    connection_id: count,
    message: v.object({ type: v.picklist(PRESENCE_TYPES), user_id: text, username: text }),
  }),
  state: v.object({
    kind: v.literal('state'),
    change: v.object({ user_id: uuid, connection_id: count, state: v.nullable(jsonText) }),
  }),
  signal: v.object({
    kind: v.literal('signal'),
    signal: v.object({ user_id: uuid, connection_id: count, data: jsonText }),
  }),
};

const FEED_EVENTS: { readonly [T in FeedEvent['type']]: Shape<Extract<FeedEvent, { type: T }>> } = {
  'user.board_added': v.object({ type: v.literal('user.board_added'), board_id: uuid }),
  'user.board_removed': v.object({ type: v.literal('user.board_removed'), board_id: uuid }),
  'user.board_changed': v.object({ type: v.literal('user.board_changed'), board_id: uuid, title: text }),
  'user.notification': v.object({
    type: v.literal('user.notification'),
    board_id: uuid,
    notification: v.object({
      id: uuid,
      kind: v.picklist(NOTIFICATION_KINDS),
      created_at: text,
      read_at: nullableText,
      board_id: v.nullable(uuid),
      card_id: v.nullable(uuid),
      comment_id: v.nullable(uuid),
      user: v.nullable(publicUser),
      title: nullableText,
      due_at: nullableText,
      is_late: v.boolean(),
    }),
  }),
};
const feedOutline = v.object({ user_ids: v.array(uuid), event: v.looseObject({ type: text }) });

const SESSION_MESSAGES: { readonly [K in SessionMessage['kind']]: Shape<Extract<SessionMessage, { kind: K }>> } = {
  ended: v.object({ kind: v.literal('ended'), user_id: uuid, ids: v.array(uuid), revoked_at: nullableText }),
  renewed: v.object({ kind: v.literal('renewed'), user_id: uuid, session: liveSession }),
};

const outline = v.looseObject({ kind: text });

export function encodeBusMessage(message: BoardMessage | FeedMessage | SessionMessage | PublicUser): Uint8Array {
  return encodeFrame([encodeItem(message)]);
}

export function decodeBoardMessage(bytes: Uint8Array): BoardMessage {
  const value = decode(bytes);
  const { kind } = parseShape(outline, value, 'a message about a board');
  if (!isKind(kind)) throw new Refusal('unsupported', `the message ${quote(kind)} about a board is not known here`);
  const shape: Shape<BoardMessage> = BOARD_MESSAGES[kind];
  return parseShape(shape, value, kind);
}

export function decodeUser(bytes: Uint8Array): PublicUser {
  return parseShape(publicUser, decode(bytes), 'a user');
}

export function decodeSessionMessage(bytes: Uint8Array): SessionMessage {
  const value = decode(bytes);
  const { kind } = parseShape(outline, value, 'a message about sessions');
  if (!isSessionKind(kind)) throw new Refusal('unsupported', `the message ${quote(kind)} about sessions is not known here`);
  const shape: Shape<SessionMessage> = SESSION_MESSAGES[kind];
  return parseShape(shape, value, kind);
}

export function decodeFeedMessage(bytes: Uint8Array): FeedMessage {
  const value = decode(bytes);
  const { user_ids, event } = parseShape(feedOutline, value, 'a message for feeds');
  const { type } = event;
  if (!isFeedType(type)) throw new Refusal('unsupported', `the message ${quote(type)} for feeds is not known here`);
  const shape: Shape<FeedEvent> = FEED_EVENTS[type];
  return { user_ids, event: parseShape(shape, event, type) };
}

function decode(bytes: Uint8Array): unknown {
  const [item] = decodeFrame(bytes);
  if (item === undefined) throw new Refusal('malformed', 'an empty message');
  return decodeItem(item);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function isSessionKind(kind: string): kind is SessionMessage['kind'] {
  return Object.hasOwn(SESSION_MESSAGES, kind);
}

function isFeedType(type: string): type is FeedEvent['type'] {
  return Object.hasOwn(FEED_EVENTS, type);
}

function isKind(kind: string): kind is Kind {
  return Object.hasOwn(BOARD_MESSAGES, kind);
}
