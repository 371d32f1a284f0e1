/** Encodes and decodes messages about boards and users between instances. */
import * as v from 'valibot';
import { PRESENCE_TYPES } from '../domain/ports/presence.js';
import type { PublicUser } from '../domain/user.js';
import { decodeFrame, encodeFrame } from '../wire/frame.js';
import { decodeItem, encodeItem } from '../wire/item.js';
import { quote, Refusal } from '../wire/refusal.js';
import type { Seal } from '../wire/sealing.js';
import { count, parseShape, publicUser, publishedEvent, text, type Shape } from '../wire/shapes.js';
import type { BoardMessage } from './bus.js';

type Kind = BoardMessage['kind'];
type MessageOf<K extends Kind> = Extract<BoardMessage, { kind: K }>;

/** The type ensures that none is missing. */
const BOARD_MESSAGES: { readonly [K in Kind]: Shape<MessageOf<K>> } = {
  events: v.object({ kind: v.literal('events'), epoch: text, events: v.array(publishedEvent) }) as Shape<MessageOf<'events'>>,
  left: v.object({ kind: v.literal('left'), user_ids: v.array(text) }),
  gone: v.object({ kind: v.literal('gone') }),
  presence: v.object({
    kind: v.literal('presence'),
    connection_id: count,
    message: v.object({ type: v.picklist(PRESENCE_TYPES), user_id: text, username: text }),
  }),
};

const outline = v.looseObject({ kind: text });

export class BusMessages {
  readonly #seal: Seal;

  constructor(seal: Seal) {
    this.#seal = seal;
  }

  encode(message: BoardMessage | PublicUser): Uint8Array {
    return encodeFrame([encodeItem(message, this.#seal)]);
  }

  decodeBoardMessage(bytes: Uint8Array): BoardMessage {
    const value = this.#decode(bytes);
    const { kind } = parseShape(outline, value, 'a message about a board');
    if (!isKind(kind)) throw new Refusal('unsupported', `the message ${quote(kind)} about a board is not known here`);
    const shape: Shape<BoardMessage> = BOARD_MESSAGES[kind];
    return parseShape(shape, value, kind);
  }

  decodeUser(bytes: Uint8Array): PublicUser {
    return parseShape(publicUser, this.#decode(bytes), 'a user');
  }

  #decode(bytes: Uint8Array): unknown {
    const [item] = decodeFrame(bytes);
    if (item === undefined) throw new Refusal('malformed', 'an empty message');
    return decodeItem(item, this.#seal);
  }
}

function isKind(kind: string): kind is Kind {
  return Object.hasOwn(BOARD_MESSAGES, kind);
}
