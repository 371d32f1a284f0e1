/** Describes the sockets: an AsyncAPI 3 document, and the messages of the socket of a board as one JSON Schema. */
import { toJsonSchemaDefs, type ConversionConfig } from '@valibot/to-json-schema';
import { LARGE_EVENT_CHARACTERS, MAX_FAN_OUT_CHARACTERS } from '../../domain/events.js';
import { POSITION_PATTERN } from '../../domain/position.js';
import { MAX_STATES_PER_BOARD } from '../../domain/ports/presence.js';
import { CLOSE } from '../closeCodes.js';
import { CLIENT_MESSAGES, SERVER_MESSAGES, type MessageSpec } from '../schemas/messages.js';
import { SHARED_CLIENT_MESSAGES, SHARED_SERVER_MESSAGES } from '../schemas/sharedMessages.js';
import { MAX_SHARED_MESSAGES_PER_SECOND } from '../socketLimits.js';
import { DEEPEST_NESTING } from '../operation/strictJson.js';
import type { Schema } from '../operation/operation.js';
import { CONVERSION } from './conversion.js';
import { exampleOf, type ExampleSchema } from './examples.js';
import { Attachment, Board, BoardMember, Card, Checklist, ChecklistItem, Column, Label, PublicUser } from '../schemas/resources.js';

type JsonSchema = Readonly<Record<string, unknown>>;
type Reference = Readonly<{ $ref: string }>;

