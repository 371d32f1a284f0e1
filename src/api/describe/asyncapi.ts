/** Describes the socket of a board: an AsyncAPI 3 document, and its messages as one JSON Schema. */
import { toJsonSchemaDefs, type ConversionConfig } from '@valibot/to-json-schema';
import { LARGE_EVENT_CHARACTERS } from '../../domain/events.js';
import { CLOSE } from '../closeCodes.js';
import { CLIENT_MESSAGES, SERVER_MESSAGES, type MessageSpec } from '../schemas/messages.js';
import type { Schema } from '../operation.js';
import {
  Attachment,
  Board,
  BoardMember,
  Card,
  Checklist,
  ChecklistItem,
  Column,
  Label,
  PublicUser,
} from '../schemas/resources.js';

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
}

const RESOURCES = { PublicUser, Label, BoardMember, ChecklistItem, Checklist, Attachment, Card, Column, Board };
const MESSAGES = { ...SERVER_MESSAGES, ...CLIENT_MESSAGES };
const CHANNEL = 'board';
const MEBI = 1024 * 1024;

const INTRODUCTION = `The server sends every change of a board to every client of the board, in the order of the changes.

The server accepts a connection before it refuses it with a close code, because a browser cannot see the reason of a
refused handshake. A client that is admitted gets its own \`user_joined\` and every later event. Without \`since\` it may
miss events that happen before its \`user_joined\`. The address is also served under \`/api\`.

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
event of ${LARGE_EVENT_CHARACTERS / MEBI} MiB or more, and an event that adds up to more than 32 MiB for all clients of the board. These clients
get \`resync\` with the number of the event instead, and read the board again. Clients without \`since\` get the event, in
fragments, as fast as they read; later messages wait for it. A client that reads nothing for some seconds is disconnected.

**Heartbeat.** The server sends a ping to every client at a fixed interval, but not in the middle of a large event. It ignores
messages other than pong. It disconnects a client that sends more than a hundred messages per second, including the pings and
pongs of the WebSocket protocol.`;

export function asyncApiDocument(version: string): AsyncApiDocument {
  return {
    asyncapi: '3.0.0',
    info: { title: 'Switchboard', version, description: INTRODUCTION, license: { name: 'MIT' } },
    defaultContentType: 'application/json',
    servers: {
      switchboard: {
        host: '{host}',
        protocol: 'ws',
        description:
          'Use `wss` if the service (settings `TLS_CERT_FILE` and `TLS_KEY_FILE`) or the proxy in front of it has a ' +
          'certificate.',
        variables: { host: { default: 'localhost:8000', description: 'The host and port of the service' } },
      },
    },
    channels: { [CHANNEL]: channel() },
    operations: {
      send: operation('send', 'Send events, presence and pings', SERVER_MESSAGES),
      receive: operation('receive', 'Receive the answer to a ping', CLIENT_MESSAGES),
    },
    components: {
      messages: mapValues(MESSAGES, ({ meaning }, name) => {
        return { name, summary: meaning, payload: { $ref: `#/components/schemas/${name}` } };
      }),
      schemas: jsonSchemas('draft-07', '#/components/schemas/'),
    },
  };
}

/** One schema for every message, each kind with its own definition. */
export function messagesJsonSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Messages on the WebSocket of a board',
    oneOf: Object.keys(MESSAGES).map((name) => ({ $ref: `#/$defs/${name}` })),
    $defs: jsonSchemas('draft-2020-12', '#/$defs/'),
  };
}

function channel(): Channel {
  const closes = Object.values(CLOSE).map(({ code, meaning }) => `- ${code}: ${meaning}`);
  return {
    address: '/ws/boards/{boardId}',
    description: ['The server ends a connection with one of these codes:', '', ...closes].join('\n'),
    parameters: { boardId: { description: 'The id of the board, a UUID' } },
    messages: mapValues(MESSAGES, (_message, name) => ({ $ref: `#/components/messages/${name}` })),
    bindings: { ws: { method: 'GET', query: connectionQuery(), bindingVersion: '0.1.0' } },
  };
}

function connectionQuery(): JsonSchema {
  return {
    type: 'object',
    required: ['token'],
    properties: {
      token: { type: 'string', description: 'An access token of a member of the board, from `POST /auth/login`' },
      since: {
        description: 'The position of the last event that the client knows, or `latest`; without `since`, events have no number',
        oneOf: [{ type: 'integer', minimum: 0 }, { type: 'string', pattern: '^[0-9a-z]{1,8}-[0-9]{1,15}$' }, { const: 'latest' }],
      },
    },
  };
}

function operation(
  action: ChannelOperation['action'],
  summary: string,
  messages: Readonly<Record<string, MessageSpec>>,
): ChannelOperation {
  return {
    action,
    summary,
    channel: { $ref: `#/channels/${CHANNEL}` },
    messages: Object.keys(messages).map((name) => ({ $ref: `#/channels/${CHANNEL}/messages/${name}` })),
  };
}

/** AsyncAPI reads schemas as draft 7 by default; a separate schema uses the newest draft. */
function jsonSchemas(target: NonNullable<ConversionConfig['target']>, prefix: string): Record<string, JsonSchema> {
  const definitions: Record<string, Schema> = { ...RESOURCES, ...mapValues(MESSAGES, ({ schema }) => schema) };
  return toJsonSchemaDefs(definitions, {
    target,
    typeMode: 'output',
    overrideRef: ({ referenceId }) => prefix + referenceId,
  }) as Record<string, JsonSchema>;
}

function mapValues<T, U>(values: Readonly<Record<string, T>>, map: (value: T, key: string) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value, key)]));
}
