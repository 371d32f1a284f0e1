/** Every message on a socket for several boards. Tests validate all messages that they receive against these. */
import * as v from 'valibot';
import { POSITION_PATTERN } from '../../domain/position.js';
import { CLOSE } from '../closeCodes.js';
import { FOLLOWING_RATE, MAX_BOARDS_PER_SOCKET, MAX_SHOWN_BYTES, MAX_STATES_PER_SOCKET, SIGNAL_RATE, STATE_RATE } from '../socketLimits.js';
import { documentedCheck, uuid } from './fields.js';
import { eventMessages, person, type MessageSpec } from './messages.js';
import { id, seq, timestamp } from './basics.js';
import { epoch, Notification } from './resources.js';

const onBoard = { board_id: id() };
const connection = { user_id: id(), connection_id: v.pipe(v.number(), v.integer()) };
const SHOWN = `at most ${MAX_SHOWN_BYTES} bytes of JSON`;

/** From the server, by the `type` of the message. */
export const SHARED_SERVER_MESSAGES: Readonly<Record<string, MessageSpec>> = {
  ...eventMessages({ ...onBoard, seq: v.pipe(seq(), v.description('The number of the event on its board')) }),
  authenticated: {
    schema: v.object({ type: v.literal('authenticated'), expires_at: v.nullable(timestamp()) }),
    meaning:
      'The token was accepted: at the start, and after `auth`. The server closes the socket when it expires, unless its session was refreshed. An API key without an expiry has null.',
  },
  subscribed: {
    schema: v.object({
      type: v.literal('subscribed'),
      ...onBoard,
      epoch: epoch(),
      seq: v.pipe(seq(), v.description('The number of the latest event of the board at this moment')),
      online_users: v.array(v.object(person)),
    }),
    meaning: 'The client follows the board. The states of others, the events after `since` and then everything that happens follow.',
  },
  unsubscribed: {
    schema: v.object({
      type: v.literal('unsubscribed'),
      ...onBoard,
      code: v.pipe(v.number(), v.integer(), v.description('1000 after `unsubscribe`, otherwise a close code')),
      reason: v.string(),
    }),
    meaning: `The client does not, or no longer, follow the board. With ${CLOSE.tryAgainLater.code} it may subscribe again a little later.`,
  },
  resync: {
    schema: v.object({ type: v.literal('resync'), ...onBoard, epoch: epoch(), seq: seq() }),
    meaning:
      'The missed events up to `seq` are no longer kept or are of another epoch, or the event with this number is too ' +
      'large to send. Read the board again; events after `seq` follow.',
  },
  user_joined: {
    schema: v.object({ type: v.literal('user_joined'), ...onBoard, ...person }),
    meaning: 'A user connected to the board. Sent for every connection, to every client including the new one.',
  },
  user_left: {
    schema: v.object({ type: v.literal('user_left'), ...onBoard, ...person }),
    meaning: 'A user’s last connection to the board ended, and with it the states of all connections of the user.',
  },
  state: {
    schema: v.object({ type: v.literal('state'), ...onBoard, ...connection, state: v.unknown() }),
    meaning: 'What a connection shows of itself; null if it shows nothing any more.',
  },
  signal: {
    schema: v.object({ type: v.literal('signal'), ...onBoard, ...connection, data: v.unknown() }),
    meaning: 'A message of another connection on the board, which the service does not store.',
  },
  'user.board_added': {
    schema: v.object({ type: v.literal('user.board_added'), ...onBoard }),
    meaning: 'A board was added to the caller’s list: the caller created it or was invited.',
  },
  'user.board_removed': {
    schema: v.object({ type: v.literal('user.board_removed'), ...onBoard }),
    meaning: 'A board left the caller’s list: it was deleted, or the caller is no longer a member.',
  },
  'user.board_changed': {
    schema: v.object({ type: v.literal('user.board_changed'), ...onBoard, title: v.string() }),
    meaning:
      'What the list of boards shows of this board has changed: its own fields, its labels or its members. At most one ' +
      'message a second for each board.',
  },
  'user.notification': {
    schema: v.object({ type: v.literal('user.notification'), ...onBoard, notification: Notification }),
    meaning: 'The caller has a new notice, see `GET /me/notifications`.',
  },
  ping: {
    schema: v.object({ type: v.literal('ping') }),
    meaning: `Answer with a pong at once; otherwise the server closes the connection with ${CLOSE.noPong.code}.`,
  },
  error: {
    schema: v.object({
      type: v.literal('error'),
      code: v.pipe(
        v.picklist(['invalid', 'limit', 'too_many', 'not_found', 'unauthenticated', 'forbidden', 'unavailable', 'internal']),
        v.description('`too_many`: too often, see `retry_after`. `limit`: as much as is allowed'),
      ),
      detail: v.string(),
      board_id: v.optional(v.pipe(id(), v.description('The board of the refused message, if it names one'))),
      retry_after: v.optional(v.pipe(v.number(), v.description('In seconds'))),
    }),
    meaning: 'A message of the client was refused and has had no effect.',
  },
};