export interface AsyncApiDocument {
  readonly asyncapi: '3.0.0';
  readonly info: Readonly<Record<string, unknown>>;
  readonly defaultContentType: string;
  readonly servers: Readonly<Record<string, object>>;
  readonly channels: Readonly<Record<string, Channel>>;
  readonly operations: Readonly<Record<string, ChannelOperation>>;
  readonly components: {
    readonly messages: Readonly<Record<string, Message>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}

interface Channel {
  readonly address: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, object>>;
  readonly messages: Readonly<Record<string, Reference>>;
  readonly bindings: object;
}

interface ChannelOperation {
  /** From the server's point of view. */
  readonly action: 'send' | 'receive';
  readonly summary: string;
  readonly channel: Reference;
  readonly messages: readonly Reference[];
}

interface Message {
  readonly name: string;
  readonly summary: string;
  readonly payload: Reference;
  readonly examples: ReadonlyArray<{ readonly payload: object }>;
}

const RESOURCES = { PublicUser, Label, BoardMember, ChecklistItem, Checklist, Attachment, Card, Column, Board };
type Specs = Readonly<Record<string, MessageSpec>>;

const MESSAGES: Specs = { ...SERVER_MESSAGES, ...CLIENT_MESSAGES };
/** In the document the names of both sockets are in one list. */
const SHARED_PREFIX = 'shared.';
const SHARED_SERVER = withPrefix(SHARED_SERVER_MESSAGES, SHARED_PREFIX);
/** Client and server both send a `state` and a `signal`. */
const SHARED_CLIENT = withPrefix(SHARED_CLIENT_MESSAGES, `${SHARED_PREFIX}client.`);
const ALL_MESSAGES: Specs = { ...MESSAGES, ...SHARED_SERVER, ...SHARED_CLIENT };
const SCHEMAS = '#/components/schemas/';
const MEBI = 1024 * 1024;

const INTRODUCTION = `There are two kinds of sockets: one for a single board, and one for any number of boards.

# The socket of a board

The server sends every change of a board to every client of the board, in the order of the changes.

The server accepts a connection before it refuses it with a close code, because a browser cannot see the reason of a
refused handshake. A client that is admitted gets its own \`user_joined\` and every later event. Without \`since\` it may
miss events that happen before its \`user_joined\`. The address is also served under \`/api\`.

**The credential** is an access token. It is taken from the first of these that is present: the parameter \`token\`; the header
\`Authorization: Bearer …\`; an offered subprotocol \`bearer.<token>\`, which is then selected; the cookie \`svc_auth\`, if the
\`Origin\` is that of the service or listed in \`CORS_ORIGINS\` (\`*\` lists none). When the session of the token is refreshed by
\`POST /auth/refresh\`, its sockets stay open as long as the new token is valid.

**Events of one change** are consecutive. If the ranks of siblings change, each sibling has its own \`.moved\` event, before
the event of the change itself. A \`.deleted\` event contains the last state of the resource, or only the id of a board;
parts of a deleted resource have no events of their own. An assignment has one event for each user in the request, all
with the final state of the resource. Before a member is removed, the member is unassigned everywhere, with one event each.

**Catching up.** A client connects with \`since\`, the position of the last event that it knows, and first gets every later
event. Its events have a number \`seq\`, which increases by one from event to event. \`since=latest\` starts with the next
event. The \`ETag\` of \`GET /boards/{board_id}\` is the position to start from after reading the board.

**Epochs.** If the history of a board may have been cut, for example by the restore of a backup, its numbers belong to a new epoch.
Then events and \`resync\` have an \`epoch\`, and a position is \`<epoch>-<number>\`. A number alone is a position of the first
epoch. A client with a position of another epoch gets \`resync\`.

**Large events.** The event of a column contains its cards. Some events are too large for clients that connected with \`since\`: an
event of ${LARGE_EVENT_CHARACTERS / MEBI} MiB or more, and an event that adds up to more than ${MAX_FAN_OUT_CHARACTERS / MEBI} MiB for all clients of the board. These clients
get \`resync\` with the number of the event instead, and read the board again. Clients without \`since\` get the event, in
fragments, as fast as they read; later messages wait for it. A client that reads nothing for some seconds is disconnected.

**Heartbeat.** The server sends a ping to every client at a fixed interval, but not in the middle of a large event. It ignores
messages other than pong. It disconnects a client that sends more than a hundred messages per second, including the pings and
pongs of the WebSocket protocol.

# The socket for several boards

A client connects to \`/ws\` and gets \`authenticated\`. It names the boards that it wants to follow with \`subscribe\` and
gets, for each, either \`subscribed\` or \`unsubscribed\` with a close code. Messages that it sends earlier are carried out
after \`authenticated\`. Every message about a board has its \`board_id\`, every event its number; the numbers of each
board have no gaps. What was said above about events, catching up, epochs and heartbeats holds here too, with one
difference: a message is never sent in fragments.

A client message is JSON of at most 4 KiB and ${DEEPEST_NESTING} levels, with no key twice in one object. A refused
message is answered with \`error\` and has no effect. The socket stays open, except that the server closes the
sockets of a user who sends more than ${MAX_SHARED_MESSAGES_PER_SECOND} messages a second on all of them together.

**Presence.** \`subscribed\` lists the users who are online; \`user_joined\` and \`user_left\` follow. A connection may show
a small **state** to the others, such as the card that it has open; the states of others follow \`subscribed\`, and end with their
connection. A board has at most ${MAX_STATES_PER_BOARD} states: on a full board, the one that changed longest ago ends. A **signal**, such
as a position, goes to the others on the board who are connected at that moment. Each subscription is a connection of its own, with its \`connection_id\`.

**The feed.** Without any subscription the client gets \`user.board_added\`, \`user.board_removed\` and
\`user.board_changed\` about the boards of its user, and \`user.notification\` about what concerns the user on them. These have no numbers:
after a reconnect, read the lists again.

**The token** expires. Before that, refresh its session, or send \`auth\` with a new token; the subscriptions go on.`;

export function asyncApiDocument(version: string): AsyncApiDocument {
  const schemas = jsonSchemas(ALL_MESSAGES, 'draft-07', SCHEMAS);
  return {
    asyncapi: '3.0.0',
    info: { title: 'Switchboard', version, description: INTRODUCTION, license: { name: 'MIT' } },
    defaultContentType: 'application/json',
    servers: {
      switchboard: {
        host: '{host}',
        protocol: 'ws',
        description: 'Use `wss` if the service (settings `TLS_CERT_FILE` and `TLS_KEY_FILE`) or the proxy in front of it has a certificate.',
        variables: { host: { default: 'localhost:8000', description: 'The host and port of the service' } },
      },
    },
    channels: { board: boardChannel(), shared: sharedChannel() },
    operations: {
      send: operation('send', 'board', 'Send events, presence and pings', SERVER_MESSAGES),
      receive: operation('receive', 'board', 'Receive the answer to a ping', CLIENT_MESSAGES),
      sendShared: operation('send', 'shared', 'Send events and presence of boards, the feed of the user, and pings', SHARED_SERVER),
      receiveShared: operation('receive', 'shared', 'Receive subscriptions, states, signals, tokens and pongs', SHARED_CLIENT),
    },
    components: {
      messages: mapValues(ALL_MESSAGES, ({ meaning }, name) => {
        return { name: typeOf(name), summary: meaning, payload: { $ref: SCHEMAS + name }, examples: [{ payload: exampleMessage(name, schemas) }] };
      }),
      schemas,
    },
  };
}

/** One schema for every message, each kind with its own definition. */
export function messagesJsonSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Messages on the WebSocket of a board',
    oneOf: Object.keys(MESSAGES).map((name) => ({ $ref: `#/$defs/${name}` })),
    $defs: jsonSchemas(MESSAGES, 'draft-2020-12', '#/$defs/'),
  };
}

function exampleMessage(name: string, schemas: Readonly<Record<string, JsonSchema>>): object {
  const find = (reference: string): ExampleSchema => (schemas[reference.slice(SCHEMAS.length)] ?? {}) as ExampleSchema;
  return exampleOf(find(SCHEMAS + name), find, typeOf(name)) as object;
}

function boardChannel(): Channel {
  return {
    address: '/ws/boards/{boardId}',
    description: ['The server ends a connection with one of these codes:', '', ...closeCodes()].join('\n'),
    parameters: { boardId: { description: 'The id of the board, a UUID' } },
    messages: references(MESSAGES),
    bindings: { ws: { method: 'GET', query: connectionQuery(), bindingVersion: '0.1.0' } },
  };
}

function sharedChannel(): Channel {
  const { token } = connectionQuery().properties;
  return {
    address: '/ws',
    description: ['The server ends a connection, or a subscription by `unsubscribed`, with one of these codes:', '', ...closeCodes()].join('\n'),
    parameters: {},
    messages: references({ ...SHARED_SERVER, ...SHARED_CLIENT }),
    bindings: { ws: { method: 'GET', query: { type: 'object', properties: { token } }, bindingVersion: '0.1.0' } },
  };
}

function closeCodes(): string[] {
  return Object.values(CLOSE).map(({ code, meaning }) => `- ${code}: ${meaning}`);
}

function references(messages: Specs): Record<string, Reference> {
  return mapValues(messages, (_message, name) => ({ $ref: `#/components/messages/${name}` }));
}

/** The type of a message, without the prefix of its socket. */
function typeOf(name: string): string {
  return name.replace(/^shared\.(client\.)?/, '');
}

function withPrefix(messages: Specs, prefix: string): Specs {
  return Object.fromEntries(Object.entries(messages).map(([name, spec]) => [prefix + name, spec]));
}

function connectionQuery() {
  return {
    type: 'object',
    properties: {
      token: { type: 'string', description: 'An access token, unless it is given in another way; for the socket of a board, that of a member' },
      since: {
        description: 'The position of the last event that the client knows, or `latest`; without `since`, events have no number',
        oneOf: [{ type: 'integer', minimum: 0 }, { type: 'string', pattern: POSITION_PATTERN }, { const: 'latest' }],
      },
    },
  };
}

function operation(action: ChannelOperation['action'], channel: 'board' | 'shared', summary: string, messages: Specs): ChannelOperation {
  return {
    action,
    summary,
    channel: { $ref: `#/channels/${channel}` },
    messages: Object.keys(messages).map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` })),
  };
}

/** AsyncAPI reads schemas as draft 7 by default; a separate schema uses the newest draft. */
function jsonSchemas(messages: Specs, target: NonNullable<ConversionConfig['target']>, prefix: string): Record<string, JsonSchema> {
  const definitions: Record<string, Schema> = { ...RESOURCES, ...mapValues(messages, ({ schema }) => schema) };
  return toJsonSchemaDefs(definitions, {
    ...CONVERSION,
    target,
    typeMode: 'output',
    overrideRef: ({ referenceId }) => prefix + referenceId,
  }) as Record<string, JsonSchema>;
}

function mapValues<T, U>(values: Readonly<Record<string, T>>, map: (value: T, key: string) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value, key)]));
}