const since = v.pipe(
  v.union([v.number(), v.string()], 'must be a number, an epoch and a number, or latest'),
  documentedCheck(isSince, 'must be a number, an epoch and a number, or latest', {
    description: 'The position of the last event that the client knows; without it, or with `latest`, only later events are sent',
  }),
);

function isSince(value: number | string): boolean {
  return value === 'latest' || new RegExp(POSITION_PATTERN).test(String(value));
}

/** A field with any JSON value. Absent is not a value. */
const anything = (description: string) => v.pipe(v.unknown(), v.description(description));

const fromClient = {
  subscribe: v.object({ type: v.literal('subscribe'), board_id: uuid(), since: v.optional(since) }),
  unsubscribe: v.object({ type: v.literal('unsubscribe'), board_id: uuid() }),
  state: v.object({ type: v.literal('state'), board_id: uuid(), state: anything(`${SHOWN}; null for nothing`) }),
  signal: v.object({ type: v.literal('signal'), board_id: uuid(), data: anything(SHOWN) }),
  auth: v.object({ type: v.literal('auth'), token: v.string() }),
  pong: v.object({ type: v.literal('pong') }),
} as const;

export type SharedClientMessage = { [Type in keyof typeof fromClient]: v.InferOutput<(typeof fromClient)[Type]> }[keyof typeof fromClient];
export type SharedClientType = SharedClientMessage['type'];

const MEANINGS: { readonly [Type in SharedClientType]: string } = {
  subscribe:
    `Follow a board. A socket follows at most ${MAX_BOARDS_PER_SOCKET}. A user may subscribe ${FOLLOWING_RATE.burst} times at ` +
    `once and ${FOLLOWING_RATE.perSecond} times a second.`,
  unsubscribe: 'No longer follow the board.',
  state:
    'Show something of oneself to the others on the board, for example the card that is open. The service keeps it in ' +
    `memory while the connection lasts. At most ${STATE_RATE.perSecond} a second, and ${MAX_STATES_PER_SOCKET} boards of a socket.`,
  signal:
    `Send something to the others on the board that nobody keeps, for example a position. At most ${SIGNAL_RATE.perSecond} a ` +
    'second. It may get lost. Viewers and commenters of the board send none.',
  auth: 'Continue with a new token of the same user.',
  pong: 'The answer to a ping.',
};

/** From the client. */
export const SHARED_CLIENT_MESSAGES: { readonly [Type in SharedClientType]: MessageSpec } = {
  subscribe: { schema: fromClient.subscribe, meaning: MEANINGS.subscribe },
  unsubscribe: { schema: fromClient.unsubscribe, meaning: MEANINGS.unsubscribe },
  state: { schema: fromClient.state, meaning: MEANINGS.state },
  signal: { schema: fromClient.signal, meaning: MEANINGS.signal },
  auth: { schema: fromClient.auth, meaning: MEANINGS.auth },
  pong: { schema: fromClient.pong, meaning: MEANINGS.pong },
};
